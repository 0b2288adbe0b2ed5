/** A whole file into a target whose commit the test decides. */
import { expect, test } from 'bun:test';
import { csvBatches } from '../../../test/support/data/csv-batches.ts';
import { items } from '../../collections/items.ts';
import { Failure, StartError } from '../../domain/errors.ts';
import { importTogether } from './all-or-nothing.ts';
import type { TargetBulk } from './target/import-target.ts';

async function importTo(commit: TargetBulk['commit'], isDry = false) {
  let isOpen = true;
  const bulk: TargetBulk = {
    add: async () => {},
    commit,
    check: () => commit([], false).then(() => ({ created: 3 })),
    close: async () => {
      isOpen = false;
    },
  };
  const run = {
    batches: () => csvBatches('name,price\nLamp,1\nChair,2\nTable,3\n'),
    isAgain: false,
    target: {
      label: 'here',
      collection: items,
      key: undefined,
      isShared: false,
      bulk: async () => bulk,
      async close() {},
    },
    progress: { at: () => {}, end: () => {} },
    signal: new AbortController().signal,
    name: 'file.csv',
    into: 'items',
    patiently: <Result>(attempt: () => Promise<Result>) => attempt(),
  };
  const done = await importTogether(run, isDry).catch((error: Error) => error.message);
  expect(isOpen).toBe(false);
  return done;
}

test('a file that is in ends with code 0', async () => {
  const commit: TargetBulk['commit'] = async (batches) =>
    batches.map(({ records }) => ({ created: records, first: 1, last: records }));
  expect(await importTo(commit)).toEqual({ line: 'Imported file.csv into items: 3 records added.', code: 0 });
});

const nothing = 'Stopped: nothing of file.csv was added to items.';
const perhaps = 'Stopped: file.csv may be in items, or not. Run the same command again: it is not added twice.';
const lost = new Failure('outcome_unknown', { detail: 'Lost.' });
test.each([
  ['an expected error', new StartError('Wrong.'), false, `Wrong. ${nothing}`],
  ['a failure', new Failure('overloaded', { detail: 'Full.' }), false, `Full. ${nothing}`],
  ['a failure whose outcome is unknown', lost, false, `Lost. ${perhaps}`],
  ['a check whose outcome is unknown', lost, true, `Lost. ${nothing}`],
  ['an error that is not expected', new Error('broken'), false, 'broken'],
])('%s ends it with what may be in', async (_, error, isDry, message) => {
  expect(await importTo(() => Promise.reject(error), isDry)).toBe(message);
});
