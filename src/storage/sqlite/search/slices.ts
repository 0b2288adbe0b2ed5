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

/**
 * Conditions on the keys with the values of their parameters. `end` is the last row of the slice; undefined at the end of the walk, and for a part of a slice
 * that others follow. SQLite uses the first of several conditions with which an index can begin, so these come before all others.
 */
export type Slice = { readonly range: readonly string[]; readonly bounds: Value[]; readonly end: Row | undefined };

/** The target duration of a slice in milliseconds. */
const sliceMs = { least: 2, most: 8 };
/** A slice has at most so many times the rows of the one before. */
const growth = 32;

/** Rows in the first slice, and in all slices together. */
export type SliceRows = { readonly first: number; readonly most: number };
const usualRows: SliceRows = { first: 1000, most: Number.POSITIVE_INFINITY };

/**
 * `look` reads a slice or a part of it, and returns true if it needs no further one. `parameters` is the number of its parameters before the bounds. Each `next`
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
    const bounded = between(walk, last, end);
    for (const [index, part] of bounded.entries()) {
      const bounds: Value[] = [];
      const range = conditionsOf(part, parameters, bounds);
      if (look({ range, bounds, end: index === bounded.length - 1 ? end : undefined })) return;
    }
    if (end === undefined) return;
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
    // A full slice does not end the search, even if no row follows: the bound on all rows is judged before the next slice.
    const end = ids.length < rows ? undefined : [ids.at(-1) ?? 0];
    if (look({ range, bounds: [`[${ids.join()}]`], end }) || end === undefined) return;
    examined += ids.length;
    rows = adapted(rows, performance.now() - start);
    yield examined;
  }
}

/** The keys of the row that is `rows` ahead; undefined if fewer rows are left. */
function rowAhead(db: Database, walk: Walk, last: Row | undefined, rows: number): Row | undefined {
  const bounds: Value[] = [];
  const ranges = between(walk, last, undefined).map((part) =>
    conditionsOf(part, walk.baseParameters.length, bounds).join(' and '),
  );
  const sql = `${walkSql(walk, ranges)} limit 1 offset ${rows - 1}`;
  using statement = db.prepare(sql).safeIntegers(true);
  return statement.values(...walk.baseParameters, ...bounds)[0] as Row | undefined;
}

/** The keys of all rows in the ranges, in order. Rows of several alternatives come once. */
export function walkSql(
  { from, keys, base, alternatives, descending }: Walk,
  ranges: readonly string[] = [''],
): string {
  const order = keys.map((key) => (descending ? `${key} desc` : key)).join(', ');
  const selects = (alternatives ?? ['']).flatMap((own) =>
    ranges.map((range) => {
      const where = [range, base, own].filter((one) => one !== '').join(' and ');
      return `select ${keys.join(', ')} from ${from} ${where && `where ${where}`}`;
    }),
  );
  return `${selects.join(alternatives === undefined ? ' union all ' : ' union ')} order by ${order}`;
}

type Bound = { readonly key: string; readonly operator: '=' | '<' | '>' | '<=' | '>='; readonly value: Value };

function conditionsOf(bounds: readonly Bound[], parameters: number, values: Value[]): string[] {
  return bounds.map(({ key, operator, value }) => `${key} ${operator} ?${parameters + values.push(value)}`);
}

/**
 * The rows of a walk after one row, up to another one, in parts that follow each other. In each part the index leads to the first row: of a comparison of
 * both keys at once, SQLite uses the first key alone, and would read all rows with the same value again for each slice.
 */
function between({ keys, descending }: Walk, after: Row | undefined, upTo: Row | undefined): readonly Bound[][] {
  const [key = 'seq', id] = keys;
  const [beyond, within] = descending ? (['<', '>='] as const) : (['>', '<='] as const);
  const bound = (name: string, operator: Bound['operator'], value: Value = null): Bound => ({
    key: name,
    operator,
    value,
  });
  const [start, startId] = after ?? [];
  const [end, endId] = upTo ?? [];
  if (id === undefined)
    return [
      [
        ...(after === undefined ? [] : [bound(key, beyond, start)]),
        ...(upTo === undefined ? [] : [bound(key, within, end)]),
      ],
    ];
  const strictly = descending ? '>' : '<';
  if (after === undefined)
    return upTo === undefined ? [[]] : [[bound(key, strictly, end)], [bound(key, '=', end), bound(id, within, endId)]];
  const first = [bound(key, '=', start), bound(id, beyond, startId)];
  if (upTo === undefined) return [first, [bound(key, beyond, start)]];
  if (start === end) return [[...first, bound(id, within, endId)]];
  return [
    first,
    [bound(key, beyond, start), bound(key, strictly, end)],
    [bound(key, '=', end), bound(id, within, endId)],
  ];
}
