import { expect, test } from 'bun:test';
import { directFilters } from '../../domain/where/where.ts';
import { type Noted, withExisting } from './imports.ts';

/** Counts the ids that exist in the range of the filters, as a store does. */
function countingOf(ids: ReadonlySet<number>) {
  const counted: number[] = [];
  const total: Parameters<typeof withExisting>[1] = async (where) => {
    const [from, to] = directFilters(where).map(({ values: [value] }) => Number(value));
    let found = 0;
    for (let id = from ?? 0; id <= (to ?? 0); id++) if (ids.has(id)) found++;
    counted.push(found);
    return found;
  };
  return { counted, total };
}

function batchesOf(sizes: readonly number[], from = 1): Noted[] {
  let first = from;
  return sizes.map((created) => {
    const batch = { created, first, last: first + created - 1, earlier: { at: 'then' } };
    first += created;
    return batch;
  });
}
const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test('thousands of batches that are in are counted in a few searches, each of an ordinary size', async () => {
  const batches = batchesOf(ids(11_000).map(() => 1));
  const whole = countingOf(new Set(ids(11_000)));
  const found = await withExisting(batches, whole.total);
  expect(found.every(({ earlier }) => earlier?.existing === 1)).toBe(true);
  expect(whole.counted).toEqual([10_000, 1000]);

  const none = countingOf(new Set());
  expect((await withExisting(batches, none.total)).every(({ earlier }) => earlier?.existing === 0)).toBe(true);
  expect(none.counted).toEqual([0, 0]);

  const large = countingOf(new Set(ids(40_000)));
  await withExisting(batchesOf([15_000, 15_000, 10_000]), large.total);
  expect(large.counted).toEqual([15_000, 15_000, 10_000]);

  const allButOne = countingOf(new Set(ids(11_000).filter((id) => id !== 777)));
  const [gone, ...others] = (await withExisting(batches, allButOne.total)).filter((one) => one.earlier?.existing === 0);
  expect([gone?.first, others.length]).toEqual([777, 0]);
  expect(allButOne.counted.length).toBeLessThan(50);
});

test('each batch has its own count, whatever was deleted, and whatever is between the batches', async () => {
  const seeds = [1, 7, 13, 29];
  for (const seed of seeds) {
    const size = (place: number) => 1 + ((place * seed) % 5);
    const added: Noted = { created: 3, first: 9000, last: 9002 };
    const batches = [
      ...batchesOf(ids(40).map(size)),
      added,
      // Records of others are between these and the ones before.
      ...batchesOf(ids(40).map(size), 1000),
    ];
    const existing = new Set(ids(2000).filter((id) => (id * seed) % 11 > 2 && (id < 30 || id > 60)));
    const expected = batches.map(({ earlier, ...batch }) => {
      if (earlier === undefined) return batch;
      const left = [...existing].filter((id) => id >= batch.first && id <= batch.last);
      return { ...batch, earlier: { ...earlier, existing: left.length } };
    });
    expect(await withExisting(batches, countingOf(existing).total)).toEqual(expected);
  }
});
