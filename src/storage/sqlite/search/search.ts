/**
 * A search in slices. SQLite cannot be interrupted from here in the middle of a statement, so what may take long is read in
 * statements of a few milliseconds each, over ranges of keys that follow each other in one snapshot.
 */
import type { Database } from 'bun:sqlite';

export type Value = string | number | bigint;
export type Row = readonly Value[];

/** Which ranges a search is divided into. */
export type Walk = {
  /** A table, with the index to use or not to use. */
  readonly from: string;
  /** Columns that tell any two rows apart, and by which an index is sorted. */
  readonly keys: readonly string[];
  readonly descending: boolean;
  /** What is left out of the walk, as a condition over the index; empty for nothing. */
  readonly base: string;
  readonly baseParameters: readonly Value[];
  /** How much of the order of the answer is that of the walk: all of it, or the first key. */
  readonly order: 'whole' | 'first key' | 'none';
};

export type Search = {
  /** Up to the condition. */
  readonly select: string;
  /** Empty for all rows. */
  readonly where: string;
  readonly parameters: readonly Value[];
  /** Undefined where the one row is a number, of which the sum is meant. */
  readonly order: string | undefined;
  /** The same as the places of columns in a row. */
  readonly sort: readonly { readonly column: string; readonly at: number; readonly descending: boolean }[];
  readonly limit: number;
  /** Rows of so many together are enough, but one at least. */
  readonly bytes: number;
  /** Undefined where one statement is short whatever is in the table. */
  readonly walk: Walk | undefined;
};

/** `more` where there were others that would have been too much. */
export type Rows = { readonly rows: readonly Row[]; readonly more: boolean };

/** How long a slice should take, and of how many rows the first is. */
const sliceMs = { least: 2, most: 8 };
const firstRows = 1000;

/** Each `next` is one slice; the connection must be in a transaction. */
export function* searchIn(db: Database, search: Search): Generator<undefined, Rows> {
  const { walk, order } = search;
  if (walk === undefined) return cut(search, read(db, search, [], []));
  let found: Rows = { rows: order === undefined ? [[0n]] : [], more: false };
  let last: Row | undefined;
  for (let rows = firstRows; ; ) {
    const begun = performance.now();
    const end = rowAhead(db, walk, last, rows);
    const [range, bounds] = between(walk, search.parameters.length, last, end);
    const slice = read(db, search, [...range, ...better(search, found, bounds)], bounds);
    found = order === undefined ? { rows: [[sum(found.rows, slice)]], more: false } : merged(search, found, slice);
    if (end === undefined || isEnough(search, walk, found, end)) return found;
    last = end;
    const ms = performance.now() - begun;
    if (ms < sliceMs.least) rows *= 2;
    else if (ms > sliceMs.most) rows = Math.max(Math.floor(rows / 2), 1);
    yield undefined;
  }
}

/** The keys of the row so many ahead; undefined where there are fewer. */
function rowAhead(db: Database, walk: Walk, last: Row | undefined, rows: number): Row | undefined {
  const { from, keys, base, baseParameters, descending } = walk;
  const [range, bounds] = between(walk, baseParameters.length, last, undefined);
  const where = [...(base === '' ? [] : [base]), ...range].join(' and ');
  const order = keys.map((key) => (descending ? `${key} desc` : key)).join(', ');
  const sql = `select ${keys.join(', ')} from ${from} ${where && `where ${where}`} order by ${order} limit 1 offset ${rows - 1}`;
  using statement = db.prepare(sql).safeIntegers(true);
  return statement.values(...baseParameters, ...bounds)[0] as Row | undefined;
}

/** Conditions on the keys, with parameters that follow on so many. */
function between(
  { keys, descending }: Walk,
  parameters: number,
  after: Row | undefined,
  upTo: Row | undefined,
): [conditions: string[], bounds: Value[]] {
  const bounds: Value[] = [];
  const row = (values: Row) => `(${values.map((value) => `?${parameters + bounds.push(value)}`).join(', ')})`;
  const conditions: string[] = [];
  const names = `(${keys.join(', ')})`;
  if (after !== undefined) conditions.push(`${names} ${descending ? '<' : '>'} ${row(after)}`);
  if (upTo !== undefined) conditions.push(`${names} ${descending ? '>=' : '<='} ${row(upTo)}`);
  return [conditions, bounds];
}

/** Once there are enough, a row that is no better by its first column than the last of them is not looked at. */
function better({ sort, limit, parameters }: Search, { rows, more }: Rows, bounds: Value[]): string[] {
  const [first] = sort;
  const last = rows.at(-1);
  if (first === undefined || last === undefined || (rows.length < limit && !more)) return [];
  const parameter = `?${parameters.length + bounds.push(last[first.at] ?? 0)}`;
  return [`${first.column} ${first.descending ? '>=' : '<='} ${parameter}`];
}

/** Not much more than is wanted, where they are large. */
function read(db: Database, search: Search, range: readonly string[], bounds: readonly Value[]): Row[] {
  const { select, where, parameters, order, limit } = search;
  const conditions = [...(where === '' ? [] : [where]), ...range].join(' and ');
  const end = order === undefined ? '' : `${order} limit ${limit}`;
  using statement = db
    .prepare<Record<string, Value>, Value[]>(`${select} ${conditions && `where ${conditions}`} ${end}`)
    .safeIntegers(true);
  const rows: Row[] = [];
  let bytes = 0;
  for (const found of statement.iterate(...parameters, ...bounds)) {
    const row = Object.values(found);
    rows.push(row);
    bytes += sizeOf(row);
    // One more than is wanted tells that there are more.
    if (bytes - sizeOf(row) > search.bytes) break;
  }
  return rows;
}

function sizeOf(row: Row): number {
  let bytes = 0;
  for (const value of row) bytes += typeof value === 'string' ? value.length : 8;
  return bytes;
}

/** The first of both, in order. */
function merged(search: Search, found: Rows, slice: Row[]): Rows {
  if (slice.length === 0) return found;
  const { rows, more } = cut(search, [...found.rows, ...slice].sort(ordering(search)).slice(0, search.limit));
  return { rows, more: more || found.more };
}

function cut({ bytes: most }: Search, rows: Row[]): Rows {
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    if (bytes > most) return { rows: rows.slice(0, index), more: true };
    bytes += sizeOf(row);
  }
  return { rows, more: false };
}

function sum(rows: readonly Row[], slice: Row[]): Value {
  return BigInt(rows[0]?.[0] ?? 0) + BigInt(slice[0]?.[0] ?? 0);
}

/** As many as were asked for, and none that lies ahead comes before the last of them. */
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
      const order = compare(one[at] ?? 0, other[at] ?? 0);
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  };
}

/** As SQLite has it: text by its bytes in UTF-8, and numbers of both kinds by their values. */
function compare(one: Value, other: Value): number {
  if (typeof one === 'string' && typeof other === 'string') {
    return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));
  }
  return one < other ? -1 : one > other ? 1 : 0;
}
