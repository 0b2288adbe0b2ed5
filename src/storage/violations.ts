/** Why a collection cannot follow its declaration: the first record that does not fit. The same in both engines. */
import { StartError } from '../domain/errors.ts';
import type { Identifier } from '../domain/sql-text.ts';

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

export function uniqueViolation(field: string, first: number | string, second: number | string): StartError {
  return new StartError(
    `${field} cannot be unique: records ${first} and ${second} have the same value. Change one of them first.`,
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

/** Finds two records with the same value. Columns: their numbers. */
export const equalValues = (table: Identifier, column: Identifier) => `
  select min(seq) as first, max(seq) as last from ${table} where ${column} is not null
  group by ${column} having count(*) > 1 order by 1 limit 1`;

/** Finds a record that refers to nothing. Columns: its number, and the value. */
export const lostReference = (table: Identifier, column: Identifier, target: Identifier) => `
  select seq, ${column} as value from ${table} as _one where ${column} is not null
  and not exists (select 1 from ${target} where seq = _one.${column}) order by seq limit 1`;
