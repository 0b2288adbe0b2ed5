/** Checks the declaration of one field. */

import { isObject } from '../domain/input/json.ts';
import { suggestion } from '../domain/input/suggest.ts';
import type { FieldDeclaration, Plain } from '../domain/record/declaration.ts';
import { plainJson } from '../domain/record/plain-data.ts';
import { plainValue } from '../domain/record/row.ts';
import { compileField, types } from '../domain/types/all-types.ts';
import { elementOf } from '../domain/types/list.ts';
import { maxIndexedText } from '../domain/types/text.ts';
import { type Mistakes, pathTo, shown } from './mistakes.ts';
import { nameMistake } from './names.ts';
import { otherNames } from './other-names.ts';

/** PostgreSQL keeps the default of a field that is added to a table in one row of its catalog. */
const maxDefaultBytes = 4096;

/** Options of every type. */
const flags = ['optional', 'unique', 'search'];
const texts = ['title', 'description'];
export const commonOptions = ['type', ...flags, 'default', ...texts, 'was'];

/** Whether this version knows the type: a database may have one that a newer Shelf has added. */
export function hasKnownType(declared: FieldDeclaration): boolean {
  const known = Object.hasOwn(types, declared.type) ? types[declared.type] : undefined;
  return known !== undefined && (!known.hasElements || Object.hasOwn(types, elementOf(declared).type));
}

/** Undefined if there is a mistake. */
export function readField(value: unknown, path: string, mistakes: Mistakes): FieldDeclaration | undefined {
  if (mistakes.origin === 'memory' && isOfNewerType(value)) return value;
  const count = mistakes.all.length;
  const declared = readOptions(value, path, commonOptions, mistakes);
  if (declared === undefined) return undefined;
  for (const flag of flags) {
    const given = declared[flag as keyof FieldDeclaration];
    if (given !== undefined && typeof given !== 'boolean')
      mistakes.add(`${path}.${flag}`, `must be true or false, not ${shown(given)}`);
  }
  checkTexts(declared, path, mistakes);
  if (declared.unique && types[declared.type]?.canBeUnique !== true)
    mistakes.add(`${path}.unique`, `a field of type ${declared.type} cannot be unique`);
  if (declared.search) requireSearchable(declared, `${path}.search`, mistakes);
  if (declared.unique) requireShort(declared, `${path}.unique`, 'a unique text', mistakes);
  if (mistakes.all.length > count) return undefined;
  checkDefault(declared, path, mistakes);
  return mistakes.all.length > count ? undefined : declared;
}

/** Nothing is made of such a field here. */
function isOfNewerType(value: unknown): value is FieldDeclaration {
  if (!isObject(value) || typeof value.type !== 'string' || nameMistake(value.type) !== undefined) return false;
  if (!Object.hasOwn(types, value.type)) return true;
  const of = isObject(value.of) ? value.of.type : value.of;
  const isNamed = typeof of === 'string' && nameMistake(of) === undefined;
  return types[value.type]?.hasElements === true && isNamed && !Object.hasOwn(types, of);
}

/** PostgreSQL cannot index long text. */
export function requireShort(declared: FieldDeclaration, path: string, what: string, mistakes: Mistakes): void {
  if ((types[declared.type]?.longest?.(declared) ?? 0) <= maxIndexedText) return;
  mistakes.add(path, `${what} needs "max" of ${maxIndexedText} or less`);
}

export function requireSearchable({ type }: FieldDeclaration, path: string, mistakes: Mistakes): void {
  if (types[type]?.canBeSearched !== true)
    mistakes.add(path, `a field of type ${type} cannot be searched by its words: only text can`);
}

/** A title, a description and an earlier name. */
export function checkTexts(declared: object, path: string, mistakes: Mistakes): void {
  const given = declared as Readonly<Record<string, unknown>>;
  for (const key of texts) {
    const text = given[key];
    if (text !== undefined && typeof text !== 'string')
      mistakes.add(`${path}.${key}`, `must be text, not ${shown(text)}`);
  }
  const { was } = given;
  if (was === undefined) return;
  const mistake = typeof was === 'string' ? nameMistake(was) : `must be a name, not ${shown(was)}`;
  if (mistake !== undefined) mistakes.add(`${path}.was`, mistake);
}

