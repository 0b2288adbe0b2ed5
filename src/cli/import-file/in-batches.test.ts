/** Batches of one row into a target whose commits the test decides. */
import { expect, test } from 'bun:test';
import { csvBatches } from '../../../test/support/data/csv-batches.ts';
import { items } from '../../collections/items.ts';
import { Failure, StartError } from '../../domain/errors.ts';
import { importInBatches } from './in-batches.ts';
import type { Target, TargetBulk } from './target/import-target.ts';

const csv = 'name,price\nLamp,1\nChair,2\nTable,3\n';

/** `commit` gets the place of the bulk, from 0. */
function importTo(commit: (place: number) => Promise<void>) {
  let bulks = 0;
  const filled: PromiseWithResolvers<void>[] = [0, 1, 2].map(() => Promise.withResolvers());
  let open = 0;
  const target: Target = {
    label: 'here',
    collection: items,
    key: undefined,
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
        check: async () => ({ created: 0 }),
        close: async () => {
          open--;
        },
      };
    },
    close: async () => {},
  };
  const done = importInBatches(
    {
      batches: () => csvBatches(csv),
      isAgain: false,
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

const again = 'what is in is not added twice, for as long as Idempotency-Keys are kept (--idempotency)';
const continued = `Run the same command again to continue: ${again}.`;
const inPart = 'Stopped: file.csv is in items up to line 2 (1 row), and nothing after it';
test.each([
  ['an expected error', new StartError('Wrong.'), 1, `Wrong. ${inPart}. ${continued}`],
  ['an expected error before the first row', new StartError('Wrong.'), 0, 'Wrong.'],
  ['a failure', new Failure('overloaded', { detail: 'Full.' }), 1, `Full. ${inPart}. ${continued}`],
  [
    'a failure before the first row',
    new Failure('overloaded', { detail: 'Full.' }),
    0,
    `Full. Stopped: nothing of file.csv was added to items. ${continued}`,
  ],
  [
    'a failure whose outcome is unknown',
    new Failure('outcome_unknown', { detail: 'Lost.' }),
    1,
    `Lost. ${inPart}, except perhaps one batch. ${continued}`,
  ],
  ['an error that is not expected', new Error('broken'), 1, 'broken'],
])('%s ends it with what is in, and how to go on', async (_, error, failing, message) => {
  const { done } = importTo(async (place) => {
    if (place === failing) throw error;
  });
  expect(await done.catch((stopped: Error) => stopped.message)).toBe(message);
});
