/** The ring of records: it returns what was kept, and stays within its budget. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Key, seqKey } from '../memory/stamps.ts';
import { HotRecords, segmentBytes } from './hot-records.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
const textOf = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : new TextDecoder().decode(bytes));
const key = (n: number): Key => seqKey(n % 2, 2 ** 31 * (n % 3) + n);
/** Room for this many segments, and for the lists beside them. */
const roomFor = (segments: number) => Math.ceil(segments * segmentBytes * 1.1);

const anyStep = fc.record({
  key: fc.nat(400),
  length: fc.oneof(fc.nat(300), fc.nat(5000)),
  stamp: fc.nat(1),
  isRead: fc.boolean(),
  segments: fc.oneof({ weight: 300, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(4) }),
});

test('returns a record as it was kept last, with the stamp it was kept with, or nothing', () => {
  let hits = 0;
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 500, maxLength: 1500 }), (steps) => {
      let budget = roomFor(2);
      const hot = new HotRecords(() => budget);
      const last = new Map<number, { text: string; stamp: number; version: number }>();
      for (const [index, step] of steps.entries()) {
        if (step.segments !== undefined) budget = roomFor(step.segments);
        const known = last.get(step.key);
        if (step.isRead) {
          const found = hot.get(key(step.key), step.stamp);
          if (found === undefined) continue;
          hits++;
          expect({ ...found, bytes: textOf(found.bytes), stamp: step.stamp }).toEqual({
            bytes: known?.text,
            version: known?.version ?? 0,
            stamp: known?.stamp ?? -1,
          });
        } else {
          const text = `${index}:${String.fromCharCode(97 + (index % 26)).repeat(step.length)}`;
          hot.keep(key(step.key), step.stamp, { bytes: bytesOf(text), version: index });
          last.set(step.key, { text, stamp: step.stamp, version: index });
          expect(hot.bytes).toBeLessThanOrEqual(budget);
        }
      }
    }),
    { numRuns: 30 },
  );
  expect(hits).toBeGreaterThan(1000);
});

test('keeps what is used, and drops what is not', () => {
  const hot = new HotRecords(() => roomFor(2));
  const bytes = bytesOf('x'.repeat(100));
  const used = 500;
  for (let n = 0; n < 50_000; n++) {
    hot.keep(key(n), 1, { bytes, version: n });
    // Each of them once in a hundred additions; the ring has room for four thousand records.
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

test('a long record is not kept, and without a budget none is', () => {
  let budget = roomFor(2);
  const hot = new HotRecords(() => budget);
  hot.keep(key(1), 1, { bytes: new Uint8Array(100_000), version: 1 });
  expect(hot.get(key(1), 1)).toBeUndefined();
  hot.keep(key(2), 1, { bytes: bytesOf('two'), version: 1 });
  expect(textOf(hot.get(key(2), 1)?.bytes)).toBe('two');
  budget = 0;
  hot.keep(key(3), 1, { bytes: bytesOf('three'), version: 1 });
  expect([hot.get(key(2), 1), hot.get(key(3), 1), hot.bytes]).toEqual([undefined, undefined, 0]);
});
