/** One server per database file. */
import { Database } from 'bun:sqlite';
import { StartError } from '../../domain/errors.ts';

/**
 * Holds an exclusive lock on an empty database beside the data, so that the data itself stays open to any SQL client.
 * The operating system drops the lock with the process, however it ends; the file stays, because deleting it would let
 * two servers lock two different files of the same name.
 */
export function lock(path: string): { release(): void } | 'taken' {
  const file = `${path}-lock`;
  const db = new Database(file);
  try {
    db.run('pragma journal_mode = memory');
    db.run('begin exclusive');
  } catch (error) {
    db.close();
    const { code, message } = error as { code?: string; message: string };
    if (code === 'SQLITE_BUSY') return 'taken';
    throw new StartError(
      `Cannot lock ${file} (${message}): it is an empty file of Shelf's own; delete it if it is anything else.`,
    );
  }
  return { release: () => db.close() };
}
