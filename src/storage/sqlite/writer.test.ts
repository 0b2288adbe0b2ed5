/** Batches on a database in memory, under a clock that the test sets. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { items } from '../../collections/items.ts';
import { openClock } from './clock.ts';
import { migrate } from './schema.ts';
import { appendLine, onceLine, trimLine } from './write-line.ts';
import { openWriter } from './writer.ts';

const hour = 3_600_000;

function newDatabase(): Database {
  const db = new Database(':memory:');
  migrate(db, [items], 'memory');
  return db;
}

function writerAt(db: Database, time: { now: number }) {
  return openWriter(
    db,
    [items],
    openClock(db, () => time.now),
  );
}

const add = (id: number) => appendLine(0, `{"id":${id},"name":"n","price":1}`);
const times = (db: Database) =>
  db
    .prepare<{ at: string }, []>('select at from changes order by seq')
    .all()
    .map(({ at }) => Date.parse(at));

test('a change made under a clock that was set back is no older than the one before, also after a restart', () => {
  const db = newDatabase();
  const time = { now: 100 * hour };
  writerAt(db, time).apply([add(1)]);
  time.now = 10 * hour;
  writerAt(db, time).apply([add(2)]);
  time.now = 101 * hour;
  writerAt(db, time).apply([add(3)]);
  expect(times(db)).toEqual([100 * hour, 100 * hour, 101 * hour]);
});

test('trimming stops at the first change that is young enough, whatever stands behind it', () => {
  const db = newDatabase();
  const time = { now: 10 * hour };
  const writer = writerAt(db, time);
  writer.apply([add(1)]);
  time.now = 100 * hour;
  writer.apply([add(2), add(3)]);
  // As versions before 0.5.0 wrote it, when the clock had been set back.
  db.run("update changes set at = '1970-01-01T05:00:00.000Z' where seq = 3");
  expect(writer.apply([trimLine(2 * hour)]).outcomes).toEqual([{ trimmed: 1 }]);
  expect(times(db)).toEqual([100 * hour, 5 * hour]);
});

test('an idempotency key counts for as long as was asked for, by the clock of the changes', () => {
  const db = newDatabase();
  const time = { now: 10 * hour };
  const writer = writerAt(db, time);
  const once = onceLine(0, { key: 'k', digest: 'd', keptMs: hour }, '{"id":1,"name":"n","price":1}');
  expect(writer.apply([once]).outcomes).toEqual([1]);
  time.now += hour;
  expect(writer.apply([once]).outcomes).toEqual([expect.objectContaining({ repeated: 1 })]);
  time.now += 1;
  expect(writer.apply([once]).outcomes).toEqual([2]);
});
