/** Searches in one snapshot of the file. */
import type { Database } from 'bun:sqlite';
import { lastChangeIn } from '../statements/collection-sql.ts';

/** The search reads a snapshot that is kept for later ones. The first one begins it. */
export type InSnapshot = { readonly number: number; readonly isFirst: boolean };

/** `lastChange` is the last change that the snapshot includes. */
export function* inSnapshot<Found>(
  db: Database,
  slices: Generator<unknown, Found>,
): Generator<unknown, Found & { readonly lastChange: number }> {
  db.run('begin');
  try {
    const found = yield* slices;
    return { ...found, lastChange: lastChangeIn(db) };
  } finally {
    // After some errors SQLite has rolled back by itself. A second rollback would fail, and hide the error.
    if (db.inTransaction) db.run('rollback');
  }
}

/** Snapshots that several searches read, each on a connection of its own. */
export class KeptSnapshots {
  readonly #open = new Map<number, Database>();

  constructor(readonly connect: () => Database) {}

  *search<Found>(
    { number, isFirst }: InSnapshot,
    slicesOf: (db: Database) => Generator<unknown, Found>,
  ): Generator<unknown, Found & { readonly lastChange: number }> {
    if (isFirst) this.#begin(number);
    const db = this.#open.get(number);
    // After a restart of the thread: another snapshot would not be the same moment.
    if (db === undefined) throw new Error('the snapshot is gone');
    const found = yield* slicesOf(db);
    return { ...found, lastChange: lastChangeIn(db) };
  }

  release(number: number): void {
    const db = this.#open.get(number);
    this.#open.delete(number);
    db?.close(true);
  }

  close(): void {
    for (const number of [...this.#open.keys()]) this.release(number);
  }

  #begin(number: number): void {
    const db = this.connect();
    this.#open.set(number, db);
    db.run('begin');
  }
}
