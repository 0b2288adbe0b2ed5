/** Opens a SQLite file to read all of it. */
import type { Database } from 'bun:sqlite';
import { existsSync, realpathSync, rmSync, statSync } from 'node:fs';
import { StartError } from '../../../domain/errors.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { arrivalOf, findFile } from '../../sqlite/file/copy-mark.ts';
import { openDatabase } from '../../sqlite/file/database.ts';
import { type Held, lock } from '../../sqlite/file/lock.ts';
import { migrations } from '../../sqlite/schema/migrations.ts';
import { versionIn } from '../../sqlite/schema/run-migrations.ts';
import { requireOwn } from '../../sqlite/schema/schema.ts';
import type { SourceDatabase } from '../contents.ts';
import { requireVersion } from '../require-version.ts';
import { sqliteContents } from './sqlite-contents.ts';

/** `db` is the connection that the contents are read with, in one transaction. */
export type SqliteSource = SourceDatabase & { readonly db: Database };

/**
 * `exclusive`: no server may have the file open, and none can start until the source is closed. `damaged`: also a file of which only a part
 * can be read.
 */
export async function openSqliteSource(
  path: string,
  declared: readonly Collection[],
  access: 'shared' | 'exclusive' | 'damaged',
): Promise<SqliteSource> {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw new StartError(`The database ${path} does not exist, or is empty: correct the path.`);
  const real = realpathSync(path);
  const held = access === 'exclusive' ? keepServersOut(real, path) : undefined;
  try {
    const db = openDatabase(real, { readonly: true });
    const close = async () => {
      held?.release();
      db.close();
      removeEmptyLog(real);
    };
    try {
      db.run('pragma busy_timeout = 5000');
      requireOwn(db, path);
      requireVersion(versionIn(db), migrations.length, path);
      db.run('begin');
      return { ...sqliteContents(db, declared, access === 'damaged' ? 'damaged' : undefined), db, close };
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    held?.release();
    throw error;
  }
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
