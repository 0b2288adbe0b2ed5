/** The cache of hot records: it returns records as they were kept, and stays within its budget. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Racer, type Result, recordOf } from './hot-racer.ts';
import { HotRecords } from './hot-records.ts';
import { Level } from './level.ts';
import { Memory } from './memory.ts';
import { MemoryReader } from './reader.ts';
import { type Key, seqKey } from './stamps.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
const textOf = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : new TextDecoder().decode(bytes));
const key = (n: number): Key => seqKey(n % 2, 2 ** 31 * (n % 3) + n);
const shard = 64 * 1024;

const newShards = (count: number) => Array.from({ length: Math.max(0, count) }, () => new SharedArrayBuffer(shard));

/** With this many shards. */
function open(shards: number) {
  const hot = new HotRecords({ seed: 7, shards: newShards(shards) });
  let before = shards;
  const resize = (count: number) => {
    hot.change({ count, added: newShards(count - before) });
    before = count;
  };
  return { hot, resize };
}

const anyStep = fc.record({
  key: fc.nat(400),
  length: fc.oneof(fc.nat(300), fc.nat(5000)),
  stamp: fc.nat(1),
  isRead: fc.boolean(),
  shards: fc.oneof({ weight: 300, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(6) }),
});

test('returns a record as it was kept last, with the stamp it was kept with, or nothing', () => {
  let hits = 0;
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 500, maxLength: 1500 }), (steps) => {
      let shards = 3;
      const { hot, resize } = open(shards);
      const last = new Map<number, { text: string; stamp: number; version: number }>();
      for (const [index, step] of steps.entries()) {
        if (step.shards !== undefined) {
          shards = step.shards;
          resize(shards);
          // A key may have another shard now, and the old one again later: only records that are kept from here on are known.
          last.clear();
        }
        const known = last.get(step.key);
        if (step.isRead) {
          const found = hot.get(key(step.key), step.stamp);
          if (found === undefined || known === undefined) continue;
          hits++;
          expect({ ...found, bytes: textOf(found.bytes), stamp: step.stamp }).toEqual({
            bytes: known.text,
            version: known.version,
            stamp: known.stamp,
          });
        } else {
          const text = `${index}:${String.fromCharCode(97 + (index % 26)).repeat(step.length)}`;
          hot.keep(key(step.key), step.stamp, { bytes: bytesOf(text), version: index });
          last.set(step.key, { text, stamp: step.stamp, version: index });
          expect(hot.bytes).toBeLessThanOrEqual(shards * shard);
        }
      }
    }),
    { numRuns: 60 },
  );
  expect(hits).toBeGreaterThan(1000);
});

test('keeps what is used, and drops what is not', () => {
  const { hot } = open(8);
  const bytes = bytesOf('x'.repeat(100));
  const used = 500;
  for (let n = 0; n < 50_000; n++) {
    hot.keep(key(n), 1, { bytes, version: n });
    // Each of them once in a hundred additions; there is room for 3,700 records.
    for (let one = n % 100; one < used && one < n; one += 100) hot.get(key(one), 1);
  }
  const kept = (from: number, to: number) => {
    let count = 0;
    for (let n = from; n < to; n++) if (hot.get(key(n), 1) !== undefined) count++;
    return count;
  };
  // Of many used ones in a row, one in 65 is dropped.
  expect(kept(0, used)).toBeGreaterThan(used * 0.97);
  expect(kept(used, 40_000)).toBe(0);
  expect(kept(49_000, 50_000)).toBe(1000);
});

test('a long record is not kept, and without a shard none is', () => {
  const { hot, resize } = open(2);
  const ofLength = (length: number) => ({ bytes: new Uint8Array(length), version: 1 });
  hot.keep(key(1), 1, ofLength(16_385));
  expect(hot.get(key(1), 1)).toBeUndefined();
  hot.keep(key(1), 1, ofLength(16_384));
  expect(hot.get(key(1), 1)).toEqual(ofLength(16_384));
  hot.keep(key(1), 1, ofLength(0));
  expect(hot.get(key(1), 1)).toEqual(ofLength(0));
  hot.keep(key(2), 1, { bytes: bytesOf('two'), version: 1 });
  expect(textOf(hot.get(key(2), 1)?.bytes)).toBe('two');
  resize(0);
  hot.keep(key(3), 1, { bytes: bytesOf('three'), version: 1 });
  expect([hot.get(key(2), 1), hot.get(key(3), 1), hot.bytes]).toEqual([undefined, undefined, 0]);
});

test('with more or fewer shards most records are still found, and what they took is not counted any more', () => {
  const { hot, resize } = open(10);
  const all = Array.from({ length: 2000 }, (_, n) => n);
  for (const n of all) hot.keep(key(n), 1, { bytes: bytesOf(`record ${n}`), version: n });
  const found = () => all.filter((n) => textOf(hot.get(key(n), 1)?.bytes) === `record ${n}`).length;
  const full = hot.bytes;
  expect(found()).toBe(2000);
  resize(11);
  expect(found()).toBeGreaterThan(1600);
  expect(found()).toBeLessThan(2000);
  resize(9);
  expect(found()).toBeGreaterThan(1600);
  expect(hot.bytes).toBeLessThan(full);
});

test('there are more shards when those that exist are full, and fewer as soon as there is less room', () => {
  const memory = new Memory(1, 1, 100 * shard);
  const level = new Level();
  level.run = memory.run;
  const reader = new MemoryReader(memory.shared(), level);
  const fill = () => {
    for (let n = 0; n < 10_000; n++) reader.hot.keep(key(n), 1, { bytes: new Uint8Array(1000), version: 1 });
  };
  /** The number of shards after it. */
  const resize = (limit: number) => {
    memory.resizeHot(limit * shard);
    reader.refresh();
    return memory.shared().hot.shards.length;
  };
  expect([resize(50), resize(50)]).toEqual([16, 16]);
  fill();
  expect([resize(50), resize(50)]).toEqual([32, 32]);
  fill();
  expect(resize(50)).toBe(50);
  fill();
  expect(Math.ceil(reader.hot.bytes / shard)).toBe(50);
  expect([resize(20), Math.ceil(reader.hot.bytes / shard)]).toEqual([20, 20]);
  expect([resize(0), reader.hot.bytes]).toEqual([0, 0]);
});

test('what one thread keeps, all others find, and no record is torn', async () => {
  const threads = 4;
  const shared = { seed: 7, shards: newShards(3) };
  const racers = Array.from({ length: threads }, () => {
    const thread = new Worker(new URL('./hot-racer.ts', import.meta.url).href);
    const result = new Promise<Result>((resolve, reject) => {
      thread.onmessage = ({ data }) => resolve(data);
      thread.onerror = ({ message }) => reject(new Error(message));
    });
    return { thread, result };
  });
  const gate = new SharedArrayBuffer(4);
  for (const [own, { thread }] of racers.entries())
    thread.postMessage({ hot: shared, gate, threads, own } satisfies Racer);
  const results = await Promise.all(racers.map(({ result }) => result));
  for (const { thread } of racers) thread.terminate();
  expect(results.flatMap(({ mistakes }) => mistakes)).toEqual([]);
  for (const { ofOthers } of results) expect(ofOthers).toBeGreaterThan(1000);
  // None of them was left locked.
  for (const one of shared.shards) {
    const hot = new HotRecords({ ...shared, shards: [one] });
    hot.keep(key(1), 7, recordOf(1, 7, 0));
    expect(hot.get(key(1), 7)).toEqual(recordOf(1, 7, 0));
  }
});
