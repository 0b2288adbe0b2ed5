/** Parses the definition of a table from its `create table` statement, which SQLite stores. */
import { types } from '../../../domain/types/all-types.ts';

/** `columns` includes the constraints of the table. `options` is the text after the columns. */
export type Definition = { readonly columns: readonly string[]; readonly options: string };

/** Quoted names and texts, words and numbers, and single characters. */
const tokensOf = (sql: string) => sql.match(/'(?:[^']|'')*'|"(?:[^"]|"")*"|[\w.]+|\S/g) ?? [];

/** The text with one space between all tokens. */
export const normalized = (sql: string) => tokensOf(sql).join(' ');

/**
 * Defaults are left out, because a column keeps the default that it was added with. The order of columns depends on the history
 * of the table too, because `alter table` adds a column at the end; `isSameTable` ignores it.
 */
export function definitionOf(sql: string): Definition {
  const columns: string[][] = [];
  const options: string[] = [];
  let depth = 0;
  for (const token of tokensOf(sql)) {
    if (token === ')') depth--;
    if (depth === 1 && token === ',') columns.push([]);
    else if (depth > 0) columns.at(-1)?.push(token);
    else if (columns.length > 0) options.push(token);
    if (token === '(' && depth++ === 0 && columns.length === 0) columns.push([]);
  }
  return { columns: columns.map((one) => one.join(' ').replace(ownDefault, '')), options: options.join(' ') };
}

/** At the end of a column, where Shelf writes it: null, a text, a number, or the moment. */
const constant = /null|'(?:[^']|'')*'|(?:- )?[\d.]+(?:e(?: [+-] )?\d*)?/;
const moments = Object.values(types).flatMap(({ clock }) =>
  clock === undefined ? [] : [RegExp.escape(normalized(clock.sqlite.preset))],
);
const ownDefault = new RegExp(` default (?:${[constant.source, ...moments].join('|')})$`);

export function isSameTable(one: Definition, other: Definition): boolean {
  return one.options === other.options && [...one.columns].sort().join() === [...other.columns].sort().join();
}

/** The name of a column without quotes, or the first word of a constraint. */
export function nameIn(column: string): string {
  return (tokensOf(column)[0] ?? '').replaceAll('"', '');
}
