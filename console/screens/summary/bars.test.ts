import { expect, test } from 'bun:test';
import { barsOf } from './bars.ts';

test('bars begin at 0, and the longest has all of the room', () => {
  expect(barsOf(['5', '"10.00"', 'null', '0', undefined])).toEqual([
    { start: 0, length: 50 },
    { start: 0, length: 100 },
    undefined,
    { start: 0, length: 0 },
    undefined,
  ]);
  expect(barsOf(['"-1.00"', '3'])).toEqual([
    { start: 0, length: 25 },
    { start: 25, length: 75 },
  ]);
  expect(barsOf(['-2', '-1'])).toEqual([
    { start: 0, length: 100 },
    { start: 50, length: 50 },
  ]);
});

test('any number is drawn', () => {
  const highest = String(Number.MAX_VALUE);
  expect(barsOf([highest, `-${highest}`])).toEqual([
    { start: 50, length: 50 },
    { start: 0, length: 50 },
  ]);
  expect(barsOf(['46116860184273879035'])).toEqual([{ start: 0, length: 100 }]);
  expect(barsOf(['0', '0'])).toEqual([
    { start: 0, length: 0 },
    { start: 0, length: 0 },
  ]);
  expect(barsOf(['5e-324'])).toEqual([expect.objectContaining({ start: 0 })]);
});
