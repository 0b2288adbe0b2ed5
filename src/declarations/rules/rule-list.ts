/** What the lists of rules of a collection share. */
import type { Problem } from '../../domain/errors.ts';
import { isObject } from '../../domain/input/json.ts';
import { suggestion } from '../../domain/input/suggest.ts';
import type { Plain } from '../../domain/record/declaration.ts';
import { columnsOf } from '../../domain/record/record.ts';
import { type ReadCondition, ruleSubject } from '../../domain/record/rule-condition.ts';
import { compileField } from '../../domain/types/all-types.ts';
import type { Filterable, Where } from '../../domain/where/where.ts';
import { hasKnownType } from '../check-field.ts';
import { type Mistakes, pathTo, shown } from '../mistakes.ts';
import type { DeclaredFields } from './check-indexes.ts';

/** Each write looks at each rule. */
export const maxRules = 20;

/** `such` is an example of a list. Undefined if there is none. */
export function rulesIn(
  value: unknown,
  such: string,
  path: string,
  mistakes: Mistakes,
): readonly unknown[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return mistakes.add(path, `must be a list of rules, such as ${such}, not ${shown(value)}`);
  if (value.length > maxRules) mistakes.add(path, `has ${value.length} rules; at most ${maxRules} are possible`);
  return value;
}

export function checkOptions(rule: object, options: readonly string[], path: string, mistakes: Mistakes): void {
  for (const key of Object.keys(rule))
    if (!options.includes(key))
      mistakes.addInFile(pathTo(path, key), `there is no such option${suggestion(key, options)}`);
}

/** Undefined with a mistake. `fix` follows what is wrong with a value that has no conditions. */
export function readCondition(
  where: unknown,
  fix: string,
  read: ReadCondition,
  declared: DeclaredFields,
  path: string,
  mistakes: Mistakes,
): Where | undefined {
  if (!isObject(where) || Object.keys(where).length === 0)
    return mistakes.add(path, `must be an object with conditions, not ${shown(where)}${fix}`);
  const subject = subjectOf(declared);
  const problems: Problem[] = [];
  const compiled = read(subject, where as { readonly [key: string]: Plain }, problems);
  for (const { field, at = [], message } of problems) {
    const name = field === undefined ? [] : [field];
    // A field with a mistake of its own, or of a type that this version does not know.
    if (name.some((one) => declared.named.includes(one) && !subject.columns.has(one))) continue;
    mistakes.add([path, ...at, ...name].join('.'), message);
  }
  return problems.length === 0 ? compiled : undefined;
}

function subjectOf({ fields }: DeclaredFields): Filterable {
  const known = Object.entries(fields).filter(([, one]) => hasKnownType(one));
  const compiled = Object.fromEntries(known.map(([key, one]) => [key, compileField(one)]));
  return ruleSubject('this collection', Object.fromEntries(known), columnsOf(compiled));
}
