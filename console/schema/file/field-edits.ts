/** What a person does to a field of a configuration file. */
import { type JsonText, kindOf, membersOf, stringOf } from '../../../src/exact/json-text.ts';
import { optionsOf } from '../field-types.ts';
import { removeMember, renameMember, setMember } from './edits.ts';
import { inlined } from './inline-json.ts';
import { collectionsIn, type FileField } from './model.ts';
import { renameInRules } from './renamed-in-rules.ts';
import type { Path } from './slots.ts';

export type FieldPlace = { readonly collection: string; readonly field: string };

const pathOf = ({ collection, field }: FieldPlace): Path => ['collections', collection, 'fields', field];

/** The short form, if there is nothing but the type. */
export function declarationOf({ type, options }: Omit<FileField, 'name'>): JsonText {
  const members = [['type', JSON.stringify(type)] as const, ...options].map(([name, value]) => `"${name}":${value}`);
  return members.length === 1 ? JSON.stringify(type) : inlined(`{${members.join()}}`);
}

export function addField(text: string, place: FieldPlace, field: Omit<FileField, 'name'>): string {
  return setMember(text, pathOf(place), declarationOf(field));
}

/** Of a list, whose `of` is a type or a declaration. */
export function elementOf(of: JsonText = '""'): Omit<FileField, 'name'> {
  const { type = of, ...options } = kindOf(of) === 'object' ? Object.fromEntries(membersOf(of)) : {};
  return { type: kindOf(type) === 'string' ? stringOf(type) : '', options: new Map(Object.entries(options)) };
}

/** Undefined removes the option. */
export function setOption(text: string, place: FieldPlace, option: string, value: JsonText | undefined): string {
  const field = fieldIn(text, place);
  if (field === undefined) return text;
  const path = [...pathOf(place), option];
  if (value === undefined) return field.options.has(option) ? removeMember(text, path) : text;
  return setMember(longForm(text, place, field), path, inlined(value));
}

export function setType(text: string, place: FieldPlace, type: string, others: readonly string[]): string {
  const field = fieldIn(text, place);
  if (field === undefined || field.type === type) return text;
  return setMember(text, pathOf(place), declarationOf(typeChanged(field, type, others, place.collection)));
}

/** Options that the new type does not have are left out, and those that it needs are added. */
export function typeChanged(
  { name, options }: FileField,
  type: string,
  others: readonly string[],
  own: string,
): FileField {
  const known = optionsOf(type);
  const needed = neededBy(type, others, own);
  // Bounds and defaults of one type say nothing about another.
  const kept = [...options].filter(
    ([one]) =>
      known.some((option) => option.name === one || one === 'was') && !['min', 'max', 'default', 'of'].includes(one),
  );
  return { name, type, options: new Map([...kept, ...needed]) };
}

export function neededBy(type: string, others: readonly string[], own: string): ReadonlyMap<string, JsonText> {
  const to = others.find((name) => name !== own) ?? own;
  const needed: Readonly<Record<string, readonly (readonly [string, JsonText])[]>> = {
    decimal: [['scale', '2']],
    choice: [['of', '[]']],
    list: [['of', '"text"']],
    reference: [['to', JSON.stringify(to)]],
  };
  return new Map(needed[type] ?? []);
}

/** `origin`: the name that the server knows; its values follow. Rules, indexes and paths that name it follow, too. */
export function renameField(text: string, place: FieldPlace, name: string, origin: string | undefined): string {
  const { collection, field } = place;
  const renamed = renameMember(renameInRules(text, collection, field, name), pathOf(place), name);
  const now = { collection, field: name };
  return setOption(renamed, now, 'was', origin === undefined || origin === name ? undefined : JSON.stringify(origin));
}

/** The name that the server has the values of the field under; undefined for a new field. */
export function originOf({ name, options }: FileField, served: readonly string[]): string | undefined {
  if (served.includes(name)) return name;
  const was = JSON.parse(options.get('was') ?? 'null') as unknown;
  return typeof was === 'string' && served.includes(was) ? was : undefined;
}

export function removeField(text: string, place: FieldPlace): string {
  return removeMember(text, pathOf(place));
}

function fieldIn(text: string, { collection, field }: FieldPlace): FileField | undefined {
  return collectionsIn(text)
    ?.find(({ name }) => name === collection)
    ?.fields.find(({ name }) => name === field);
}

/** `"text"` has no place for an option. */
function longForm(text: string, place: FieldPlace, { type, options }: FileField): string {
  return options.size > 0 ? text : setMember(text, pathOf(place), `{ "type": ${JSON.stringify(type)} }`);
}
