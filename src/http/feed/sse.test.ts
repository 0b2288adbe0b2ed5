import { expect, test } from 'bun:test';
import { batchLength, batchOf, type Event } from './sse.ts';

const quarter = batchLength / 4;

/** Events of a quarter of a batch: `3` is a change of its own, `4/2` one of a transaction whose first change is 2. */
const events = (text: string): Event[] =>
  text.split(' ').map((one) => {
    const [changeNumber = 0, first] = one.split('/').map(Number);
    const rest = first === undefined ? {} : { transaction: { first, size: 4 } };
    return { changeNumber, collection: 'items', text: String(changeNumber).padEnd(quarter), ...rest };
  });

test.each([
  ['1 2 3', 9, [1, 2, 3], 9],
  ['1 2 3 4', 9, [1, 2, 3, 4], 4],
  ['1 2 3 4 5', 9, [1, 2, 3, 4], 4],
  ['1 2/2 3/2 4/2 5/2', 9, [1], 1],
  ['1/1 2/1 3/1 4/1 5', 9, [1, 2, 3, 4], 4],
  ['1/1 2/1 3/1 4/1 5/1', 9, [1, 2, 3, 4], 4],
  ['4/2 5/2 6/6 7/6 8/6', 9, [4, 5], 5],
])('a batch of %s ends at the end of a transaction, if one batch has room for it', (text, end, numbers, to) => {
  const batch = batchOf(events(text), end);
  expect(Buffer.from(batch.bytes).toString().trim().split(/\s+/).map(Number)).toEqual(numbers);
  expect(batch.to).toBe(to);
});

test('a batch of no events ends where they do', () => {
  expect(batchOf([], 7)).toEqual({ bytes: new Uint8Array(), to: 7 });
});
