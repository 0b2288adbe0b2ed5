/** Why a collection cannot follow its declaration: the first record that does not fit. The same in both engines. */
import { StartError } from '../domain/errors.ts';
import type { CheckRule } from '../domain/record/check-rules.ts';
import { among, listed, shortCondition } from '../domain/record/rule-text.ts';
import type { UniqueRule } from '../domain/record/unique-rules.ts';
import { type Identifier, identifier } from '../domain/sql-text.ts';
import type { Filterable } from '../domain/where/where.ts';
import { columnOf, type Expressions, predicate } from './query-sql.ts';

export function requiredViolation(field: string, recordId: number | string): StartError {
  return new StartError(`${field} cannot be required: record ${recordId} has no value. Give it one first.`);
}

/** For a field that is new. */
export function absentViolation(field: string, recordId: number | string): StartError {
  return new StartError(
    `${field} cannot be required: record ${recordId} has no value. Declare a default, or make it optional.`,
  );
}

export function valueViolation(field: string, recordId: number | string, refused: string): StartError {
  return new StartError(`${field} of record ${recordId} ${refused}: change the record first.`);
}

export function uniqueViolation(
  name: string,
  { fields, condition }: UniqueRule,
  first: number | string,
  second: number | string,
): StartError {
  const [isOne, isAlone] = [fields.length === 1, fields.length === 1 && condition === undefined];
  const what = isAlone ? `${name}.${fields[0]}` : `${name}: ${listed(fields)}`;
  return new StartError(
    `${what} cannot be unique${isOne ? '' : ' together'}${among(condition)}: records ${first} and ${second} have the same ${isOne ? 'value' : 'values'}. Change one of them first.`,
  );
}

export function checkViolation(name: string, { condition }: CheckRule, recordId: number | string): StartError {
  return new StartError(
    `${name} cannot require ${shortCondition(condition)}: record ${recordId} does not meet it. Change the record first.`,
  );
}

export function referenceViolation(
  field: string,
  to: string,
  recordId: number | string,
  value: number | string,
): StartError {
  return new StartError(
    `${field} cannot refer to ${to}: record ${recordId} has ${value}, and ${to} has no such record. Change the record first.`,
  );
}

/** Finds two records that break a rule. Columns: their numbers. */
export function equalValues(dialect: Expressions, collection: Filterable, rule: UniqueRule): string {
  return `
    select min(seq) as first, max(seq) as last from ${identifier(collection.name)} ${equalGroups(dialect, collection, rule)}
    having count(*) > 1 order by 1 limit 1`;
}

/** Finds the first record that breaks a rule. A comparison with null is null in SQL. */
export function brokenCheck(dialect: Expressions, collection: Filterable, { where }: CheckRule): string {
  const table = identifier(collection.name);
  const holds = predicate(dialect, collection, where, (field) => `${table}.${columnOf(collection, field).name}`);
  return `
    select seq from ${table} where (${holds}) is not true order by seq limit 1`;
}

/** The records that a rule is for, by the values in which no two of them are the same. */
export function equalGroups(dialect: Expressions, collection: Filterable, { fields, where = [] }: UniqueRule): string {
  const columns: Identifier[] = fields.map((field) => columnOf(collection, field).name);
  const isSet = columns.map((column) => `${column} is not null`);
  return `where ${isSet.join(' and ')} and ${predicate(dialect, collection, where)} group by ${columns.join(', ')}`;
}

/** Finds a record that refers to nothing. Columns: its number, and the value. */
export const lostReference = (table: Identifier, column: Identifier, target: Identifier) => `
  select seq, ${column} as value from ${table} as _one where ${column} is not null
  and not exists (select 1 from ${target} where seq = _one.${column}) order by seq limit 1`;
