/** The condition of a rule: the filter language, on the declared fields of the record itself. */
import type { Problem } from '../errors.ts';
import { parseJson } from '../input/json.ts';
import { readWhere } from '../where/read-where.ts';
import type { Filterable, Where } from '../where/where.ts';
import type { CollectionDeclaration, Plain } from './declaration.ts';
import { plainJson } from './plain-data.ts';
import type { Column } from './record.ts';

/** The condition, and as JSON, as it is declared. */
export type RuleCondition = { readonly where: Where; readonly condition: string };

/** Adds problems. With any, the result has no meaning. */
export type ReadCondition = (subject: Filterable, where: Plain, problems: Problem[]) => Where;

/** What the condition of a rule is on: the server sets the other columns, and changes some of them with each write. */
export function ruleSubject(
  name: string,
  declared: CollectionDeclaration['fields'],
  columns: ReadonlyMap<string, Column>,
): Filterable {
  const references = Object.entries(declared).flatMap(([field, { to }]) => (to === undefined ? [] : [{ field, to }]));
  const own = [...columns].filter(([key]) => Object.hasOwn(declared, key));
  return { name, columns: new Map(own), references, searched: [] };
}

export const conditionOfRule: ReadCondition = (subject, where, problems) => {
  const alone = {
    refused: 'leads to another record, which may change alone: a rule can name fields of its own record',
  };
  return readWhere(subject, parseJson(plainJson(where)), () => alone, problems);
};

/** For a declaration without problems. */
export function compileCondition(subject: Filterable, where: Plain, read: ReadCondition): RuleCondition {
  const problems: Problem[] = [];
  const compiled = read(subject, where, problems);
  const [problem] = problems;
  if (problem !== undefined) throw new Error(`the condition of a rule is wrong: ${problem.message}`);
  return { where: compiled, condition: plainJson(where) };
}
