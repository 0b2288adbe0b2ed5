/**
 * Fields that get the moment of the change if they are left out. Only the engine knows it, where it orders the changes: until then the
 * fields of a draft are open. Writing the moment is the same on every engine, and for every copy of the encoded draft.
 */
import type { Clock, Field, FieldValue } from '../types/type.ts';
import type { Encoders } from './encode.ts';
import type { Fields } from './row.ts';

/** Whether the field has no value yet. */
export function isOpen({ clock }: Field, value: FieldValue | undefined): boolean {
  return clock !== undefined && value === clock.preset;
}

/** The JSON of an open field. No value has this text in it: encoded JSON has white space within texts only, where each quote has a backslash. */
export function openJson({ preset }: Clock): string {
  return `[ "${preset}"]`;
}

/** Encodes values of drafts. */
export function draftEncoders(fields: Fields): Encoders {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, draftEncoder(field)]));
}

export function draftEncoder(field: Field): Pick<Field, 'encode'> {
  const { clock } = field;
  if (clock === undefined) return field;
  const open = openJson(clock);
  return { encode: (value) => (isOpen(field, value) ? open : field.encode(value)) };
}

/** The clocks that stand for the fields of a record, each once. */
export function clocksOf(fields: Fields): readonly Clock[] {
  return [...new Set(Object.values(fields).flatMap(({ clock }) => clock ?? []))];
}

/** Writes the moment, in UTC with milliseconds, into encoded drafts; undefined if none of them has an open field. */
export function stamper(fields: Fields): ((json: string, at: string) => string) | undefined {
  const clocks = clocksOf(fields).map((clock) => ({ open: openJson(clock), valueAt: clock.valueAt }));
  if (clocks.length === 0) return undefined;
  return (json, at) => clocks.reduce((text, { open, valueAt }) => text.replaceAll(open, `"${valueAt(at)}"`), json);
}
