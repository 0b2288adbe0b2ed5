/** Checks the declared rules of a collection that values are unique. */

import { isObject } from '../../domain/input/json.ts';
import { suggestion } from '../../domain/input/suggest.ts';
import type { FieldDeclaration } from '../../domain/record/declaration.ts';
import { plainJson } from '../../domain/record/plain-data.ts';
import { whereOfRule } from '../../domain/record/unique-rules.ts';
import { types } from '../../domain/types/all-types.ts';
import { valuesIn } from '../../domain/where/where.ts';
import { hasKnownType, requireShort } from '../check-field.ts';
import { type Mistakes, shown } from '../mistakes.ts';
import { type DeclaredFields, maxIndexFields, requireShortTogether } from './check-indexes.ts';
import { checkOptions, readCondition, rulesIn } from './rule-list.ts';

/** PostgreSQL keeps the condition of an index in one row of its catalog, in a form that is several times as long. */
export const maxWhere = { values: 20, bytes: 1000 };

const ruleOptions = ['fields', 'where'];

export function checkUnique(value: unknown, declared: DeclaredFields, path: string, mistakes: Mistakes): void {
  const rules = rulesIn(value, '[["book", "copy"]]', path, mistakes);
  if (rules === undefined) return;
  const alone = Object.keys(declared.fields).filter((key) => declared.fields[key]?.unique);
  const seen = new Set(alone.map((key) => identityOf([key], undefined)));
  for (const [at, rule] of rules.entries()) {
    const place = `${path}[${at}]`;
    const { fields, where } = Array.isArray(rule) ? { fields: rule } : (optionsOf(rule, place, mistakes) ?? {});
    if (fields === undefined) continue;
    const names = namesIn(fields, place, mistakes);
    if (names === undefined) continue;
    checkFields(names, where !== undefined, declared, place, mistakes);
    if (where !== undefined) checkWhere(where, declared, `${place}.where`, mistakes);
    const identity = identityOf(names, where);
    if (seen.has(identity))
      mistakes.add(
        place,
        `is there already${alone.includes(identity) ? `: ${names[0]} is unique by itself` : ''}; remove one of them`,
      );
    seen.add(identity);
  }
}

type Options = { readonly fields: unknown; readonly where?: unknown };

function optionsOf(rule: unknown, path: string, mistakes: Mistakes): Options | undefined {
  if (!isObject(rule) || rule.fields === undefined)
    return mistakes.add(path, `must be a list of fields, or an object with "fields" and "where", not ${shown(rule)}`);
  checkOptions(rule, ruleOptions, path, mistakes);
  return { fields: rule.fields, where: rule.where };
}

function namesIn(fields: unknown, path: string, mistakes: Mistakes): readonly string[] | undefined {
  const names: readonly unknown[] = Array.isArray(fields) ? fields : [];
  const isRight = names.length > 0 && names.length <= maxIndexFields && new Set(names).size === names.length;
  if (isRight && names.every((name) => typeof name === 'string')) return names;
  return mistakes.add(path, `must have a list of 1 to ${maxIndexFields} different fields, not ${shown(fields)}`);
}

/** The order of fields makes no other rule. */
function identityOf(fields: readonly string[], where: unknown): string {
  return where === undefined ? [...fields].sort().join() : `${[...fields].sort().join()} ${plainJson(where)}`;
}

function checkFields(
  names: readonly string[],
  hasWhere: boolean,
  { fields, named }: DeclaredFields,
  path: string,
  mistakes: Mistakes,
): void {
  const isAlone = names.length === 1 && !hasWhere;
  const known: FieldDeclaration[] = [];
  for (const name of names) {
    const declared = fields[name];
    if (declared === undefined) {
      if (!named.includes(name)) mistakes.add(path, `there is no field ${shown(name)}${suggestion(name, named)}`);
      continue;
    }
    if (!hasKnownType(declared)) continue;
    known.push(declared);
    const { canBeUnique } = types[declared.type] ?? {};
    if (canBeUnique === false || (isAlone && canBeUnique !== true))
      mistakes.add(path, `a field of type ${declared.type} cannot be unique`);
    else requireShort(declared, path, 'a unique text', mistakes);
    if (isAlone && declared.default !== undefined && declared.default !== null)
      mistakes.addInFile(path, `two records could not have the default of ${name}: remove the default`);
  }
  requireShortTogether(known, path, mistakes);
}

function checkWhere(where: unknown, declared: DeclaredFields, path: string, mistakes: Mistakes): void {
  const bytes = isObject(where) ? Buffer.byteLength(plainJson(where)) : 0;
  if (bytes > maxWhere.bytes) mistakes.add(path, `must have at most ${maxWhere.bytes} bytes`);
  const read = readCondition(where, ': leave it out for all records', whereOfRule, declared, path, mistakes);
  const values = read === undefined ? 0 : valuesIn(read);
  if (values > maxWhere.values) mistakes.add(path, `has ${values} values: at most ${maxWhere.values} together`);
}
