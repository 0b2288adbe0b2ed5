/** Rounding against exact comparisons of big numbers. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { DoubleSum } from './double-sum.ts';
import { nearestDouble, quotient } from './rounding.ts';

const positive = fc.bigInt({ min: 1n, max: 10n ** 30n });

test('a quotient is rounded half to even', () => {
  expect([5n, 15n, 25n, -5n, -15n, -25n, 24n, 26n, -26n].map((one) => quotient(one, 10n))).toEqual([
    ...[0n, 2n, 2n, 0n, -2n, -2n],
    ...[2n, 3n, -3n],
  ]);
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), positive, (dividend, divisor) => {
      const found = quotient(dividend, divisor);
      const twice = 2n * (dividend - found * divisor);
      const distance = twice < 0n ? -twice : twice;
      expect(distance <= divisor).toBe(true);
      if (distance === divisor) expect(found % 2n).toBe(0n);
    }),
  );
});

const smallest = (value: number) => {
  const sum = new DoubleSum();
  sum.add(value);
  return sum.units;
};

test('a double is the nearest to itself', () => {
  for (const value of [
    0,
    Number.MIN_VALUE,
    2 ** -1022,
    2 ** -1022 - Number.MIN_VALUE,
    0.1,
    1,
    2 ** 53,
    Number.MAX_VALUE,
  ])
    for (const one of [value, -value]) expect(nearestDouble(smallest(one))).toBe(one + 0);
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(nearestDouble(smallest(value))).toBe(value + 0);
    }),
  );
});

test('no other double is nearer, and halves go to the even one', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), positive, (value, divisor) => {
      const units = smallest(value);
      const found = nearestDouble(units, divisor);
      const away = (one: bigint) => {
        const distance = units - one * divisor;
        return distance < 0n ? -distance : distance;
      };
      const bits = new BigInt64Array(new Float64Array([Math.abs(found)]).buffer);
      const here = bits[0] ?? 0n;
      for (const next of [here - 1n, here + 1n]) {
        if (next < 0n) continue;
        bits[0] = next;
        const [near = 0] = new Float64Array(bits.buffer);
        const other = away(smallest(found < 0 || Object.is(found, -0) ? -near : near));
        expect(away(smallest(found)) <= other).toBe(true);
        if (away(smallest(found)) === other) expect(here % 2n).toBe(0n);
      }
    }),
    { numRuns: 500 },
  );
});

test('the highest double is followed by infinity', () => {
  const highest = smallest(Number.MAX_VALUE);
  const half = 1n << (1023n - 53n + 1074n);
  expect(nearestDouble(highest + half - 1n)).toBe(Number.MAX_VALUE);
  expect(nearestDouble(highest + half)).toBe(Number.POSITIVE_INFINITY);
  expect(nearestDouble(-(highest * 4n))).toBe(Number.NEGATIVE_INFINITY);
  expect(nearestDouble(highest * 4n, 4n)).toBe(Number.MAX_VALUE);
});
