/** One server per database file. */
import { Database } from 'bun:sqlite';
import { StartError } from '../domain/errors.ts';

/**
 * Holds an exclusive lock on an empty database beside the data, so that the data itself stays open to any SQL client.
 * The operating system drops the lock with the process, however it ends; the file stays, because deleting it would let
 * two servers lock two different files of the same name.
 */
export function lock(path: string): { release(): void } {
  const db = new Database(`${path}-lock`);
  try {
    db.run('begin exclusive');
  } catch (error) {
    db.close();
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
    throw new StartError(`${path} is in use by another Shelf server: stop that one, or choose another --database.`);
  }
  return { release: () => db.close() };
}
