/**
 * Divides a search into slices. A running SQLite statement cannot be interrupted from JavaScript, so a long search is a series of
 * statements of a few milliseconds each, over consecutive key ranges in one snapshot.
 */
import type { Database } from 'bun:sqlite';

export type Value = string | number | bigint | null;
export type Row = readonly Value[];

/** How a search is divided into key ranges. */
export type Walk = {
  /** The table, with an optional index hint. */
  readonly from: string;
  /** Columns that identify a row, in the order of an index. */
  readonly keys: readonly string[];
  readonly descending: boolean;
  /** A condition on the index that limits the walk; empty for none. */
  readonly base: string;
  readonly baseParameters: readonly Value[];
  /** Conditions of which a row meets at least one, each on an index in the order of the keys; absent for all rows. */
  readonly alternatives?: readonly string[];
  /** How far the order of the walk is the order of the result: fully, by the first key, or not at all. */
  readonly order: 'whole' | 'first key' | 'none';
  /**
   * The fields whose words are looked up, in a table of words. One statement finds the ids of all rows and stays open, because it can take long to
   * begin.
   */
  readonly words?: readonly string[];
};

/** Conditions on the keys with the values of their parameters, and the last row; undefined at the end of the walk. */
export type Slice = { readonly range: readonly string[]; readonly bounds: Value[]; readonly end: Row | undefined };

/** The target duration of a slice in milliseconds. */
const sliceMs = { least: 2, most: 8 };
/** A slice has at most so many times the rows of the one before. */
const growth = 32;

/** Rows in the first slice, and in all slices together. */
export type SliceRows = { readonly first: number; readonly most: number };
const usualRows: SliceRows = { first: 1000, most: Number.POSITIVE_INFINITY };

/**
 * `look` reads a slice, and returns true if it needs no further one. `parameters` is the number of its parameters before the bounds. Each `next`
 * runs one slice, and yields how many rows were looked at so far.
 */
export function* inSlices(
  db: Database,
  walk: Walk,
  parameters: number,
  look: (slice: Slice) => boolean,
  limits = usualRows,
): Generator<number, void> {
  const { first, most } = limits;
  if (walk.words !== undefined) return yield* byWords(db, walk, parameters, look, limits);
  let last: Row | undefined;
  let examined = 0;
  for (let rows = first; ; rows = Math.min(rows, most - examined)) {
    const start = performance.now();
    const end = rowAhead(db, walk, last, rows);
    const [range, bounds] = between(walk, parameters, last, end);
    if (look({ range, bounds, end }) || end === undefined) return;
    last = end;
    examined += rows;
    rows = adapted(rows, performance.now() - start);
    yield examined;
  }
}

/** The rows of the next slice. */
function adapted(rows: number, ms: number): number {
  if (ms < sliceMs.least) return rows * Math.min(growth, Math.max(2, Math.floor(sliceMs.least / ms)));
  return ms > sliceMs.most ? Math.max(Math.floor(rows / 2), 1) : rows;
}

function* byWords(
  db: Database,
  { from, base, baseParameters, descending }: Walk,
  parameters: number,
  look: (slice: Slice) => boolean,
  { first, most }: SliceRows,
): Generator<number, void> {
  const order = descending ? 'rowid desc' : 'rowid';
  using statement = db.prepare<{ rowid: number }, Value[]>(`select rowid from ${from} where ${base} order by ${order}`);
  const found = statement.iterate(...baseParameters);
  let next = found.next();
  let examined = 0;
  for (let rows = first; ; rows = Math.min(rows, most - examined)) {
    const start = performance.now();
    const ids: number[] = [];
    for (; ids.length < rows && !next.done; next = found.next()) ids.push(next.value.rowid);
    const range = [`seq in (select value from json_each(?${parameters + 1}))`];
    const end = next.done ? undefined : [ids.at(-1) ?? 0];
    if (look({ range, bounds: [`[${ids.join()}]`], end }) || end === undefined) return;
    examined += ids.length;
    rows = adapted(rows, performance.now() - start);
    yield examined;
  }
}

/** The keys of the row that is `rows` ahead; undefined if fewer rows are left. */
function rowAhead(db: Database, walk: Walk, last: Row | undefined, rows: number): Row | undefined {
  const [range, bounds] = between(walk, walk.baseParameters.length, last, undefined);
  const sql = `${walkSql(walk, range)} limit 1 offset ${rows - 1}`;
  using statement = db.prepare(sql).safeIntegers(true);
  return statement.values(...walk.baseParameters, ...bounds)[0] as Row | undefined;
}

/** The keys of all rows in the range, in order. Rows of several alternatives come once. */
export function walkSql({ from, keys, base, alternatives = [''], descending }: Walk, range: readonly string[]): string {
  const order = keys.map((key) => (descending ? `${key} desc` : key)).join(', ');
  const selects = alternatives.map((own) => {
    const where = [...(base === '' ? [] : [base]), ...(own === '' ? [] : [own]), ...range].join(' and ');
    return `select ${keys.join(', ')} from ${from} ${where && `where ${where}`}`;
  });
  return `${selects.join(' union ')} order by ${order}`;
}

/** Conditions on the keys. `parameters` is the number of parameters before the bounds. */
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
