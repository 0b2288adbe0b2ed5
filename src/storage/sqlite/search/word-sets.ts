/**
 * The records that words find, for conditions that a search examines row by row: under `any` and `not`, and in paths. They are found once, before the rows
 * are read, because each statement of a search would have to find them anew.
 */
import type { Database } from 'bun:sqlite';
import type { Order, Position } from '../../../domain/input/query.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { identifier } from '../../../domain/sql-text.ts';
import type { Where } from '../../../domain/where/where.ts';
import { condition } from '../../query-sql.ts';
import { dialect } from '../statements/collection-sql.ts';
import { matchOf, wordsTable } from '../statements/words-sql.ts';

export type WordSet = {
  /** The name of a temporary table. */
  readonly name: string;
  readonly collection: string;
  readonly match: string;
};

/** Between two pauses: about a millisecond of work. */
const idsAtOnce = 2000;

/** A condition without the keyword `where`, whose words are in sets. */
export function conditionWithSets(collection: Collection, where: Where, sort: readonly Order[] = [], after?: Position) {
  const sets: WordSet[] = [];
  const inSets: typeof dialect = {
    ...dialect,
    words({ collection: of, table, fields, lookups }) {
      const name = `words:${sets.length}`;
      sets.push({ name, collection: of, match: matchOf(fields, lookups) });
      return `${table}.seq in temp.${identifier(name)}`;
    },
  };
  const { sql, parameters } = condition(inSets, collection, where, sort, after);
  return { sql: sql.replace(/^where /, ''), parameters, sets };
}

/** Makes the sets, runs the search, and drops them. */
export function* withWordSets<Yielded, Found>(
  db: Database,
  sets: readonly WordSet[],
  search: () => Generator<Yielded, Found>,
): Generator<Yielded | undefined, Found> {
  if (sets.length === 0) return yield* search();
  try {
    for (const set of sets) yield* fill(db, set);
    return yield* search();
  } finally {
    for (const { name } of sets) db.run(`drop table if exists temp.${identifier(name)}`);
  }
}

function* fill(db: Database, { name, collection, match }: WordSet): Generator<undefined, void> {
  const [set, words] = [`temp.${identifier(name)}`, wordsTable(collection)];
  db.run(`create table ${set} (seq integer primary key)`);
  using add = db.prepare(`insert into ${set} select value from json_each(?)`);
  using find = db.prepare<{ rowid: number }, [string]>(`select rowid from ${words} where ${words} match ?`);
  let ids: number[] = [];
  for (const { rowid } of find.iterate(match)) {
    if (ids.push(rowid) < idsAtOnce) continue;
    add.run(`[${ids.join()}]`);
    ids = [];
    yield;
  }
  add.run(`[${ids.join()}]`);
}
