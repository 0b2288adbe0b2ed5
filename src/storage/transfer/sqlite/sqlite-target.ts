/** Fills a new SQLite file beside its final name, and renames it when it is complete. */
import type { Database } from 'bun:sqlite';
import { closeSync, existsSync, mkdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { StartError } from '../../../domain/errors.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import type { Stored } from '../../../domain/record/record.ts';
import { findFile, newMark, putMark } from '../../sqlite/file/copy-mark.ts';
import { openDatabase } from '../../sqlite/file/database.ts';
import { lastNumberIn, lineageIn } from '../../sqlite/file/epoch.ts';
import { type Held, lock } from '../../sqlite/file/lock.ts';
import { migrations } from '../../sqlite/schema/migrations.ts';
import { versionIn } from '../../sqlite/schema/run-migrations.ts';
import { isEmpty, migrate, requireOwn } from '../../sqlite/schema/schema.ts';
import { createIndexes, createTable, dialect } from '../../sqlite/statements/collection-sql.ts';
import { createWords } from '../../sqlite/statements/words-sql.ts';
import { requireConstraints } from '../constraints.ts';
import { type Batches, type Contents, type Outline, type OwnTable, settingsOf, type TableRow } from '../contents.ts';
import { createFile, sync, takeAfter } from '../folder/whole-files.ts';
import { requireVersion } from '../require-version.ts';
import { requireEmpty, type TargetDatabase, type TargetOptions } from '../target-database.ts';
import { sqliteContents } from './sqlite-contents.ts';
import { askPair, insertInto, insertRows } from './sqlite-rows.ts';

export type SqliteTargetOptions = TargetOptions & {
  /** Collections of the configuration file. */
  readonly declared: readonly Collection[];
};

/** Holds the lock of the server until it is closed. Throws a StartError if the file is in use, or not empty. */
export async function openSqliteTarget(path: string, options: SqliteTargetOptions): Promise<TargetDatabase> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const real = existsSync(path) ? realpathSync(path) : path;
  const held = lock(real);
  if (held === 'taken') throw new StartError(`${path} is in use by another Shelf server: stop that one first.`);
  try {
    const before = await existingIn(real, options);
    return new SqliteTarget(real, held, options.declared, before.apiKeys, before.reached);
  } catch (error) {
    held.release();
    throw error;
  }
}

type Existing = { readonly apiKeys: readonly TableRow[]; readonly reached: number };

/** What an import keeps of a database that is there. */
async function existingIn(path: string, options: SqliteTargetOptions): Promise<Existing> {
  const none = { apiKeys: [], reached: 0 };
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return none;
  // Not read only: the last connection that is closed empties the write-ahead log of a server that was killed.
  using db = openDatabase(path, { readwrite: true, create: false });
  db.run('pragma busy_timeout = 5000');
  requireOwn(db, path);
  if (isEmpty(db)) return none;
  requireVersion(versionIn(db), migrations.length, path);
  const apiKeys = await requireEmpty(sqliteContents(db, options.declared), path, options);
  return { apiKeys, reached: lastNumberIn(db) };
}

class SqliteTarget implements TargetDatabase {
  readonly #partial: string;
  readonly #db: Database;
  readonly #mark = newMark();
  #lineage = '';
  #isOpen = true;

  constructor(
    readonly path: string,
    readonly held: Held,
    readonly declared: readonly Collection[],
    readonly apiKeys: readonly TableRow[],
    readonly reached: number,
  ) {
    // One name: the lock is held, so a file of that name is left over from a run that was killed.
    this.#partial = join(dirname(path), `.${basename(path)}.partial`);
    this.#removePartial();
    closeSync(createFile(this.#partial));
    this.#db = openDatabase(this.#partial);
    // Nothing is read before the file is complete and synced, so no step has to be undone or to survive a power cut.
    this.#db.run('pragma journal_mode = off');
    this.#db.run('pragma synchronous = off');
    this.#db.run('pragma locking_mode = exclusive');
    this.#db.run('begin');
  }

  async create({ parts }: Outline): Promise<void> {
    migrate(this.#db, [], this.path);
    for (const { collection } of parts)
      for (const one of [...createTable(collection).slice(0, 1), ...createWords(collection)]) this.#db.run(one);
  }

  async addRecords(to: Collection, batches: Batches<Stored>): Promise<void> {
    await insertRows(this.#db, to, batches);
  }

  async addRows({ name, columns }: OwnTable, batches: Batches<TableRow>): Promise<void> {
    await insertInto(this.#db, name, columns, batches, (row, values) => values.push(...row));
  }

  async complete(outline: Outline): Promise<void> {
    const { parts, changes } = outline;
    const collections = parts.map(({ collection }) => collection);
    await requireConstraints(collections, { ask: (query) => askPair(this.#db, query), dialect });
    for (const collection of collections) {
      for (const one of [...createTable(collection).slice(1), ...createIndexes(collection)]) this.#db.run(one);
    }
    this.#db.run('delete from sqlite_sequence');
    const numbers = new Map(parts.map(({ collection, last }) => [collection.name, last])).set('changes', changes.last);
    for (const [name, last] of numbers) {
      if (last !== 0) this.#db.run('insert into sqlite_sequence values (?, ?)', [name, last]);
    }
    for (const row of settingsOf(outline)) this.#db.run('insert or replace into settings values (?, ?)', [...row]);
    this.#lineage = lineageIn(this.#db);
    putMark(this.#db, this.#mark);
    this.#db.run('commit');
    this.#end();
  }

  async read<Result>(use: (contents: Contents) => Promise<Result>): Promise<Result> {
    using db = openDatabase(this.#partial, { readonly: true });
    return await use(sqliteContents(db, this.declared));
  }

  /** The note beside the lock makes the first start find the file as the last run left it: no new epoch begins. */
  async publish(): Promise<void> {
    takeAfter(this.#partial, this.path);
    sync(this.#partial);
    const { inode, born } = findFile(this.#partial);
    using db = openDatabase(this.#partial, { readonly: true });
    const lastNumber = lastNumberIn(db);
    const marks = existsSync(this.path) ? [findFile(this.path).mark, this.#mark] : [this.#mark];
    const note = { marks, opening: false, lineage: this.#lineage, lastNumber, reached: lastNumber, inode, born };
    this.held.write(note);
    renameSync(this.#partial, this.path);
    for (const end of ['-wal', '-shm']) rmSync(this.path + end, { force: true });
    sync(dirname(this.path));
  }

  async close(): Promise<void> {
    this.#end();
    this.#removePartial();
    this.held.release();
  }

  #end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#db.close(true);
  }

  #removePartial(): void {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(this.#partial + end, { force: true });
  }
}
