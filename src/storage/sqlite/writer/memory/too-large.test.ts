/** Whether a collection can fit into memory, found without reading all of it. */
import { expect, test } from 'bun:test';
import { isTooLarge, mayBeTooLarge } from './too-large.ts';

/** Records with 36 characters of JSON, a hundred bytes of memory, of which every `step`th is left. */
function source(highest: number, step = 1) {
  const json = 'x'.repeat(36);
  const read = (recordId: number) => ({ recordId, version: 1, created: 0, updated: 0, contractId: undefined, json });
  return {
    last: () => highest,
    after: (recordId: number, limit: number) =>
      Array.from({ length: limit }, (_, n) => read((Math.floor(recordId / step) + 1 + n) * step)),
  };
}

test('only a collection of more than twice the budget is too large', async () => {
  expect(await isTooLarge(source(1_000_000), 30_000_000)).toBe(true);
  expect(await isTooLarge(source(1_000_000), 60_000_000)).toBe(false);
  expect(await isTooLarge(source(1_000_000), 1_000_000_000)).toBe(false);
  expect(await isTooLarge(source(0), 0)).toBe(false);
  expect([mayBeTooLarge(source(1000), 64_000), mayBeTooLarge(source(1001), 64_000)]).toEqual([false, true]);
});

test('deleted records are not counted', async () => {
  expect(await isTooLarge(source(1_000_000, 4), 30_000_000)).toBe(false);
  expect(await isTooLarge(source(1_000_000, 4), 5_000_000)).toBe(true);
  // Too few are left to tell how many.
  expect(await isTooLarge(source(1_000_000, 1000), 10_000)).toBe(false);
});
