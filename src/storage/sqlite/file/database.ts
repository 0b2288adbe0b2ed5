/** Opens every SQLite file of this process. A file may come from elsewhere, so its schema is not trusted. */
import { Database, type DatabaseOptions } from 'bun:sqlite';

/**
 * With `trusted_schema` off, the schema of the file can use only functions without side effects, and no virtual table that
 * is not marked as harmless. The runtime turns on SQLite's defensive mode itself: no statement can write to `sqlite_schema`.
 */
export function openDatabase(filename: string, options?: number | DatabaseOptions): Database {
  const db = new Database(filename, options);
  db.run('pragma trusted_schema = off');
  return db;
}
