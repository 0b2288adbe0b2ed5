/** A summary on the searching thread: its rows are read in slices, and added up here. */
import type { Database } from 'bun:sqlite';
import type { Collection } from '../../../domain/record/collection.ts';
import type { FieldDeclaration } from '../../../domain/record/declaration.ts';
import { type Identifier, identifier } from '../../../domain/sql-text.ts';
import { answerOf, type Finish, type SummaryFormat } from '../../../domain/summary/answer.ts';
import { groupField } from '../../../domain/summary/columns.ts';
import { type GroupBy, type Summary, talliesOf } from '../../../domain/summary/summary.ts';
import { compileField } from '../../../domain/types/all-types.ts';
import { columnOf } from '../../query-sql.ts';
import { wholeWalk } from './plan.ts';
import { inSlices, type Slice, type Value, type Walk } from './slices.ts';
import { Tallies } from './tallies.ts';
import type { WordSet } from './word-sets.ts';

/** A message to the thread. */
export type SummarySearch = {
  /** The statement up to the condition: the values of the groups, then of the tallied fields. */
  readonly select: string;
  /** Empty for all rows. */
  readonly where: string;
  readonly parameters: readonly Value[];
  readonly walk: Walk;
  readonly sets: readonly WordSet[];
  readonly finish: Finish;
  /** Of the fields that the summary is about. */
  readonly declared: Readonly<Record<string, FieldDeclaration>>;
};

export type SummaryText = { readonly text: string };

export function summarySearch(collection: Collection, summary: Summary, format: SummaryFormat): SummarySearch {
  const { groups, measures, having, sort, limit } = summary;
  const keys = [...groups, ...talliesOf(summary)].map(({ key }) => key);
  return {
    select: `select ${selectedOf(collection, summary).join(', ')} from ${identifier(collection.name)}`,
    ...wholeWalk(collection, summary.where),
    finish: { groups, measures, having, sort, limit, format },
    declared: Object.fromEntries(keys.map((key) => [key, columnOf(collection, key).field.declared])),
  };
}

function selectedOf(collection: Collection, summary: Summary): readonly string[] {
  const groups = summary.groups.map((group) => groupSql(collection, group));
  const fields = talliesOf(summary).map((tallied) => groupSql(collection, tallied));
  // A statement selects something.
  return [...groups, ...fields, ...(groups.length + fields.length === 0 ? ['1'] : [])].map(
    (one, at) => `${one} as _${at}`,
  );
}

/** A column, or a part of it. */
function groupSql(collection: Collection, { key, part = '' }: Pick<GroupBy, 'key' | 'part'>): string {
  const { field } = columnOf(collection, key);
  const name: Identifier = columnOf(collection, key).name;
  const found = field.parts?.[part];
  return found === undefined ? name : found.sqlite.select(name);
}

/** Each `next` takes some milliseconds; the connection must be in a transaction. Throws `invalid_query` beyond the bounds of a summary. */
export function* summaryIn(db: Database, search: SummarySearch): Generator<unknown, SummaryText> {
  const { select, where, parameters, walk, finish, declared } = search;
  const fields = new Map(Object.entries(declared).map(([key, one]) => [key, compileField(one)]));
  const fieldOf = (key: string) => {
    const field = fields.get(key);
    if (field === undefined) throw new Error(`the summary has no field ${key}`);
    return field;
  };
  const tallies = new Tallies(
    finish.groups.map((group) => groupField(group, fieldOf)),
    talliesOf(finish).map((tallied) => ({ ...tallied, field: fieldOf(tallied.key) })),
  );
  function look({ range, bounds }: Slice): boolean {
    const condition = [...range, ...(where === '' ? [] : [where])].join(' and ');
    const sql = `${select} ${condition && `where ${condition}`}`;
    using statement = db.prepare<Record<string, Value>, Value[]>(sql).safeIntegers(true);
    // One at a time: texts can be large.
    for (const row of statement.iterate(...parameters, ...bounds)) tallies.add(Object.values(row));
    return false;
  }
  yield* inSlices(db, walk, parameters.length, look);
  const text = yield* answerOf(tallies.groups(), finish, fieldOf);
  return { text };
}
