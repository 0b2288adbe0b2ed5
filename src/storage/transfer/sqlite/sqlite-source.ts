/** Opens a SQLite file to read all of it. */
import type { Database } from 'bun:sqlite';
import { existsSync, realpathSync, rmSync, statSync } from 'node:fs';
import type { Collection } from '../../../domain/collection.ts';
import { StartError } from '../../../domain/errors.ts';
import { openDatabase } from '../../sqlite/file/database.ts';
import { arrivalOf, findFile } from '../../sqlite/file/lineage.ts';
import { type Held, lock } from '../../sqlite/file/lock.ts';
import { migrations } from '../../sqlite/schema/migrations.ts';
import { versionIn } from '../../sqlite/schema/run-migrations.ts';
import { requireOwn } from '../../sqlite/schema/schema.ts';
import type { SourceDatabase } from '../contents.ts';
import { requireVersion } from '../require-version.ts';
import { sqliteContents } from './sqlite-contents.ts';

/** `exclusive`: no server may have the file open, and none can start until the source is closed. */
export async function openSqliteSource(
  path: string,
  declared: readonly Collection[],
  exclusive: boolean,
): Promise<SourceDatabase> {
  requireSomething(path);
  if (!exclusive) return openSqliteReading(path, declared).source;
  const held = keepServersOut(realpathSync(path), path);
  try {
    const { source } = openSqliteReading(path, declared);
    const close = async () => {
      held.release();
      await source.close();
    };
    return { ...source, close };
  } catch (error) {
    held.release();
    throw error;
  }
}

/** The connection, and what it reads, in one transaction. With `damaged`, also of a file of which only a part can be read. */
export function openSqliteReading(
  path: string,
  declared: readonly Collection[],
  damaged?: 'damaged',
): { readonly db: Database; readonly source: SourceDatabase } {
  requireSomething(path);
  const real = realpathSync(path);
  const db = openDatabase(real, { readonly: true });
  try {
    db.run('pragma busy_timeout = 5000');
    requireOwn(db, path);
    requireVersion(versionIn(db), migrations.length, path);
    db.run('begin');
    const close = async () => {
      db.close();
      removeEmptyLog(real);
    };
    return { db, source: { ...sqliteContents(db, declared, damaged), close } };
  } catch (error) {
    db.close();
    throw error;
  }
}

function requireSomething(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw new StartError(`The database ${path} does not exist, or is empty: correct the path.`);
}

/** To read, SQLite creates files beside the database, and leaves them. A server that runs needs them. */
function removeEmptyLog(path: string): void {
  if (!existsSync(`${path}-lock`)) return;
  const held = lock(path);
  if (held === 'taken') return;
  if (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size === 0)
    for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
  held.release();
}

/** Takes the lock of a server. Throws a StartError if one has it, or if the file is a copy. */
export function keepServersOut(real: string, path: string): Held {
  const held = lock(real);
  if (held === 'taken') throw new StartError(`${path} is in use by a Shelf server: stop it first, and retry.`);
  try {
    // The numbers of a copy may belong to the database that it was copied from. A start gives it others.
    if (arrivalOf(findFile(real), held.note, path) === 'copy')
      throw new StartError(
        `${path} is a copy that was never started: run shelf migrate on it first, so that it gives out no number twice.`,
      );
    return held;
  } catch (error) {
    held.release();
    throw error;
  }
}
