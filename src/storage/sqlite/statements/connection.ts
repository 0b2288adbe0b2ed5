/** A connection to SQLite whose commits are durable. */
import { constants, type Database } from 'bun:sqlite';
import { openDatabase } from '../file/database.ts';
import { requireOwn } from '../schema/schema.ts';

/** The name of a new in-memory database; all threads of this process can open it by that name. */
export function memoryName(): string {
  return `file:/${crypto.randomUUID()}?vfs=memdb`;
}

/** A larger WAL, as after a very large transaction, is truncated to this when it restarts. */
export const walBytes = 64 * 1024 * 1024;

const { SQLITE_OPEN_READWRITE, SQLITE_OPEN_CREATE, SQLITE_OPEN_URI } = constants;

/**
 * A statement that can return a client's integer must set `safeIntegers`, or large values are rounded. With the journal
 * `delete`, a commit is in the database file itself when it returns, not in the WAL; this requires that no other
 * connection has the file open.
 */
export function connect(filename: string, journal: 'wal' | 'delete' = 'wal'): Database {
  // Files have absolute paths, so only an in-memory database has a URI. A file is never created here: one that was
  // removed while it is served must not come back empty.
  const inMemory = filename.startsWith('file:');
  const db = openDatabase(
    filename,
    inMemory ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE,
  );
  try {
    // Another SQL client may hold the file for a moment.
    db.run('pragma busy_timeout = 5000');
    requireOwn(db, filename);
    db.run(`pragma journal_mode = ${journal}`);
    // A commit returns when the WAL is on the disk itself; on macOS fsync alone does not ensure that.
    db.run('pragma synchronous = full');
    db.run('pragma fullfsync = on');
    db.run(`pragma journal_size_limit = ${walBytes}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
