/** Sums of doubles against sums of big numbers. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { DoubleSum } from './double-sum.ts';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
/** Also those where an expansion has most parts, sums cancel out, and doubles end. */
const doubles = fc.array(
  fc.oneof(
    finite,
    fc.constantFrom(
      Number.MAX_VALUE,
      -Number.MAX_VALUE,
      Number.MIN_VALUE,
      -Number.MIN_VALUE,
      -0,
      2 ** 900,
      -(2 ** 899),
    ),
    fc.tuple(fc.constantFrom(1, -1), fc.integer({ min: -1074, max: 1023 })).map(([sign, power]) => sign * 2 ** power),
  ),
  { maxLength: 200 },
);

/** In units of the smallest double: by its digits in base 2, not by its bits. */
function unitsOf(value: number): bigint {
  const [, sign = '', digits = '', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(value.toString(2)) ?? [];
  const units = BigInt(`0b${digits}${fraction.padEnd(1074, '0')}`);
  return sign === '' ? units : -units;
}

function sumOf(values: readonly number[]): bigint {
  const sum = new DoubleSum();
  for (const value of values) sum.add(value);
  return sum.units;
}

test('a sum of doubles is exact', () => {
  fc.assert(
    fc.property(doubles, (values) => {
      expect(sumOf(values)).toBe(values.reduce((sum, value) => sum + unitsOf(value), 0n));
    }),
    { numRuns: 500 },
  );
});

test('it does not depend on the order', () => {
  fc.assert(
    fc.property(doubles, fc.infiniteStream(fc.nat()), (values, places) => {
      const keyed = values.map((value) => [places.next().value, value] as const);
      const shuffled = keyed.sort(([one], [other]) => one - other).map(([, value]) => value);
      expect(sumOf(shuffled)).toBe(sumOf(values));
    }),
  );
});

test('it overflows in no order', () => {
  const highest = Number.MAX_VALUE;
  expect(sumOf([highest, highest, -highest, -highest, 1.5])).toBe(unitsOf(1.5));
  expect(sumOf(Array.from({ length: 1000 }, () => highest))).toBe(1000n * unitsOf(highest));
});
