/** The contents of a SQLite database, read in one transaction. */
import type { Database } from 'bun:sqlite';
import { type Collection, collection as compile } from '../../../domain/record/collection.ts';
import type { Stored } from '../../../domain/record/record.ts';
import { identifier } from '../../../domain/sql-text.ts';
import { gapsIn, settingIn } from '../../sqlite/file/epoch.ts';
import { storedDeclarationsIn } from '../../sqlite/schema/evolution.ts';
import { lastChangeIn, readStatements } from '../../sqlite/statements/collection-sql.ts';
import { type Columns, unbinder } from '../../sqlite/statements/values.ts';
import { batchBounds, type DatabaseContents, type Outline, type OwnTable, type TableRow } from '../contents.ts';

/**
 * `db` is inside a transaction. `declared` are the collections of the configuration file: early releases stored no declarations. With
 * `damaged`, a table that cannot be counted has 0 rows: the other ones can still be read.
 */
export function sqliteContents(db: Database, declared: readonly Collection[], damaged?: 'damaged'): DatabaseContents {
  return {
    outline: outlineOf(db, declared, damaged !== undefined),
    records: (of, after) => recordsIn(db, of, after),
    rows: (of) => rowsIn(db, of),
  };
}

export function countIn(db: Database, table: string): number {
  using count = db.prepare<{ count: number }, []>(`select count(*) as count from ${identifier(table)}`);
  return count.get()?.count ?? 0;
}

function outlineOf(db: Database, declared: readonly Collection[], isTolerant: boolean): Outline {
  const declarations = storedDeclarationsIn(db, declared);
  const counted = (table: string) => {
    try {
      return countIn(db, table);
    } catch (error) {
      if (isTolerant) return 0;
      throw error;
    }
  };
  using last = db.prepare<{ seq: number }, [string]>('select seq from sqlite_sequence where name = ?');
  return {
    declarations,
    parts: Object.entries(declarations).map(([name, { now }]) => ({
      collection: compile(name, now),
      records: counted(name),
      last: last.get(name)?.seq ?? 0,
    })),
    changes: { kept: counted('changes'), last: lastChangeIn(db) },
    trimmed: Number(settingIn(db, 'trimmed') ?? 0),
    gaps: gapsIn(db),
    secret: settingIn(db, 'secret') ?? '',
  };
}

type MetaColumns = { seq: bigint; version: bigint; created_at: string; updated_at: string };

function* recordsIn(db: Database, collection: Collection, after = 0): Generator<readonly Stored[]> {
  using select = db
    .prepare<Columns & MetaColumns, [number]>(`${readStatements(collection).select} where seq > ? order by seq`)
    .safeIntegers(true);
  const unbind = unbinder(collection.fields);
  yield* batched(select.iterate(after), ({ seq: recordId, version, created_at, updated_at, ...row }) => ({
    recordId: Number(recordId),
    version: Number(version),
    createdAt: created_at,
    updatedAt: updated_at,
    row: unbind(row),
  }));
}

function* rowsIn(db: Database, { name, columns, key }: OwnTable): Generator<readonly TableRow[]> {
  const listed = (names: readonly string[]) => names.map(identifier).join(', ');
  using select = db.prepare<Columns, []>(`select ${listed(columns)} from ${identifier(name)} order by ${listed(key)}`);
  yield* batched(select.iterate(), (row) => Object.values(row) as TableRow);
}

/** Batches within `batchBounds`. */
export function* batched<From extends Columns, Row>(
  rows: Iterable<From>,
  rowOf: (row: From) => Row,
): Generator<readonly Row[]> {
  let batch: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    for (const key in row) {
      const value = row[key];
      if (typeof value === 'string') characters += value.length;
    }
    batch.push(rowOf(row));
    if (batch.length < batchBounds.rows && characters < batchBounds.characters) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
