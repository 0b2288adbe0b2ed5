import { expect, test } from 'bun:test';
import { belowFloors, comparisonTable, judged } from './versions/against.ts';

const compared = (name: string, ...ratios: number[]) => ({
  work: { name, title: name },
  ratios,
  cpuRatios: ratios,
  perSecond: [1000, 1000] as const,
  micros: [1, 1] as const,
  errors: 0,
});

test('the median of the starts is judged by the floor, and what is below it is one line', () => {
  const all = judged([compared('page', 0.6, 0.8, 0.9), compared('one', 0.69, 0.9, 0.2)], 0.7);
  expect(belowFloors(all)).toBe('one: 0.690x, and the floor is 0.7');
  expect(comparisonTable(all).match(/floor .*(?=\))/g)).toEqual(['floor 0.7: reached', 'floor 0.7: NOT reached']);
  expect(belowFloors(judged([compared('page', 0.7)], 0.7))).toBeUndefined();
});
