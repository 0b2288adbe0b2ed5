/** Opens a SQLite file to read all of it. */
import { Database } from 'bun:sqlite';
import { realpathSync, rmSync, statSync } from 'node:fs';
import type { Collection } from '../../domain/collection.ts';
import { StartError } from '../../domain/errors.ts';
import { arrivalOf, findFile } from '../sqlite/file/lineage.ts';
import { lock } from '../sqlite/file/lock.ts';
import { migrations } from '../sqlite/migrations.ts';
import { requireOwn, versionIn } from '../sqlite/schema.ts';
import type { Source } from './contents.ts';
import { requireVersion } from './require-version.ts';
import { sqliteContents } from './sqlite-contents.ts';

/** `exclusive`: no server may have the file open, and none can start until the source is closed. */
export async function openSqliteSource(
  path: string,
  declared: readonly Collection[],
  exclusive: boolean,
): Promise<Source> {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw new StartError(`The database ${path} does not exist, or is empty: correct the path.`);
  const real = realpathSync(path);
  const release = exclusive ? keepServersOut(real, path) : () => {};
  try {
    const db = new Database(real, { readonly: true });
    try {
      db.run('pragma busy_timeout = 5000');
      requireOwn(db, path);
      requireVersion(versionIn(db), migrations.length, path);
      db.run('begin');
      const contents = sqliteContents(db, declared);
      const close = async () => {
        db.close(true);
        if (exclusive) removeEmptyLog(real);
        release();
      };
      return { ...contents, close };
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    release();
    throw error;
  }
}

/** To read, SQLite creates files beside the database, and leaves them. The lock is held. */
function removeEmptyLog(path: string): void {
  if (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size !== 0) return;
  for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
}

/** Returns what lets them in again. */
function keepServersOut(real: string, path: string): () => void {
  const held = lock(real);
  if (held === 'taken') throw new StartError(`${path} is in use by a Shelf server: stop it first, and retry.`);
  try {
    // The numbers of a copy may belong to the database that it was copied from. A start gives it others.
    if (arrivalOf(findFile(real), held.note, path) === 'copy')
      throw new StartError(
        `${path} is a copy that was never started: run shelf migrate on it first, so that it gives out no number twice.`,
      );
    return held.release;
  } catch (error) {
    held.release();
    throw error;
  }
}