/** The type, and its own options. */
function readOptions(
  value: unknown,
  path: string,
  common: readonly string[],
  mistakes: Mistakes,
): FieldDeclaration | undefined {
  const given = typeof value === 'string' ? { type: value } : value;
  if (!isObject(given))
    return mistakes.add(path, `must be a type such as "text" or an object with a type, not ${shown(value)}`);
  const { type: name } = given;
  const type = typeof name === 'string' && Object.hasOwn(types, name) ? types[name] : undefined;
  if (type === undefined || typeof name !== 'string') {
    const known = Object.keys(types);
    return name === undefined
      ? mistakes.add(path, `has no type; known: ${known.join(', ')}`)
      : mistakes.add(`${path}.type`, `there is no type ${shown(name)}${suggestion(typeNamed(name), known)}`);
  }
  const own = Object.keys(type.options);
  const count = mistakes.all.length;
  for (const [key, option] of Object.entries(given)) {
    if (common.includes(key)) continue;
    const known = Object.hasOwn(type.options, key) ? type.options[key] : undefined;
    if (known === undefined)
      mistakes.addInFile(
        pathTo(path, key),
        `there is no such option of ${name}${suggestion(key, [...common, ...own])}`,
      );
    else if (!known.isRight(option)) mistakes.add(`${path}.${key}`, `must be ${known.expected}, not ${shown(option)}`);
  }
  for (const key of own) {
    if (type.options[key]?.required && given[key] === undefined)
      mistakes.add(path, `a field of type ${name} needs "${key}": ${type.options[key].expected}`);
  }
  if (mistakes.all.length > count) return undefined;
  const declared = given as FieldDeclaration;
  for (const [option, message] of type.problems?.(declared) ?? []) mistakes.add(`${path}.${option}`, message);
  if (type.hasElements) checkElement(declared, path, mistakes);
  return mistakes.all.length > count ? undefined : declared;
}

/** The type that is meant, if it has this name elsewhere. */
function typeNamed(name: unknown): string {
  const lower = typeof name === 'string' ? name.toLowerCase() : '';
  return otherNames.get(lower) ?? lower;
}

function checkElement(declared: FieldDeclaration, path: string, mistakes: Mistakes): void {
  const element = elementOf(declared);
  if (Object.hasOwn(types, element.type) && types[element.type]?.isScalar === false)
    mistakes.add(`${path}.of`, `a list cannot have elements of type ${element.type}`);
  else readOptions(element, `${path}.of`, ['type'], mistakes);
}

function checkDefault(declared: FieldDeclaration, path: string, mistakes: Mistakes): void {
  const { default: preset, optional } = declared;
  if (preset === undefined) return;
  if (preset === null) {
    if (!optional) mistakes.addInFile(`${path}.default`, 'cannot be null, because the field is not optional');
    return;
  }
  const mistake = presetMistake(declared, preset);
  if (mistake !== undefined) mistakes.addInFile(`${path}.default`, mistake);
  if (declared.unique)
    mistakes.addInFile(`${path}.default`, 'two records could not have it, because the field is unique');
  if (Buffer.byteLength(plainJson(preset)) > maxDefaultBytes)
    mistakes.addInFile(`${path}.default`, `must have at most ${maxDefaultBytes} bytes`);
}

function presetMistake(declared: FieldDeclaration, preset: NonNullable<Plain>): string | undefined {
  const { clock } = types[declared.type] ?? {};
  if (clock?.preset === preset) {
    const isBounded = declared.min !== undefined || declared.max !== undefined;
    return isBounded ? `the ${clock.what} may be out of "min" and "max": declare a check instead` : undefined;
  }
  const value = plainValue(preset, compileField(declared).read);
  if (typeof value !== 'object') return undefined;
  const also = clock === undefined ? '' : `, or ${JSON.stringify(clock.preset)} for the ${clock.what} of the change`;
  return `${value.refused}${also}`;
}
