import { expect, spyOn, test } from 'bun:test';
import { race } from '../../../test/support/threads/race.ts';
import { limits, takeovers } from '../../../test/support/threads/racer.ts';
import { Buckets, newBuckets } from './buckets.ts';

const { clients, count, windowMs } = limits;
const interval = windowMs / count;

/** How many of the requests of a client pass at one moment. */
function passing(buckets: Buckets, client: string, tries: number, now: number): number {
  let passed = 0;
  for (let n = 0; n < tries; n++) if (buckets.take(client, now, interval, windowMs) <= now + windowMs) passed++;
  return passed;
}

test('a burst over several threads passes exactly the rate, for each client', async () => {
  const results = await race({ name: 'burst', shared: newBuckets(64), steps: 30 });
  const passed = Array.from({ length: clients }, (_, client) =>
    results.reduce((sum, ofThread) => sum + (ofThread[client] ?? 0), 0),
  );
  expect(new Set(passed)).toEqual(new Set([count]));
});

test('a request is counted once while other clients take over the place of its bucket', async () => {
  const rounds = 20_000;
  const passed = new SharedArrayBuffer(rounds * takeovers.perRound * 4);
  await race({ name: 'takeover', shared: newBuckets(1), steps: rounds, passed });
  const wrong = new Int32Array(passed).filter((count) => count !== 1);
  expect(wrong).toHaveLength(0);
});

test('a client whose place is taken over while it reads its number gets another place', () => {
  const buckets = new Buckets(newBuckets(1));
  buckets.take('first', 1000, interval, windowMs);
  const { load } = Atomics;
  const reading = spyOn(Atomics, 'load') as unknown as {
    mockImplementation(run: typeof load): void;
    mockRestore(): void;
  };
  reading.mockImplementation(((array: Int32Array, at: number) => {
    if (array instanceof Int32Array) return load(array, at);
    reading.mockRestore();
    buckets.take('second', 9000, interval, windowMs);
    return load(array, at);
  }) as typeof load);
  expect(buckets.take('first', 9000, interval, windowMs)).toBe(9000 + interval);
  expect(buckets.take('second', 9000, interval, windowMs)).toBe(9000 + 2 * interval);
});

test('clients without a place share one bucket, until places are free', () => {
  const buckets = new Buckets(newBuckets(1));
  for (let n = 0; n < 32; n++) expect(passing(buckets, `client ${n}`, 99, 5000)).toBe(count);
  expect(passing(buckets, 'new', 1, 5000)).toBe(1);
  expect(passing(buckets, 'newer', 99, 5000)).toBe(count - 1);
  expect(buckets.fullAt('never seen', 5000)).toBe(5000 + windowMs);
  expect(passing(buckets, 'client 3', 99, 5000)).toBe(0);
  // All buckets are full again.
  expect(passing(buckets, 'newer', 99, 5001 + windowMs)).toBe(count);
  expect(passing(buckets, 'newest', 99, 5001 + windowMs)).toBe(count);
  expect(buckets.fullAt('never seen', 5001 + windowMs)).toBe(0);
});

test('a client that has a bucket keeps it while others come', () => {
  const buckets = new Buckets(newBuckets(1));
  for (let now = 1000; now < 3000; now++) {
    passing(buckets, 'steady', 1, now);
    passing(buckets, `client ${now}`, 1, now);
  }
  // 2,000 requests were tried, and the rate was reached.
  expect(passing(buckets, 'steady', 9, 3000)).toBeLessThanOrEqual(1);
});

test('a hundred thousand clients have a bucket each', () => {
  const buckets = new Buckets();
  let refused = 0;
  for (let n = 0; n < 100_000; n++) if (buckets.take(`client ${n}`, 5000, 1000, 1000) > 6000) refused++;
  // Two names may have the same hashes.
  expect(refused).toBeLessThanOrEqual(1);
});
