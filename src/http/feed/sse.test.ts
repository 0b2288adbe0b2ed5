import { expect, test } from 'bun:test';
import { batchLength, batchOf, type Event } from './sse.ts';

const quarter = batchLength / 4;

/** Events of a quarter of a batch: `3` is a change of its own, `4/2` one of a transaction whose first change is 2. */
const events = (text: string): Event[] =>
  text.split(' ').map((one) => {
    const [changeNumber = 0, first] = one.split('/').map(Number);
    const rest = first === undefined ? {} : { transaction: { first, size: 4 } };
    return { changeNumber, text: String(changeNumber).padEnd(quarter), ...rest };
  });

/** A number in brackets is a position alone: the client has its part of the transaction. */
test.each([
  ['1 2 3', 9, [1, 2, 3], 9],
  ['1 2 3 4', 9, [1, 2, 3, 4], 9],
  ['1 2 3 4 5', 9, [1, 2, 3, 4], 4],
  ['1 2/2 3/2 4/2 5/2', 9, [1], 1],
  ['1/1 2/1 3/1 4/1 5', 9, [1, 2, 3, 4], 4],
  ['1/1 2/1 3/1 4/1 5/1', 9, [1, 2, 3, 4], 4],
  ['4/2 5/2 6/6 7/6 8/6', 9, [4, 5], 5],
  ['1/1 2/1 3/1 5/5 6/5', 9, [1, 2, 3, [4]], 4],
  ['1 3/2', 4, [1, 3], 4],
  ['1 3/2', 5, [1, 3, [5]], 5],
  ['1 3/2', 9, [1, 3, [9]], 9],
  ['1 2/2 3/2 4/2', 9, [1, 2, 3, 4, [9]], 9],
])('a batch of %s ends at the end of a transaction, if one batch has room for it', (text, end, numbers, to) => {
  const batch = batchOf(events(text), end);
  const sent = Buffer.from(batch.bytes)
    .toString()
    .trim()
    .split(/\s{2,}/);
  expect(sent.map((one) => (one.startsWith(':') ? [Number(one.split(' ').at(-1))] : Number(one)))).toEqual(
    numbers as never,
  );
  expect(batch.to).toBe(to);
});

test('a batch of no events ends where they do', () => {
  expect(batchOf([], 7)).toEqual({ bytes: new Uint8Array(), to: 7 });
});
