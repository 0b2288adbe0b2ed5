/** The cache of single records of a thread. */
import { expect, test } from 'bun:test';
import { idKey, recordKey } from './atomics.ts';
import { HotRecords } from './hot-records.ts';

const record = (text: string) => ({ bytes: new Uint8Array(Buffer.from(text)), version: text.length });
const textOf = (hot: HotRecords, id: bigint, stamp = 1) => {
  const found = hot.get(idKey(0, id), stamp);
  return found && Buffer.from(found.bytes).toString();
};

/** Reads a record twice. */
const keep = (hot: HotRecords, ...read: Parameters<HotRecords['keep']>) => {
  for (let times = 0; times < 2; times++) hot.keep(...read);
};

test('a record is kept when it is read for the second time', () => {
  const hot = new HotRecords(() => 1e6);
  hot.keep(idKey(0, 7n), 1, record('seven'));
  expect(textOf(hot, 7n)).toBeUndefined();
  hot.keep(idKey(0, 7n), 1, record('seven'));
  expect(textOf(hot, 7n)).toBe('seven');
});

test('a record is found with the stamp that it was kept with, and with no other', () => {
  const hot = new HotRecords(() => 1e6);
  keep(hot, idKey(0, 7n), 1, record('old'));
  expect([textOf(hot, 7n), textOf(hot, 7n, 2), textOf(hot, 8n)]).toEqual(['old', undefined, undefined]);
  keep(hot, idKey(0, 7n), 2, record('newer'));
  expect([textOf(hot, 7n), textOf(hot, 7n, 2)]).toEqual([undefined, 'newer']);
  expect(hot.get(idKey(0, 7n), 2)?.version).toBe(5);
});

test('each key has its own record', () => {
  const hot = new HotRecords(() => 1e6);
  const ids = [0n, 1n, -1n, 2n ** 32n, 2n ** 44n, 2n ** 44n + 1n, -(2n ** 63n), 2n ** 63n - 1n];
  const keys = [0, 1, 255, 256, 700].flatMap((place) => [
    ...ids.map((id) => idKey(place, id)),
    ...[1, 2, 2 ** 40].map((recordId) => recordKey(place, recordId)),
  ]);
  for (const [index, key] of keys.entries()) keep(hot, key, 1, record(`record ${index}`));
  const found = keys.map((key) => Buffer.from(hot.get(key, 1)?.bytes ?? '').toString());
  expect(found).toEqual(keys.map((_, index) => `record ${index}`));
});

test('it stays within its budget, and keeps what is read again', () => {
  const budget = 100_000;
  const hot = new HotRecords(() => budget);
  keep(hot, idKey(0, 0n), 1, record('often'));
  for (let id = 1n; id < 5000n; id++) {
    keep(hot, idKey(0, id), 1, record('x'.repeat(100)));
    expect(textOf(hot, 0n)).toBe('often');
    expect(hot.bytes).toBeLessThanOrEqual(budget);
  }
  expect(hot.bytes).toBeGreaterThan(budget / 2 - 1000);
  expect([textOf(hot, 1n), textOf(hot, 4999n)]).toEqual([undefined, 'x'.repeat(100)]);
});

test('a record that is replaced counts once, and one that takes half of the budget is not kept', () => {
  const hot = new HotRecords(() => 10_000);
  for (const [stamp, length] of [10, 1000, 100].entries()) keep(hot, idKey(0, 7n), stamp, record('x'.repeat(length)));
  const bytes = hot.bytes;
  keep(hot, idKey(0, 8n), 1, record('x'.repeat(100)));
  expect([bytes, hot.bytes]).toEqual([356, 712]);
  for (const id of [9n, 10n]) keep(hot, idKey(0, id), 1, record('x'.repeat(4900)));
  expect([hot.bytes <= 10_000, textOf(hot, 9n), textOf(hot, 10n)]).toEqual([true, undefined, undefined]);
});

test('it follows a budget that becomes smaller, and keeps nothing without one', () => {
  let budget = 100_000;
  const hot = new HotRecords(() => budget);
  for (let id = 1n; id < 1000n; id++) keep(hot, idKey(0, id), 1, record('x'));
  budget = 0;
  for (const id of [1n, 2n]) keep(hot, idKey(0, id), 1, record('x'));
  expect([hot.bytes, textOf(hot, 2n), textOf(hot, 999n)]).toEqual([0, undefined, undefined]);
});

test('a long record is not kept', () => {
  const hot = new HotRecords(() => 1e9);
  keep(hot, idKey(0, 1n), 1, record('x'.repeat(16 * 1024 + 1)));
  keep(hot, idKey(0, 2n), 1, record('x'.repeat(16 * 1024)));
  expect([textOf(hot, 1n), textOf(hot, 2n)?.length]).toEqual([undefined, 16 * 1024]);
});
