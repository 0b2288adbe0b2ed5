/** What the check of a plan reads from a database, and how it shows what it finds. */
import type { Violation } from '../declarations/step.ts';
import type { Column } from '../domain/record/record.ts';
import type { UniqueRule } from '../domain/record/unique-rules.ts';
import type { Identifier } from '../domain/sql-text.ts';
import type { Field, FieldValue } from '../domain/types/type.ts';
import type { Filterable } from '../domain/where/where.ts';

/** The number of a record in decimal digits, and values of its fields. */
export type Numbered = readonly [recordId: string, values: readonly FieldValue[]];

/** Records that break a rule together: the numbers of the first and the last of them, and their values. */
export type Equal = readonly [first: string, last: string, values: readonly FieldValue[]];

/** Reads one moment of a database, with its tables and columns as they are. */
export type PlanReader = {
  /** The numbers of the first records, of those that have no value in the column if there is one. */
  first(table: Identifier, without: Identifier | undefined, limit: number): Promise<readonly string[]>;
  /** How many records there are: with a value in the column, if there is one. */
  count(table: Identifier, having: Identifier | undefined): Promise<number>;
  /** The values of all records in some columns, in the order of the records, some at a time. */
  rows(table: Identifier, columns: readonly Column[]): AsyncIterable<readonly Numbered[]>;
  /** Records of a table, with the names and types that its columns have, that break a rule together. */
  equal(table: Filterable, rule: UniqueRule, limit: number): Promise<readonly Equal[]>;
  /** Those of these numbers that records have. */
  present(table: Identifier, recordIds: readonly string[]): Promise<ReadonlySet<string>>;
};

/** The records of one check that are shown. */
export const most = 5;
/** The characters of a value that are shown. */
const longest = 60;

/** `path` is that of the field, or that of the rule; `place` is what the last line says instead of it. */
export function bounded(path: string, lines: readonly Omit<Violation, 'path'>[], place = path): Violation[] {
  const all = lines.map((line) => ({ path, ...line }));
  return all.length > most ? [...all.slice(0, most), { path, recordIds: [], text: `${place}: there are more` }] : all;
}

export function shown(field: Field | undefined, value: FieldValue): string {
  const text = value === null || field === undefined ? 'null' : field.encode(value);
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}...` : text;
}
