import { expect, test } from 'bun:test';
import { leftOf, rateOf } from './pace.ts';

const at = (rows: number, share: number) => ({ rows, share });

test('the rate is of this run alone, and the time left of what remains', () => {
  const pace = { from: at(50_000, 0.5), now: at(60_000, 0.6), ms: 2000 };
  expect(rateOf(pace)).toBe('5,000');
  expect(leftOf(pace)).toBe('8 s');
  expect(leftOf({ ...pace, ms: 200_000 })).toBe('13 min 20 s');
  expect(leftOf({ ...pace, ms: 5_000_000 })).toBe('5 h 33 min');
});

test('before the first batch neither is known', () => {
  const pace = { from: at(0, 0), now: at(0, 0), ms: 0 };
  expect([rateOf(pace), leftOf(pace)]).toEqual(['\u2013', '\u2013']);
});
