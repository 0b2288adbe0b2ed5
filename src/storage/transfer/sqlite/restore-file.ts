/** Replaces a SQLite database with a backup of it, which is checked first. */
import { constants, type Database } from 'bun:sqlite';
import { closeSync, existsSync, mkdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StartError } from '../../../domain/errors.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { isDamage } from '../../sqlite/errors.ts';
import { copyMark, putMark } from '../../sqlite/file/copy-mark.ts';
import { openDatabase } from '../../sqlite/file/database.ts';
import { lock } from '../../sqlite/file/lock.ts';
import { storedDeclarationsIn } from '../../sqlite/schema/evolution.ts';
import { integrityOf } from '../../sqlite/schema/integrity.ts';
import { requireInert, requireOwnSchema } from '../../sqlite/schema/own-schema.ts';
import { runMigrations } from '../../sqlite/schema/run-migrations.ts';
import { isEmpty, requireOwn } from '../../sqlite/schema/schema.ts';
import { WrongDeclarations } from '../../stored-declarations.ts';
import { eventLoopYield } from '../event-loop-yield.ts';
import { createFile } from '../folder/whole-files.ts';
import { countIn } from './sqlite-contents.ts';
import { requireFileNumbers } from './sqlite-numbers.ts';
import { swapIn } from './swap-file.ts';

export type RestoreOptions = {
  readonly declared: readonly Collection[];
  /** Called with the records that are copied, as far as the size of the file tells, and with their number. */
  readonly onCopied: (records: number, of: number) => void;
  readonly onCheck: () => void;
  /** Stops it: the database stays as it was. */
  readonly signal: AbortSignal;
};

export type Restored = {
  readonly records: number;
  readonly collections: number;
  /** The file that the database from before is in; undefined if there was none. */
  readonly kept: string | undefined;
};

/** The next start finds a copy, and begins a new epoch. */
export async function restoreFile(from: string, path: string, options: RestoreOptions): Promise<Restored> {
  requireBackup(from, path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const real = existsSync(path) ? realpathSync(path) : path;
  const held = lock(real);
  if (held === 'taken') throw new StartError(`${path} is in use by a Shelf server: stop it first, and retry.`);
  const partial = join(dirname(real), `.${basename(real)}.partial`);
  try {
    removeAll(partial);
    await copyFile(from, partial, recordsIn(from, options.declared), options);
    options.onCheck();
    const counts = check(partial, from, options.declared);
    options.signal.throwIfAborted();
    const at = new Date().toISOString().replaceAll(/[:.]/g, '-');
    return { ...counts, kept: swapIn(partial, real, `${real}.before-${at}`) };
  } finally {
    removeAll(partial);
    held.release();
  }
}

function removeAll(partial: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(partial + end, { force: true });
}

/** Throws a StartError unless the file is a whole database at rest. */
function requireBackup(from: string, path: string): void {
  const found = statSync(from, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.size === 0)
    throw new StartError(`${from} does not exist, or is empty: name a file of shelf backup.`);
  if (existsSync(path) && realpathSync(from) === realpathSync(path))
    throw new StartError(`${from} is the database itself: name a file of shelf backup.`);
  const isOpen = existsSync(`${from}-lock`) && isTaken(realpathSync(from));
  const log = statSync(`${from}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (isOpen || log > 0)
    throw new StartError(
      `${from} is a database in use, not a backup: copy it with shelf backup, and restore the copy.`,
    );
}

function isTaken(path: string): boolean {
  const held = lock(path);
  if (held === 'taken') return true;
  held.release();
  return false;
}

/** For the progress: a backup that cannot be read is refused later. What it must not have is refused before it is copied. */
function recordsIn(from: string, declared: readonly Collection[]): number {
  try {
    // Without `immutable`, SQLite may create files beside the backup.
    const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
    using db = openDatabase(`${pathToFileURL(resolve(from))}?immutable=1`, flags);
    requireOwn(db, from);
    requireInert(db, from);
    return countAll(db, declared).records;
  } catch (error) {
    if (error instanceof StartError && !(error instanceof WrongDeclarations)) throw error;
    return 0;
  }
}

const chunkBytes = 1024 * 1024;

async function copyFile(
  from: string,
  to: string,
  records: number,
  { onCopied, signal }: RestoreOptions,
): Promise<void> {
  closeSync(createFile(to));
  const [source, target] = [await open(from, 'r'), await open(to, 'r+')];
  try {
    const { size } = await source.stat();
    const chunk = new Uint8Array(chunkBytes);
    const yieldToEvents = eventLoopYield();
    for (let at = 0; at < size; ) {
      signal.throwIfAborted();
      const { bytesRead } = await source.read(chunk, 0, chunkBytes, at);
      if (bytesRead === 0) break;
      for (let done = 0; done < bytesRead; )
        done += (await target.write(chunk, done, bytesRead - done, at + done)).bytesWritten;
      at += bytesRead;
      onCopied(Math.round((at / size) * records), records);
      await yieldToEvents();
    }
  } finally {
    await source.close();
    await target.close();
  }
}

/** Checks the copy, not the backup: what was checked is what is served. */
function check(copy: string, from: string, declared: readonly Collection[]): { records: number; collections: number } {
  try {
    using db = openDatabase(copy);
    requireOwn(db, from);
    if (isEmpty(db)) throw new StartError(`${from} has no tables: name a file of shelf backup.`);
    requireInert(db, from);
    const [wrong, ...more] = integrityOf(db);
    if (wrong !== undefined) throw notSound(from, `${wrong}${more.length === 0 ? '' : `, and ${more.length} more`}`);
    requireOwnWhenMigrated(db, from);
    const counts = countAll(db, declared);
    requireFileNumbers(db, from, Object.keys(storedDeclarationsIn(db, declared)));
    putMark(db, copyMark);
    return counts;
  } catch (error) {
    if (error instanceof WrongDeclarations) throw notSound(from, error.mistake);
    if (!isDamage(error)) throw error;
    throw notSound(from, (error as Error).message);
  }
}

/** The next start migrates the file: what it would find is compared, and nothing stays. */
function requireOwnWhenMigrated(db: Database, from: string): void {
  db.run('begin');
  try {
    runMigrations(db, from);
    requireOwnSchema(db, from);
  } finally {
    // After some errors SQLite has rolled back.
    if (db.inTransaction) db.run('rollback');
  }
}

function countAll(db: Database, declared: readonly Collection[]) {
  const names = Object.keys(storedDeclarationsIn(db, declared));
  return { records: names.reduce((sum, name) => sum + countIn(db, name), 0), collections: names.length };
}

function notSound(from: string, reason: string): StartError {
  return new StartError(`${from} is not sound (${reason}): nothing was changed. Restore another backup.`);
}
