/** The contents of a SQLite database, read in one transaction. */
import type { Database } from 'bun:sqlite';
import { type Collection, collection as compile } from '../../../domain/collection.ts';
import type { Stored } from '../../../domain/record.ts';
import { identifier } from '../../../domain/sql-text.ts';
import { type ApiKeyRow, apiKeyColumns } from '../../rows/api-key.ts';
import { type ChangeRow, changeColumns } from '../../rows/change.ts';
import { type IdempotencyKeyRow, idempotencyKeyColumns } from '../../rows/idempotency-key.ts';
import { gapsIn, settingIn } from '../../sqlite/file/epoch.ts';
import { storedDeclarationsIn } from '../../sqlite/schema/evolution.ts';
import { lastChangeIn, readStatements } from '../../sqlite/sql.ts';
import { type Columns, unbinder } from '../../sqlite/values.ts';
import { batchBounds, type Contents, type Outline } from '../contents.ts';

/**
 * `db` is inside a transaction. `declared` are the collections of the configuration file: early releases stored no declarations. With
 * `damaged`, a table that cannot be counted has 0 rows: the other ones can still be read.
 */
export function sqliteContents(db: Database, declared: readonly Collection[], damaged?: 'damaged'): Contents {
  return {
    outline: outlineOf(db, declared, damaged !== undefined),
    records: (of) => recordsIn(db, of),
    changes: () => rowsIn<ChangeRow>(db, changesStatement, (row) => Object.values(row) as ChangeRow),
    apiKeys: () =>
      rowsIn<ApiKeyRow>(
        db,
        `select ${apiKeyColumns.join(', ')} from api_keys order by id`,
        (row) => row as unknown as ApiKeyRow,
      ),
    idempotencyKeys: () => rowsIn<IdempotencyKeyRow>(db, keysStatement, (row) => row as unknown as IdempotencyKeyRow),
  };
}

const changesStatement = `select ${changeColumns.join(', ')} from changes order by seq`;
const keysStatement = `select ${idempotencyKeyColumns.join(', ')} from idempotency_keys order by collection, key`;

function outlineOf(db: Database, declared: readonly Collection[], isTolerant: boolean): Outline {
  const declarations = storedDeclarationsIn(db, declared);
  const counted = (table: string) => {
    using count = db.prepare<{ count: number }, []>(`select count(*) as count from ${identifier(table)}`);
    try {
      return count.get()?.count ?? 0;
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

function* recordsIn(db: Database, collection: Collection): Generator<readonly Stored[]> {
  using select = db
    .prepare<Columns & MetaColumns, []>(`${readStatements(collection).select} order by seq`)
    .safeIntegers(true);
  const unbind = unbinder(collection.fields);
  yield* batched(select.iterate(), ({ seq, version, created_at, updated_at, ...row }) => ({
    seq: Number(seq),
    version: Number(version),
    createdAt: created_at,
    updatedAt: updated_at,
    row: unbind(row),
  }));
}

function* rowsIn<Row>(db: Database, statement: string, rowOf: (row: Columns) => Row): Generator<readonly Row[]> {
  using select = db.prepare<Columns, []>(statement);
  yield* batched(select.iterate(), rowOf);
}

function* batched<From extends Columns, Row>(
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
