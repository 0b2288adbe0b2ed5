/** A search in one snapshot of the file. */
import type { Database } from 'bun:sqlite';
import { lastChangeIn } from '../statements/collection-sql.ts';

/** `lastChange` is the last change that the snapshot includes. */
export function* inSnapshot<Found>(
  db: Database,
  slices: Generator<undefined, Found>,
): Generator<undefined, Found & { readonly lastChange: number }> {
  db.run('begin');
  try {
    const found = yield* slices;
    return { ...found, lastChange: lastChangeIn(db) };
  } finally {
    // After some errors SQLite has rolled back by itself. A second rollback would fail, and hide the error.
    if (db.inTransaction) db.run('rollback');
  }
}
