/** Batches on an in-memory database, with a clock that the test sets. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { create, update } from '../../../../test/support/data/writes.ts';
import { items } from '../../../collections/items.ts';
import { collection } from '../../../domain/record/collection.ts';
import type { Spooled } from '../../bulk/spool.ts';
import { migrate } from '../schema/schema.ts';
import { connect } from '../statements/connection.ts';
import { openClock } from './clock.ts';
import type { BulkClashed } from './thread/outcome.ts';
import type { Write } from './thread/write-message.ts';
import { openWriter } from './writer.ts';

const folder = temporaryFolder();
const hour = 3_600_000;

function newDatabase(): Database {
  const db = new Database(':memory:');
  migrate(db, [items], 'memory');
  return db;
}

function openFile(name: string): Database {
  const path = join(folder, name);
  writeFileSync(path, '');
  const db = connect(path);
  db.transaction(() => migrate(db, [items], path)).immediate();
  return db;
}

function writerAt(db: Database, time: { now: number }) {
  return openWriter(db, [items], { clock: openClock(db, () => time.now) });
}

const add = (id: number) => create(0, `{"id":${id},"name":"n","price":1}`);
const times = (db: Database) =>
  db
    .prepare<{ at: string }, []>('select at from changes order by seq')
    .all()
    .map(({ at }) => Date.parse(at));

test('the outcome of each record in a batch is the number under which it is stored', () => {
  const db = newDatabase();
  const { outcomes } = writerAt(db, { now: hour }).apply([add(7), add(8), add(9)]);
  expect(outcomes).toEqual([1, 2, 3]);
  expect(db.prepare('select seq, id from items order by seq').values()).toEqual([
    [1, 7],
    [2, 8],
    [3, 9],
  ]);
});

test('a record that SQLite refuses takes none of those inserted with it along, and leaves nothing half done', () => {
  const db = newDatabase();
  const writer = writerAt(db, { now: hour });
  const { outcomes, lastChange } = writer.apply([add(1), add(2), create(0, '{"id":3,"price":1}'), add(4)]);
  expect(outcomes).toEqual([1, 2, { failed: expect.stringContaining('NOT NULL') }, 3]);
  expect(lastChange).toBe(3);
  expect(db.prepare('select seq, id from items order by seq').values()).toEqual([
    [1, 1],
    [2, 2],
    [3, 4],
  ]);
  expect(db.prepare('select seq, record_seq from changes order by seq').values()).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
});

test('the outcome of an update that changes the id has the new id, the old id, and the first record that still has the old id', () => {
  const writer = writerAt(newDatabase(), { now: hour });
  writer.apply([add(7), add(7), add(9)]);
  const { outcomes } = writer.apply([
    update(0, 1, '{"id":8}'),
    update(0, 3, '{"name":"other"}'),
    update(0, 2, '{"id":9223372036854775807}'),
  ]);
  expect(outcomes).toEqual([
    expect.objectContaining({ newId: '8', id: '7', next: 2 }),
    { version: 2, createdAt: expect.any(String), json: '{"id":9,"name":"other","price":1}' },
    expect.objectContaining({ newId: '9223372036854775807', id: '7', next: 0 }),
  ]);
});

test('an update writes the indexes of the fields that it changes, and no others', () => {
  const db = openFile('indexes.db');
  const writer = openWriter(db, [items]);
  const pagesOf = (write: Write) => {
    db.run('pragma wal_checkpoint(truncate)');
    writer.apply([write]);
    return db.prepare<{ log: number }, []>('pragma wal_checkpoint').get()?.log ?? 0;
  };
  writer.apply(Array.from({ length: 1000 }, (_, n) => add(n)));
  const withoutId = pagesOf(update(0, 500, '{"name":"other"}'));
  const withId = pagesOf(update(0, 500, '{"id":7,"name":"third"}'));
  expect(withoutId).toBeGreaterThan(0);
  expect(withId).toBeGreaterThan(withoutId);
});

test('after the clock is set back, a change is not older than the previous one, also after a restart', () => {
  const db = newDatabase();
  const time = { now: 100 * hour };
  writerAt(db, time).apply([add(1)]);
  time.now = 10 * hour;
  writerAt(db, time).apply([add(2)]);
  time.now = 101 * hour;
  writerAt(db, time).apply([add(3)]);
  expect(times(db)).toEqual([100 * hour, 100 * hour, 101 * hour]);
});

test('trimming stops at the first change that is not old enough, also if older ones follow', () => {
  const db = newDatabase();
  const time = { now: 10 * hour };
  const writer = writerAt(db, time);
  writer.apply([add(1)]);
  time.now = 100 * hour;
  writer.apply([add(2), add(3)]);
  // Versions before 0.5.0 wrote this when the clock had been set back.
  db.run("update changes set at = '1970-01-01T05:00:00.000Z' where seq = 3");
  expect(writer.apply([{ op: 'trim', keptMs: 2 * hour }]).outcomes).toEqual([{ trimmed: 1 }]);
  expect(times(db)).toEqual([100 * hour, 5 * hour]);
});

test('an idempotency key is valid for its TTL, by the clock of the changes', () => {
  const db = newDatabase();
  const time = { now: 10 * hour };
  const writer = writerAt(db, time);
  const once = create(0, '{"id":1,"name":"n","price":1}', undefined, {
    key: 'k',
    digest: 'd',
    former: 'f',
    keptMs: hour,
  });
  expect(writer.apply([once]).outcomes).toEqual([1]);
  time.now += hour;
  expect(writer.apply([once]).outcomes).toEqual([expect.objectContaining({ repeated: 1 })]);
  time.now += 1;
  expect(writer.apply([once]).outcomes).toEqual([2]);
});

test('the file of an import that is in is not read again, because all writers would wait', () => {
  const writer = writerAt(newDatabase(), { now: hour });
  const path = join(folder, 'imported');
  const lines = '{"id":1,"name":"n","price":1}\n'.repeat(2);
  writeFileSync(path, lines);
  const imported = { batches: [{ key: 'k', records: 2 }], keptMs: hour, isAgain: false };
  const { length: size } = lines;
  const write = (spooled: Spooled) => ({ op: 'import', place: 0, by: undefined, spooled, imported }) as const;
  writer.apply([write({ fd: openSync(path, 'r'), size })]);
  const unreadable = { fd: openSync(folder, 'r'), size };
  const { outcomes, at } = writer.apply([write(unreadable)]);
  expect(outcomes).toEqual([
    { created: 0, first: 3, last: 2, batches: [{ created: 2, first: 1, last: 2, earlier: { at } }] },
  ]);
});

test('a record of a bulk can refer to an earlier one of it, also if records refer to other collections', () => {
  const rooms = collection('rooms', { singular: 'room', fields: { name: { type: 'text', max: 10 } } });
  const shelves = collection('shelves', {
    singular: 'shelf',
    fields: {
      room: { type: 'reference', to: 'rooms' },
      above: { type: 'reference', to: 'shelves', optional: true },
    },
  });
  const db = new Database(':memory:');
  migrate(db, [rooms, shelves], 'memory');
  const writer = openWriter(db, [rooms, shelves]);
  writer.apply([create(0, '{"name":"a"}')]);
  const path = join(folder, 'shelves');
  const lines = '{"room":1,"above":null}\n{"room":1,"above":1}\n';
  writeFileSync(path, lines);
  const spooled = { fd: openSync(path, 'r'), size: lines.length };
  const { outcomes } = writer.apply([{ op: 'bulk', place: 1, by: undefined, spooled, once: undefined }]);
  expect(outcomes).toEqual([{ created: 2, first: 1, last: 2 }]);
});

describe('a bulk that clashes', () => {
  const books = collection('books', { singular: 'book', fields: { code: { type: 'text', max: 10, unique: true } } });
  const path = join(folder, 'books');
  const lines = ['a', 'b', 'a'].map((code) => `{"code":"${code}"}\n`).join('');
  writeFileSync(path, lines);
  const spooled = { fd: openSync(path, 'r'), size: lines.length };
  const clashed = (first: number): BulkClashed => ({ bulkClashes: [[3, expect.anything()]], added: [[first, 1]] });
  const to = { place: 0, by: undefined, spooled };
  const bulk: Write = { op: 'bulk', ...to, once: undefined };
  const dry: Write = { op: 'dry bulk', ...to };
  const book = (code: string): Write => create(0, `{"code":"${code}"}`);

  test.each([
    ['alone', [bulk], [clashed(1)]],
    ['as a dry run', [dry], [clashed(1)]],
    ['with other writes, which are stored', [book('x'), bulk, book('y')], [1, clashed(2), 2]],
  ])('is applied once: %s', (_, batch, expected) => {
    const db = new Database(':memory:');
    migrate(db, [books], 'memory');
    const writer = openWriter(db, [books]);
    const changes = () => db.prepare<{ n: number }, []>('select total_changes() as n').get()?.n ?? 0;
    const before = changes();
    const { outcomes } = writer.apply(batch);
    expect(outcomes).toEqual(expected);
    const stored = outcomes.filter((outcome) => typeof outcome === 'number').length;
    // SQLite also counts rows that are rolled back. Each record has a row, and one of its change.
    expect(changes() - before).toBe(2 * (2 + stored));
    expect(writer.apply([book('a')]).outcomes).toEqual([stored + 1]);
    expect(db.prepare('select count(*) from books').values()).toEqual([[stored + 1]]);
  });
});

/** Counts the frames that end a commit: only their header has the size of the database. */
function commitsIn(wal: string): number {
  const [headBytes, frameBytes] = [32, 24 + 4096];
  const bytes = readFileSync(wal);
  let commits = 0;
  for (let at = headBytes; at < bytes.length; at += frameBytes) if (bytes.readUInt32BE(at + 4) > 0) commits++;
  return commits;
}

test('a batch with one failing write is one commit of all the others', () => {
  const path = join(folder, 'each.db');
  const db = openFile('each.db');
  const writer = openWriter(db, [items]);
  const before = commitsIn(`${path}-wal`);
  const { outcomes, lastChange } = writer.apply([
    add(7),
    { op: 'delete first', place: 0, by: undefined, contractId: 7n, when: undefined, permitted: undefined },
    create(0, '{"id":8,"price":1}'),
    add(9),
  ]);
  expect(outcomes.map((outcome) => typeof outcome === 'object' && 'failed' in outcome)).toEqual([
    false,
    false,
    true,
    false,
  ]);
  expect(lastChange).toBe(3);
  expect(commitsIn(`${path}-wal`) - before).toBe(1);
  writer.close();
  db.close();
});
