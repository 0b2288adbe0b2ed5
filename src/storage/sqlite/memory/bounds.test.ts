/** Numbers that grow without an end, and sizes: each bound is crossed. */
import { expect, test } from 'bun:test';
import { CommitProgress, idKey, mostReaders, Roots } from './atomics.ts';
import { state } from './header.ts';
import { Memory } from './memory.ts';
import { segmentPages } from './pages/pages.ts';
import { MemoryReader } from './reader.ts';

const json = (id: number, text = 'x') => JSON.stringify({ id, text });

function open(memory = new Memory(1), place = 0) {
  const table = memory.tables[place];
  if (table === undefined) throw new Error('no table');
  table.state = state.ready;
  memory.publish();
  const reader = new MemoryReader(memory.shared());
  const find = (id: number) => {
    const found = reader.table(place).read((seen) => seen.find(BigInt(id)));
    return found && Buffer.from(found).toString();
  };
  const add = (id: number, text?: string) => {
    table.append({ recordId: id, version: 1, created: 0, updated: 0 }, BigInt(id), json(id, text));
    memory.publish();
  };
  return { memory, table, reader, find, add };
}

test.each([31, 32, 48])('an epoch passes 2^%d: readers see each commit, and hold what they read', (bits) => {
  const { memory, table, reader, find, add } = open(new Memory(1, new Roots(), 2 ** bits - 5));
  add(1);
  const pinned = reader.table(0).pinned();
  const before = memory.bytes;
  for (let version = 2; version < 300; version++) {
    table.replace(1, version, version, json(1, `version ${version}`));
    memory.publish();
    expect(find(1)).toBe(json(1, `version ${version}`));
  }
  expect(memory.bytes).toBeGreaterThan(before + 200 * 4096);
  expect(Buffer.from(pinned?.snapshot.find(1n) ?? '').toString()).toBe(json(1));
  pinned?.release();
  memory.publish();
  const held = memory.bytes;
  for (let version = 300; version < 1000; version++) {
    table.replace(1, version, version, json(1));
    memory.publish();
  }
  expect(memory.bytes).toBe(held);
});

test('the number of commits passes 2^31 and 2^32', async () => {
  for (const bits of [31n, 32n]) {
    const progress = new CommitProgress();
    new BigInt64Array(progress.shared, 0, 1)[0] = 2n ** bits - 2n;
    const seen = progress.commits;
    progress.begin();
    expect(progress.commits).toBe(seen + 1);
    const waiting = progress.after(progress.commits);
    progress.end(2 ** 40, 2 ** 33);
    await waiting;
    expect(progress.commits).toBe(Number(2n ** bits));
    expect([progress.lastChange, progress.walBytes]).toEqual([2 ** 40, 2 ** 33]);
  }
});

test('a stamp never comes back, though its group passes its bound', () => {
  const progress = new CommitProgress();
  const { stamps } = progress;
  const key = idKey(0, 7n);
  new Uint32Array(progress.shared, 64, 2 ** 18).fill(2 ** 31 - 3);
  const seen = new Set([stamps.of(key)]);
  for (let change = 1; change <= 6; change++) {
    stamps.changed(key);
    seen.add(stamps.of(key));
  }
  expect(seen.size).toBe(7);
  // As if it had passed its bound 10,000 times.
  new Uint32Array(progress.shared, 64)[2 ** 18] = 10_000;
  const before = stamps.of(key);
  stamps.changed(key);
  expect(stamps.of(key)).toBe(before + 1);
});

test('a page can have any number of 32 bits', () => {
  const { table, find, add } = open();
  // The next segments have numbers of more than 31 bits, as after 8 TiB.
  table.own.pages.set(2 ** 17, new SharedArrayBuffer(0));
  for (let id = 1; id <= 400; id++) add(id, 'x'.repeat(20_000));
  expect(table.own.pages.segments).toBeGreaterThan(2 ** 17 + 1);
  for (const id of [1, 200, 400]) expect(find(id)).toBe(json(id, 'x'.repeat(20_000)));
});

test('a record can be longer than a segment', () => {
  const { memory, table, find, add } = open();
  const long = 'x'.repeat(segmentPages * 4096 + 1000);
  add(1);
  add(2, long);
  for (let id = 3; id < 1000; id++) add(id);
  expect(find(2) === json(2, long)).toBe(true);
  expect([find(1), find(999)]).toEqual([json(1), json(999)]);
  table.replace(2, 2, 0, json(2));
  memory.publish();
  expect([find(1), find(2), find(999)]).toEqual([json(1), json(2), json(999)]);
  expect(table.memory).toBeLessThan(1_000_000);
});

test('a root can have more collections than a page has room for', () => {
  const memory = new Memory(300);
  const tables = [0, 63, 64, 299].map((place) => open(memory, place));
  tables.forEach(({ add }, index) => {
    add(index + 1);
  });
  expect(tables.map(({ find }, index) => find(index + 1))).toEqual(tables.map((_, index) => json(index + 1)));
});

test('a reader that is closed reads nothing more: its slot protects no root', () => {
  const { reader, find, add } = open();
  add(1);
  expect(find(1)).toBe(json(1));
  reader.close();
  expect(find(1)).toBeUndefined();
});

test('a reader that is closed leaves its slot to the next one', async () => {
  const { memory, table, reader, add } = open();
  add(1);
  const release = reader.table(0).pinned()?.release;
  reader.close();
  while (memory.readers > 0) await new Promise(setImmediate);
  const shared = memory.shared();
  expect(shared.slot).toBe(0);
  const pinned = new MemoryReader(shared).table(0).pinned();
  release?.();
  reader.refresh();
  for (let version = 2; version < 50; version++) {
    table.replace(1, version, 0, json(1, `version ${version}`));
    memory.publish();
  }
  expect(Buffer.from(pinned?.snapshot.find(1n) ?? '').toString()).toBe(json(1));
});

test('a slot is free again when its reader has ended', async () => {
  const memory = new Memory(1);
  const shared = Array.from({ length: mostReaders }, () => memory.shared());
  expect(() => memory.shared()).toThrow('room for 1023 readers');
  shared[7]?.port.close();
  while (memory.readers === mostReaders) await new Promise(setImmediate);
  expect(memory.shared().slot).toBe(7);
  expect(() => memory.shared()).toThrow('room for 1023 readers');
});
