/** Runs SQLite's own checks of a file. */
import type { Database } from 'bun:sqlite';
import { isDamage } from '../errors.ts';

/** Returns one line per problem. Works for a database of any version. */
export function integrityOf(db: Database): string[] {
  try {
    using check = db.prepare<{ integrity_check: string }, []>('pragma integrity_check(100)');
    const lines = check.all().map(({ integrity_check: line }) => line);
    if (lines.join() !== 'ok') return lines.map((line) => `the file is damaged: ${line.replaceAll('\n', ' ')}`);
    using keys = db.prepare<{ table: string; rowid: number; parent: string }, []>('pragma foreign_key_check');
    const lost = keys.all().map(({ table, rowid, parent }) => `${table} ${rowid} refers to a record of ${parent}`);
    return lost.map((line) => `${line} that does not exist`);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [`the file is damaged: ${(error as Error).message}`];
  }
}
