import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { items } from '../../../collections/items.ts';
import { migrate } from '../schema/schema.ts';
import { inSnapshot } from './snapshot.ts';

function newDatabase(): Database {
  const db = new Database(':memory:');
  migrate(db, [items], 'memory');
  return db;
}

/** Stops between two slices. */
function* slices(end: () => void): Generator<undefined, object> {
  yield;
  end();
  return {};
}

test.each([
  ['has not rolled back', () => {}],
  ['has rolled back by itself', (db: Database) => db.run('rollback')],
])('a search fails with the error of SQLite if that %s, and its connection can be used again', (_, fail) => {
  const db = newDatabase();
  const search = inSnapshot(
    db,
    slices(() => {
      fail(db);
      throw new Error('disk I/O error');
    }),
  );
  search.next();
  expect(() => search.next()).toThrow('disk I/O error');
  const next = inSnapshot(
    db,
    slices(() => {}),
  );
  next.next();
  expect(next.next()).toEqual({ done: true, value: { lastChange: 0 } });
  expect(db.inTransaction).toBe(false);
});
