import { expect, test } from 'bun:test';
import { apiKey, contentsOf, createdChange, itemsNamed } from '../../../test/support/data/made-database.ts';
import { items } from '../../collections/items.ts';
import { requireEmpty } from './target-database.ts';

const options = { keepsApiKeys: true, advice: 'choose another' };
const [other = { recordId: 1, version: 1, createdAt: '', updatedAt: '', row: {} }] = itemsNamed('one');
const first = { ...other, row: items.first ?? {} };
const change = createdChange(1, first);

test('a database with the first records as they were created is empty; its API keys are returned', async () => {
  expect(await requireEmpty(contentsOf([]), 'here', options)).toEqual([]);
  const contents = contentsOf([first], { changes: [change], api_keys: [apiKey] });
  expect(await requireEmpty(contents, 'here', options)).toEqual([apiKey]);
});

test.each([
  ['items has 1 record', contentsOf([other], { changes: [change] })],
  ['items has 1 record', contentsOf([{ ...first, version: 2 }], { changes: [change] })],
  ['items has 2 records', contentsOf(itemsNamed('a', 'b'))],
  ['it has a history', contentsOf([], { changes: [change] })],
])('not empty: %s', async (reason, contents) => {
  await expect(requireEmpty(contents, 'here', options)).rejects.toThrow(
    `The database here is not empty (${reason}): choose another.`,
  );
});

test('API keys count unless they are kept', async () => {
  const contents = contentsOf([], { api_keys: [apiKey] });
  await expect(requireEmpty(contents, 'here', { ...options, keepsApiKeys: false })).rejects.toThrow('it has API keys');
});
