/** Batches of one row into a target whose commits the test decides. */
import { expect, test } from 'bun:test';
import { items } from '../../collections/items.ts';
import { Batches } from './batches.ts';
import { importInBatches } from './in-batches.ts';
import type { Target, TargetBulk } from './target.ts';

const csv = 'name,price\nLamp,1\nChair,2\nTable,3\n';

/** `commit` gets the place of the bulk, from 0. */
function importTo(commit: (place: number) => Promise<void>) {
  let bulks = 0;
  const filled: PromiseWithResolvers<void>[] = [0, 1, 2].map(() => Promise.withResolvers());
  let open = 0;
  const target: Target = {
    label: 'here',
    collection: items,
    isShared: false,
    async bulk(): Promise<TargetBulk> {
      const place = bulks++;
      open++;
      return {
        add: async () => filled[place]?.resolve(),
        async commit(batches) {
          await commit(place);
          return batches.map(({ records }) => ({ created: records, first: 1, last: records }));
        },
        check: async () => 0,
        close: async () => {
          open--;
        },
      };
    },
    close: async () => {},
  };
  const input = {
    name: 'file.csv',
    size: csv.length,
    async *pieces() {
      yield Buffer.from(csv);
    },
    close: async () => {},
  };
  const batches = new Batches(input, { collection: items, mapped: new Map(), maxRow: 100, rows: 1 });
  const done = importInBatches(
    {
      batches,
      again: undefined,
      target,
      progress: { at: () => {}, end: () => {} },
      signal: new AbortController().signal,
      name: 'file.csv',
      into: 'items',
      patiently: (attempt) => attempt(),
    },
    undefined,
  );
  return { done, filled, openBulks: () => open };
}

test('while a batch is committed, the next one is made ready', async () => {
  const { done, filled, openBulks } = importTo(async (place) => {
    // Waits for ever if the next batch waits for this one.
    if (place < 2) await filled[place + 1]?.promise;
  });
  expect(await done).toEqual({ line: 'Imported file.csv into items: 3 records added.', code: 0 });
  expect(openBulks()).toBe(0);
});

test('after a batch that fails, the next one is not committed, and is closed', async () => {
  const committed: number[] = [];
  const { done, filled, openBulks } = importTo(async (place) => {
    committed.push(place);
    await filled[place + 1]?.promise;
    throw new Error('broken');
  });
  await expect(done).rejects.toThrow('broken');
  expect(committed).toEqual([0]);
  expect(openBulks()).toBe(0);
});
