/** A SQLite file that an export is merged into. */
import type { Database } from 'bun:sqlite';
import { realpathSync, statSync } from 'node:fs';
import { StartError } from '../../../domain/errors.ts';
import { farJump } from '../../../domain/feed/feed-history.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import type { Stored } from '../../../domain/record/record.ts';
import { beginEpoch, lastNumberIn } from '../../sqlite/file/epoch.ts';
import type { Held } from '../../sqlite/file/lock.ts';
import { openReader } from '../../sqlite/reads/reader.ts';
import { migrations } from '../../sqlite/schema/migrations.ts';
import { requireOwnSchema } from '../../sqlite/schema/own-schema.ts';
import { versionIn } from '../../sqlite/schema/run-migrations.ts';
import { dialect } from '../../sqlite/statements/collection-sql.ts';
import { connect } from '../../sqlite/statements/connection.ts';
import { openClock } from '../../sqlite/writer/clock.ts';
import type { AskPair } from '../constraints.ts';
import type { Outline } from '../contents.ts';
import type { Merge } from '../merge.ts';
import { requireVersion } from '../require-version.ts';
import { sqliteContents } from './sqlite-contents.ts';
import { askPair, insertRows } from './sqlite-rows.ts';
import { keepServersOut } from './sqlite-source.ts';

export async function openSqliteMerge(path: string, declared: readonly Collection[]): Promise<Merge> {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw new StartError(`The database ${path} does not exist, or is empty: leave out --merge, or correct the path.`);
  const real = realpathSync(path);
  const held = keepServersOut(real, path);
  try {
    const db = connect(real);
    try {
      requireVersion(versionIn(db), migrations.length, path);
      db.run('begin immediate');
      requireOwnSchema(db, path);
      return new SqliteMerge(db, held, sqliteContents(db, declared).outline);
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    held.release();
    throw error;
  }
}

class SqliteMerge implements Merge {
  readonly #now: string;
  #isOpen = true;

  constructor(
    readonly db: Database,
    readonly held: Held,
    readonly outline: Outline,
  ) {
    this.#now = openClock(db)();
  }

  async existing(of: Collection, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const reader = openReader(this.db, of);
    try {
      const found = ids.flatMap((id) => reader.get(id) ?? []);
      return new Map(found.map((stored) => [stored.recordId, of.record.encode(stored)]));
    } finally {
      reader.close();
    }
  }

  /** A backup that is restored later must not give out the numbers of this epoch again: the note beside the lock says so. */
  async beginEpoch(lost: number, additions: number): Promise<void> {
    const own = Math.max(lastNumberIn(this.db), lost);
    const { note } = this.held;
    if (note !== undefined) this.held.write({ ...note, lastNumber: undefined, reached: own + farJump + additions });
    beginEpoch(this.db, undefined, lost);
  }

  /** If one of them cannot be added, none is: they are added again one by one to find out which. */
  async insert(to: Collection, records: readonly Stored[]): Promise<void> {
    this.db.run('savepoint _insert');
    try {
      await this.#insert(to, records);
      this.db.run('release _insert');
    } catch (error) {
      // After some errors SQLite has rolled back.
      if (this.db.inTransaction) this.db.run('rollback to _insert');
      throw error;
    }
  }

  async #insert(to: Collection, records: readonly Stored[]): Promise<void> {
    await insertRows(this.db, to, [records]);
    using change = this.db.prepare(
      `insert into changes (collection, type, record_seq, version, created_at, at, updated_at, record)
       values (?, 'created', ?, ?, ?, ?, ?, ?)`,
    );
    for (const { recordId, version, createdAt, updatedAt, row } of records)
      change.run(to.name, recordId, version, createdAt, this.#now, updatedAt, to.encode(row));
  }

  readonly dialect = dialect;
  readonly ask: AskPair = (query) => askPair(this.db, query);

  async commit(): Promise<void> {
    const lastNumber = lastNumberIn(this.db);
    this.db.run('commit');
    this.#end();
    const { note } = this.held;
    if (note !== undefined) this.held.write({ ...note, lastNumber, reached: lastNumber });
  }

  async close(): Promise<void> {
    this.#end();
    this.held.release();
  }

  #end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.db.close(true);
  }
}
