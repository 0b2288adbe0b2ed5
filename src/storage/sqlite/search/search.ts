/** A search for rows, in slices. */
import type { Database, Statement } from 'bun:sqlite';
import { compareText } from '../../../exact/compare.ts';
import type { PreparedStatements } from '../statements/prepared-statements.ts';
import { inSlices, type Row, type Slice, type SliceRows, type Value, type Walk, walkSql } from './slices.ts';
import type { WordSet } from './word-sets.ts';

export type Search = {
  /** The statement up to the condition. */
  readonly select: string;
  /** Empty for all rows. */
  readonly where: string;
  readonly parameters: readonly Value[];
  /** The `order by` clause. Undefined for a count: each slice returns one number, and they are summed. */
  readonly order: string | undefined;
  /** The same order; `at` is the index of the column in a row. */
  readonly sort: readonly { readonly column: string; readonly at: number; readonly descending: boolean }[];
  readonly limit: number;
  /** Limit of all rows together; the row that crosses it is still returned. */
  readonly bytes: number;
  /** Undefined if a single statement is fast, whatever the table contains. */
  readonly walk: Walk | undefined;
  /** What the condition needs beforehand. */
  readonly sets: readonly WordSet[];
};

/** `more` is true if further rows were cut off because of `bytes`. */
export type Rows = { readonly rows: readonly Row[]; readonly more: boolean };

/** Each `next` runs one slice, and yields how many rows it has looked at so far; the connection must be in a transaction. */
export function* searchIn(db: Database, search: Search, rows?: SliceRows): Generator<number, Rows> {
  const { walk, order } = search;
  if (walk === undefined) return cut(search, read(db, search, [], []));
  let found: Rows = { rows: order === undefined ? [[0n]] : [], more: false };
  function look({ range, bounds, end }: Slice): boolean {
    const slice = read(db, search, [...range, ...pruning(search, found, bounds)], bounds);
    found = order === undefined ? { rows: [[sum(found.rows, slice)]], more: false } : merged(search, found, slice);
    return end !== undefined && walk !== undefined && isEnough(search, walk, found, end);
  }
  yield* inSlices(db, walk, search.parameters.length, look, rows);
  return found;
}

/** Once enough rows are found, skips rows that sort after the last of them by the first column. */
function pruning({ sort, limit, parameters }: Search, { rows, more }: Rows, bounds: Value[]): string[] {
  const [first] = sort;
  const last = rows.at(-1);
  const bound = first === undefined ? undefined : last?.[first.at];
  if (first === undefined || bound === undefined || (rows.length < limit && !more)) return [];
  // Nulls sort last, so every other row sorts before this one.
  if (bound === null) return [];
  const parameter = `?${parameters.length + bounds.push(bound)}`;
  return [`${first.column} ${first.descending ? '>=' : '<='} ${parameter}`];
}

/** Runs a search without a walk on a statement that stays prepared. */
export function searchAtOnce(statements: PreparedStatements, search: Search): Rows {
  return cut(search, rowsOf(statements.of(sqlOf(search, [])), search, []));
}

/** All rows of a search without a walk, without the limit in bytes: for a search that selects little. */
export function valuesAtOnce(statements: PreparedStatements, search: Search): Row[] {
  return statements.of(sqlOf(search, [])).values(...search.parameters) as Row[];
}

function read(db: Database, search: Search, range: readonly string[], bounds: readonly Value[]): Row[] {
  using statement = db.prepare<Record<string, Value>, Value[]>(sqlOf(search, range)).safeIntegers(true);
  return rowsOf(statement, search, bounds);
}

function sqlOf({ select, where, order, limit }: Search, range: readonly string[]): string {
  const conditions = [...range, ...(where === '' ? [] : [where])].join(' and ');
  return `${select} ${conditions && `where ${conditions}`} ${order === undefined ? '' : `${order} limit ${limit}`}`;
}

/** How SQLite finds the rows: the lines of its plan. With a walk, how it finds the rows to look at. */
export function planOf(db: Database, search: Search): string[] {
  const { walk } = search;
  if (walk === undefined) return planLines(db, sqlOf(search, []), search.parameters);
  return planLines(db, walkSql(walk), walk.baseParameters);
}

function planLines(db: Database, sql: string, parameters: readonly Value[]): string[] {
  using statement = db.prepare<{ detail: string }, Value[]>(`explain query plan ${sql}`);
  return statement.all(...parameters).map(({ detail }) => detail);
}

/** Stops soon after `bytes`, so that few large rows are read in vain. */
function rowsOf(statement: Statement<Record<string, Value>, Value[]>, search: Search, bounds: readonly Value[]): Row[] {
  const rows: Row[] = [];
  let bytes = 0;
  for (const found of statement.iterate(...search.parameters, ...bounds)) {
    const row = Object.values(found);
    rows.push(row);
    bytes += sizeOf(row);
    // One row beyond the limit is read, so that `cut` detects that there are more.
    if (bytes - sizeOf(row) > search.bytes) break;
  }
  return rows;
}

/** Approximately, in bytes. */
export function sizeOf(row: Row): number {
  let bytes = 0;
  for (const value of row) bytes += typeof value === 'string' ? value.length : 8;
  return bytes;
}

/** The first `limit` rows of both, in order. */
function merged(search: Search, found: Rows, slice: Row[]): Rows {
  if (slice.length === 0) return found;
  const { rows, more } = cut(search, [...found.rows, ...slice].sort(ordering(search)).slice(0, search.limit));
  return { rows, more: more || found.more };
}

function cut({ bytes: limit }: Search, rows: Row[]): Rows {
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    if (bytes > limit) return { rows: rows.slice(0, index), more: true };
    bytes += sizeOf(row);
  }
  return { rows, more: false };
}

function sum(rows: readonly Row[], slice: Row[]): Value {
  return BigInt(rows[0]?.[0] ?? 0) + BigInt(slice[0]?.[0] ?? 0);
}

/** True if the limit is reached and no row ahead sorts before the last row found. */
function isEnough({ sort, limit }: Search, { order, descending }: Walk, { rows, more }: Rows, end: Row): boolean {
  const last = rows.at(-1);
  const [first] = sort;
  if (order === 'none' || last === undefined || first === undefined || (rows.length < limit && !more)) return false;
  if (order === 'whole') return true;
  const ahead = compare(end[0] ?? 0, last[first.at] ?? 0);
  return descending ? ahead < 0 : ahead > 0;
}

function ordering({ sort }: Search): (one: Row, other: Row) => number {
  return (one, other) => {
    for (const { at, descending } of sort) {
      const [value, against] = [one[at] ?? null, other[at] ?? null];
      if (value === null || against === null) {
        // Last in both directions.
        if (value !== against) return value === null ? 1 : -1;
        continue;
      }
      const order = compare(value, against);
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  };
}

/** The order of SQLite: text by its UTF-8 bytes, integers and doubles by their values. */
function compare(one: NonNullable<Value>, other: NonNullable<Value>): number {
  if (typeof one === 'string' && typeof other === 'string') return compareText(one, other);
  return one < other ? -1 : one > other ? 1 : 0;
}
