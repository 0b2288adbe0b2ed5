/** A connection to SQLite under which a commit is a promise. */
import { Database } from 'bun:sqlite';
import { requireOwn } from './schema.ts';

export function connect(filename: string): Database {
  const db = new Database(filename, { create: true, readwrite: true, strict: true, safeIntegers: true });
  try {
    // Another SQL client may hold the file for a moment.
    db.run('pragma busy_timeout = 5000');
    requireOwn(db, filename);
    db.run('pragma journal_mode = wal');
    // A commit returns after the log is on the disk itself; on macOS that takes more than fsync.
    db.run('pragma synchronous = full');
    db.run('pragma fullfsync = on');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
