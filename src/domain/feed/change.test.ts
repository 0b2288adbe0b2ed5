import { expect, test } from 'bun:test';
import { wholeTransactions } from './change.ts';

/** `3` is a change of its own, `4/2` one of a transaction whose first change is 2. */
const read = (text: string) =>
  text
    .split(' ')
    .filter((one) => one !== '')
    .map((one) => {
      const [changeNumber, first] = one.split('/').map(Number);
      return { changeNumber, ...(first === undefined ? {} : { transaction: { first, size: 4 } }) };
    });

test.each([
  ['nothing', '', undefined, '', false],
  ['nothing, before a transaction', '', 1, '', false],
  ['changes of their own', '1 2 3', undefined, '1 2 3', false],
  ['a change of its own, before a transaction', '1', 2, '1', false],
  ['a transaction at the end, and nothing after it', '1 2/2 3/2 4/2 5/2', undefined, '1 2/2 3/2 4/2 5/2', false],
  ['a transaction exactly at the end, before another one', '1 2/2 3/2 4/2 5/2', 6, '1 2/2 3/2 4/2 5/2', false],
  ['the beginning of a transaction', '1 2/2', 2, '1', false],
  ['all but the last change of a transaction', '1 2/2 3/2 4/2', 2, '1', false],
  ['a transaction, and the beginning of another one', '1/1 2/1 3/1 4/1 5/5', 5, '1/1 2/1 3/1 4/1', false],
  ['one change of a transaction, with a limit of 1', '2/2', 2, '2/2', true],
  ['a transaction that is larger than the read', '2/2 3/2 4/2', 2, '2/2 3/2 4/2', true],
  ['the middle of a transaction', '3/2 4/2', 2, '3/2 4/2', true],
  ['the rest of a transaction, and the beginning of another one', '5/2 6/6 7/6', 6, '5/2', false],
  ['the rest of a transaction', '4/2 5/2', undefined, '4/2 5/2', false],
  ['the changes of one collection, whose next is of the same transaction', '1 2/2 5/2', 2, '1', false],
  ['the changes of one collection, whose next is not', '1 2/2 4/2', 9, '1 2/2 4/2', false],
])('%s', (_, text, next, kept, isPartial) => {
  expect(wholeTransactions(read(text), next)).toEqual({ kept: read(kept), isPartial });
});
