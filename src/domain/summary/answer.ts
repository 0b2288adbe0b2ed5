/** The answer of a summary, from the groups of an engine: filtered, sorted, cut and encoded, in portions of a few milliseconds. */
import { writeCell } from '../../exact/csv-cell.ts';
import type { FieldValue, SqliteValue } from '../types/type.ts';
import { compareStored, matcher } from '../where/match.ts';
import { requireFewRows } from './bounds.ts';
import { columnsOf, type FieldOf, filterable } from './columns.ts';
import { measuring } from './measured.ts';
import { type Group, maxRows, type Summary, type SummaryColumn } from './summary.ts';

export type SummaryFormat = 'application/json' | 'text/csv';
/** What is left of a summary once an engine has its groups. */
export type Finish = Pick<Summary, 'groups' | 'measures' | 'having' | 'sort' | 'limit'> & {
  readonly format: SummaryFormat;
};

const portion = 1000;

/** `keys` are what it is sorted by. */
type Row = { readonly values: readonly FieldValue[]; readonly keys: readonly (SqliteValue | null)[] };

/** Throws `invalid_query` if there are too many groups for an answer, or a sum is no number of JSON. */
export function* answerOf(groups: Iterable<Group>, finish: Finish, fieldOf: FieldOf): Generator<void, string> {
  const columns = columnsOf(finish, fieldOf);
  const valuesOf = measuring(finish, fieldOf);
  const matches = matching(columns, finish);
  const { keysOf, compare } = ordering(columns, finish);
  const { limit = maxRows } = finish;
  let rows: Row[] = [];
  let count = 0;
  for (const some of inPortions(groups)) {
    const found = some.map(valuesOf).filter(matches);
    count += found.length;
    const more = found.map((values) => ({ values, keys: keysOf(values) })).sort(compare);
    rows = merged(rows, more, compare, limit);
    yield;
  }
  if (finish.limit === undefined) requireFewRows(count);
  const { head, write, tail } = finish.format === 'text/csv' ? csvRows(columns) : jsonRows(columns, count);
  const parts = [head];
  for (const some of inPortions(rows)) {
    for (const { values } of some) parts.push(write(values, parts.length === 1));
    yield;
  }
  return `${parts.join('')}${tail}`;
}

function* inPortions<One>(all: Iterable<One>): Generator<readonly One[], void> {
  let some: One[] = [];
  for (const one of all) {
    if (some.push(one) < portion) continue;
    yield some;
    some = [];
  }
  yield some;
}

function matching(columns: readonly SummaryColumn[], { having }: Finish): (values: readonly FieldValue[]) => boolean {
  if (having.length === 0) return () => true;
  const matches = matcher(filterable(columns), having);
  return (values) => matches(Object.fromEntries(columns.map(({ name }, at) => [name, values[at] ?? null])));
}

/** By what was asked for, then by the groups, so that no two rows are equal. Nulls come last in both directions. */
function ordering(columns: readonly SummaryColumn[], { groups, sort }: Finish) {
  const orders = [...sort, ...groups.map(({ name }) => ({ field: name, descending: false }))];
  const sorted = orders.map(({ field: wanted, descending }) => {
    const at = columns.findIndex(({ name }) => name === wanted);
    return { at, descending, field: columns[at]?.field };
  });
  const keysOf = (values: readonly FieldValue[]) =>
    sorted.map(({ at, field }) => {
      const value = values[at] ?? null;
      return value === null || field === undefined ? null : field.sqlite.bind(value);
    });
  function compare({ keys: one }: Row, { keys: other }: Row): number {
    for (const [index, { descending }] of sorted.entries()) {
      const [left, right] = [one[index] ?? null, other[index] ?? null];
      if (left === null || right === null) {
        if (left !== right) return left === null ? 1 : -1;
        continue;
      }
      const order = compareStored(left, right);
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  }
  return { keysOf, compare };
}

/** The first `limit` rows of two sorted lists. */
function merged(
  some: readonly Row[],
  others: readonly Row[],
  compare: (one: Row, other: Row) => number,
  limit: number,
) {
  const rows: Row[] = [];
  let [at, otherAt] = [0, 0];
  while (rows.length < limit) {
    const [one, other] = [some[at], others[otherAt]];
    const isNext = one !== undefined && (other === undefined || compare(one, other) <= 0);
    const next = isNext ? one : other;
    if (next === undefined) break;
    rows.push(next);
    if (isNext) at++;
    else otherAt++;
  }
  return rows;
}

type Rows = {
  readonly head: string;
  readonly write: (values: readonly FieldValue[], isFirst: boolean) => string;
  readonly tail: string;
};

function jsonRows(columns: readonly SummaryColumn[], count: number): Rows {
  const members = columns.map(({ name, field }) => ({ lead: `"${name}":`, encode: field.encode }));
  const write = (values: readonly FieldValue[], isFirst: boolean) => {
    const texts = members.map(({ lead, encode }, at) => {
      const value = values[at] ?? null;
      return lead + (value === null ? 'null' : encode(value));
    });
    return `${isFirst ? '' : ','}{${texts.join()}}`;
  };
  return { head: '{"data":[', write, tail: `],"groups":${count}}` };
}

function csvRows(columns: readonly SummaryColumn[]): Rows {
  const write = (values: readonly FieldValue[]) => `${values.map((value) => writeCell(value)).join()}\r\n`;
  return { head: `${columns.map(({ name }) => name).join()}\r\n`, write, tail: '' };
}
