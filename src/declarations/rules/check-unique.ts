/** Checks the declared rules of a collection that values are unique. */
import type { Problem } from '../../domain/errors.ts';
import { suggestion } from '../../domain/input/suggest.ts';
import type { FieldDeclaration, Plain } from '../../domain/record/declaration.ts';
import { plainJson } from '../../domain/record/plain-data.ts';
import { columnsOf } from '../../domain/record/record.ts';
import { ruleSubject, whereOfRule } from '../../domain/record/unique-rules.ts';
import { compileField, types } from '../../domain/types/all-types.ts';
import { type Filterable, valuesIn } from '../../domain/where/where.ts';
import { hasKnownType, requireShort } from '../check-field.ts';
import { isObject, type Mistakes, pathTo, shown } from '../mistakes.ts';
import { type DeclaredFields, maxIndexFields, requireShortTogether } from './check-indexes.ts';

/** Each write looks up the values of each rule. */
export const maxRules = 20;
/** PostgreSQL keeps the condition of an index in one row of its catalog, in a form that is several times as long. */
export const maxWhere = { values: 20, bytes: 1000 };

const ruleOptions = ['fields', 'where'];

export function checkUnique(value: unknown, declared: DeclaredFields, path: string, mistakes: Mistakes): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) {
    mistakes.add(path, `must be a list of rules, such as [["book", "copy"]], not ${shown(value)}`);
    return;
  }
  if (value.length > maxRules) mistakes.add(path, `has ${value.length} rules; at most ${maxRules} are possible`);
  const alone = Object.keys(declared.fields).filter((key) => declared.fields[key]?.unique);
  const seen = new Set(alone.map((key) => identityOf([key], undefined)));
  for (const [at, rule] of value.entries()) {
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
  for (const key of Object.keys(rule))
    if (!ruleOptions.includes(key))
      mistakes.addInFile(pathTo(path, key), `there is no such option${suggestion(key, ruleOptions)}`);
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
  if (!isObject(where) || Object.keys(where).length === 0) {
    mistakes.add(path, `must be an object with conditions, not ${shown(where)}: leave it out for all records`);
    return;
  }
  const bytes = Buffer.byteLength(plainJson(where));
  if (bytes > maxWhere.bytes) mistakes.add(path, `must have at most ${maxWhere.bytes} bytes`);
  const subject = subjectOf(declared);
  const problems: Problem[] = [];
  const read = whereOfRule(subject, where as { readonly [key: string]: Plain }, problems);
  for (const { field = '', at = [], message } of problems) {
    // A field with a mistake of its own, or of a type that this version does not know.
    if (declared.named.includes(field) && !subject.columns.has(field)) continue;
    mistakes.add([path, ...at, field].join('.'), message);
  }
  if (valuesIn(read) > maxWhere.values)
    mistakes.add(path, `has ${valuesIn(read)} values: at most ${maxWhere.values} together`);
}

function subjectOf({ fields }: DeclaredFields): Filterable {
  const known = Object.entries(fields).filter(([, one]) => hasKnownType(one));
  const compiled = Object.fromEntries(known.map(([key, one]) => [key, compileField(one)]));
  return ruleSubject('this collection', Object.fromEntries(known), columnsOf(compiled));
}
