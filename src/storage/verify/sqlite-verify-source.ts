/** A SQLite database that is verified, also while a server has it open. */
import type { Database } from 'bun:sqlite';
import type { Collection } from '../../domain/record/collection.ts';
import { integrityOf } from '../sqlite/schema/integrity.ts';
import { schemaProblems } from '../sqlite/schema/own-schema.ts';
import { dialect } from '../sqlite/statements/collection-sql.ts';
import { batched } from '../transfer/sqlite/sqlite-contents.ts';
import { askPair } from '../transfer/sqlite/sqlite-rows.ts';
import { openSqliteSource } from '../transfer/sqlite/sqlite-source.ts';
import type { LastChange } from './check-change.ts';
import { wordProblemsIn } from './sqlite-words.ts';
import type { VerifySource } from './verify.ts';

export async function openSqliteVerifySource(path: string, declared: readonly Collection[]): Promise<VerifySource> {
  const source = await openSqliteSource(path, declared, 'damaged');
  const { db } = source;
  return {
    ...source,
    integrity: async () => [...integrityOf(db), ...schemaProblems(db)],
    lastChanges: (of) => lastChangesIn(db, of),
    wordProblems: (of) => wordProblemsIn(db, of),
    ask: (query) => askPair(db, query),
    dialect,
    guarded: (use) => use(),
  };
}

type ChangeColumns = {
  readonly seq: number;
  readonly type: string;
  readonly record_seq: number;
  readonly version: number;
  readonly created_at: string;
  readonly at: string;
  readonly updated_at: string | null;
  readonly record: string;
  readonly before: string | null;
};

function* lastChangesIn(db: Database, { name }: Collection): Generator<readonly LastChange[]> {
  using last = db.prepare<{ seq: number }, [string]>(
    'select max(seq) as seq from changes where collection = ? group by record_seq order by record_seq',
  );
  using get = db.prepare<ChangeColumns, [number]>(
    'select seq, type, record_seq, version, created_at, at, updated_at, record, before from changes where seq = ?',
  );
  const changes = Iterator.from(last.iterate(name))
    .map(({ seq: recordId }) => get.get(recordId))
    .filter((row) => row !== null);
  yield* batched(changes, (row) => ({
    recordId: row.record_seq,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at ?? row.at,
    change: row.seq,
    type: row.type,
    json: row.record,
    before: row.before,
  }));
}
