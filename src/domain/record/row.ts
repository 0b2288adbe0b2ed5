/** The declared fields of a record, and reading them from a JSON body. */

import { invalidBody, type Problem } from '../errors.ts';
import { isObject, type Json } from '../input/json.ts';
import { lazy } from '../lazy.ts';
import type { Field, FieldValue, Refusal } from '../types/type.ts';
import type { Plain } from './declaration.ts';
import type { Effort } from './pattern-effort.ts';
import { plainJson } from './plain-data.ts';

export type Fields = Readonly<Record<string, Field>>;

/** The values of a record by field; a record of the contract API also has the id that the client supplied. */
export type Row = Readonly<Record<string, FieldValue>>;

/** The members of a body: those that are expected, and those of them whose text is needed. */
export type Members = { readonly keys: readonly string[]; readonly texts: readonly string[] };

/** Throws `invalid_body` if the body is not a JSON object. */
export function objectIn(singular: string, { value }: Json): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw invalidBody(singular, [{ field: undefined, message: 'must be a JSON object' }]);
}

export type Reading = {
  /** The value of a field that the body does not have, the problem with that, or undefined if the field is to stay absent. */
  absent(key: string): FieldValue | Refusal | undefined;
  /** For a body of a request. */
  readonly effort: Effort | undefined;
  /** Fields that cannot be null, although they are optional. */
  readonly key?: readonly string[];
};

/** The problem of a field in the key of a bulk. */
export const [keyIsAbsent, keyIsNull] = [
  'is in the key, so every record needs it',
  'cannot be null: null is not unique',
];

/**
 * Judges a whole record that is read, and adds what is wrong. A rule with a field that has no value yet, or a wrong one, is left out: it is judged
 * where writes are ordered, as all of them are again.
 */
export type Judge = (row: Row, problems: Problem[]) => void;

/** Reads the fields that the body has, and adds their problems to `problems`. */
export function readFields(
  sent: Readonly<Record<string, unknown>>,
  fields: readonly (readonly [key: string, field: Field])[],
  json: Json,
  { absent, effort, key: notNull = [] }: Reading,
  problems: Problem[],
): Record<string, FieldValue> {
  const values: Record<string, FieldValue> = {};
  for (const [key, field] of fields) {
    const value = Object.hasOwn(sent, key) ? readField(field, key, sent[key], json, effort) : absent(key);
    const read = value === null && notNull.includes(key) ? { refused: keyIsNull } : value;
    if (read === undefined) continue;
    if (typeof read === 'object' && read !== null) problems.push({ field: key, message: read.refused });
    else values[key] = read;
  }
  return values;
}

function readField(
  field: Field,
  key: string,
  value: unknown,
  json: Json,
  effort: Effort | undefined,
): FieldValue | Refusal {
  if (value === null && field.declared.optional) return null;
  return field.read(value, field.takesText ? json.text(key) : json.literal(key), effort);
}

/** The value of a field that a whole record leaves out. One that gets the moment of the change is open (open-moments.ts). */
export function absentValue({ declared, read, clock }: Field): FieldValue | Refusal {
  if (clock !== undefined) return clock.preset;
  if (declared.default !== undefined && declared.default !== null) return plainValue(declared.default, read);
  return declared.optional ? null : { refused: 'is required' };
}

/** For each field, read once: a pattern can take long to match a default. */
export function absentValues(
  fields: readonly (readonly [key: string, field: Field])[],
  absentIn: typeof absentValue = absentValue,
): Reading['absent'] {
  const values = lazy(() => new Map(fields.map(([key, field]) => [key, absentIn(field)])));
  return (key) => values().get(key);
}

/** The same for a record that is stored, whose change was long ago. */
export function absentStored(field: Field): FieldValue | Refusal {
  return field.clock === undefined ? absentValue(field) : { refused: 'is required' };
}

/** The value that plain data of a declaration stands for. */
export function plainValue(plain: NonNullable<Plain>, read: Field['read']) {
  return read(typeof plain === 'bigint' ? Number(plain) : plain, plainJson(plain));
}
