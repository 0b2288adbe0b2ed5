import { expect, test } from 'bun:test';
import { csvBatches } from '../../../test/support/data/csv-batches.ts';
import { items } from '../../collections/items.ts';
import type { ImportBatch } from '../../domain/store/bulk.ts';
import { forgetBatches } from './again.ts';

const csv = 'name,price\nLamp,1\nChair,2\n';
const newBatches = () => csvBatches(csv);

test('all batches are forgotten together, without their records, in a bulk that needs no file', async () => {
  const bulks: { readonly isLarge: boolean; forgotten?: readonly ImportBatch[]; isAgain?: boolean; isOpen: boolean }[] =
    [];
  const keys = (await Array.fromAsync(newBatches())).map(({ key }) => key);
  await forgetBatches({
    batches: newBatches,
    isAgain: true,
    target: {
      label: 'here',
      collection: items,
      key: undefined,
      isShared: false,
      async bulk(isLarge) {
        const bulk: (typeof bulks)[number] = { isLarge, isOpen: true };
        bulks.push(bulk);
        return {
          add: async () => {},
          async commit(forgotten, isAgain) {
            Object.assign(bulk, { forgotten, isAgain });
            return [];
          },
          check: async () => ({ created: 0 }),
          close: async () => {
            bulk.isOpen = false;
          },
        };
      },
      close: async () => {},
    },
    progress: { at: () => {}, end: () => {} },
    signal: new AbortController().signal,
    name: 'file.csv',
    into: 'items',
    patiently: (attempt) => attempt(),
  });
  expect(keys).toHaveLength(2);
  const forgotten = keys.map((key) => ({ key, records: 0 }));
  expect(bulks).toEqual([{ isLarge: false, isOpen: false, forgotten, isAgain: true }]);
});
