import { expect, test } from 'bun:test';
import type { Caller } from '../../domain/caller.ts';
import { collection } from '../../domain/record/collection.ts';
import type { Stored } from '../../domain/record/record.ts';
import type { Reads } from '../../domain/store/reads.ts';
import { Expander } from './expand.ts';

const books = collection('books', { singular: 'book', fields: { title: { type: 'text' } } });
const loans = collection('loans', { singular: 'loan', fields: { book: { type: 'reference', to: 'books' } } });
const caller: Caller = {
  id: 'a',
  name: 'a',
  scope: 'read',
  collections: undefined,
};
const at = '2026-01-01T00:00:00.000Z';
const stored = (recordId: number, row: Stored['row']): Stored => ({
  recordId,
  version: 1,
  createdAt: at,
  updatedAt: at,
  row,
});

/** The titles of the books of three loans, of which the store reads only so many at once. */
async function titles(read: readonly number[], more: boolean) {
  const some: Reads['some'] = async () => ({ records: read.map((id) => stored(id, { title: `t${id}` })), more });
  const three = [1, 2, 3].map((book) => stored(10 + book, { book }));
  const expander = new Expander(loans, [books, loans], { some } as Reads);
  const expanded = await expander.expand('book', three, { caller, access: undefined });
  return three.map((loan) => {
    const text = expanded(loan);
    return text === undefined ? 'unread' : (/t\d/.exec(text)?.[0] ?? text);
  });
}

test('references beyond those that are read at once are left to the next page, and missing ones are null', async () => {
  const missing = ',"expanded":{"book":null}';
  expect(await titles([1, 2, 3], false)).toEqual(['t1', 't2', 't3']);
  expect(await titles([1, 3], false)).toEqual(['t1', missing, 't3']);
  expect(await titles([1], true)).toEqual(['t1', 'unread', 'unread']);
  expect(await titles([2], true)).toEqual([missing, 't2', 'unread']);
});
