/** A connection to SQLite under which a commit is a promise. */
import { constants, Database } from 'bun:sqlite';
import { requireOwn } from './schema.ts';

/** A database of this process alone, in memory, that several threads can open by its name. */
export function memoryName(): string {
  return `file:/${crypto.randomUUID()}?vfs=memdb`;
}

const { SQLITE_OPEN_READWRITE, SQLITE_OPEN_CREATE, SQLITE_OPEN_URI } = constants;

/**
 * A statement that may answer with a client's integer must ask for `safeIntegers`, or it is rounded. With `delete` for a
 * journal a commit is in the file itself when it returns, and not in a log beside it; nobody else may have it open then.
 */
export function connect(filename: string, journal: 'wal' | 'delete' = 'wal'): Database {
  // A file is named by its whole path, so only a database in memory has a URI for a name. No other is made here: a file
  // that was removed while it is served must not come back empty.
  const inMemory = filename.startsWith('file:');
  const db = new Database(
    filename,
    inMemory ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE,
  );
  try {
    // Another SQL client may hold the file for a moment.
    db.run('pragma busy_timeout = 5000');
    requireOwn(db, filename);
    db.run(`pragma journal_mode = ${journal}`);
    // A commit returns after the log is on the disk itself; on macOS that takes more than fsync.
    db.run('pragma synchronous = full');
    db.run('pragma fullfsync = on');
    // The log of a very large transaction gives its room back.
    db.run('pragma journal_size_limit = 67108864');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
