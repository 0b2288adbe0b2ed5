import { expect, test } from 'bun:test';
import { exactInteger, integerOf, isDecimal, scaledInteger } from './integer.ts';

test.each([
  ['0', 0n],
  ['-0', 0n],
  ['7', 7n],
  ['007', 7n],
  ['-7', -7n],
  ['1.0', 1n],
  ['1.50e1', 15n],
  ['1e2', 100n],
  ['100e-2', 1n],
  ['0.000', 0n],
  ['0e999999999999', 0n],
  ['9007199254740993', 9007199254740993n],
  ['9223372036854775807', 9223372036854775807n],
  ['-9223372036854775808', -9223372036854775808n],
  ['9223372036854775807.000', 9223372036854775807n],
  ['92233720368547758070e-1', 9223372036854775807n],
  ['9223372036854775808', 'out of range'],
  ['-9223372036854775809', 'out of range'],
  ['1e400', 'out of range'],
  ['1e999999999999999999999', 'out of range'],
  ['1.5', 'fraction'],
  ['1e-400', 'fraction'],
  ['1.00000000000000000000001', 'fraction'],
  ['1234567890.00000001', 'fraction'],
  ['', 'not a number'],
  ['+7', 'not a number'],
  ['7 ', 'not a number'],
  ['0x7', 'not a number'],
  ['٧', 'not a number'],
] as const)('%s is %p', (literal, expected) => {
  expect(exactInteger(literal)).toBe(expected);
  expect(integerOf(literal)).toBe(typeof expected === 'bigint' ? expected : undefined);
});

test('a million zeros before or after the other digits are parsed in one pass', () => {
  const zeros = '0'.repeat(1_000_000);
  expect(exactInteger(`${zeros}7`)).toBe(7n);
  expect(exactInteger(`7.${zeros}`)).toBe(7n);
  expect(exactInteger(`7${zeros}`)).toBe('out of range');
  expect(exactInteger(`0.${zeros}1`)).toBe('fraction');
  expect(exactInteger(`0.${zeros}1e1000001`)).toBe(1n);
});

test.each([
  ['1.5', 2, 150n],
  ['-00.10', 2, -10n],
  ['7', 0, 7n],
  ['92233720368547758.07', 2, 9223372036854775807n],
  ['92233720368547758.08', 2, undefined],
  ['1.505', 2, undefined],
  ['1.0', 0, undefined],
  ['1e2', 2, undefined],
  ['1.', 2, undefined],
  ['', 2, undefined],
  ['0'.repeat(41), 2, undefined],
])('%s with %d places is %p', (text, scale, expected) => {
  expect(scaledInteger(text, scale)).toBe(expected);
});

test('a decimal number has no exponent', () => {
  expect(['0', '-1.50', '1e2', '.5', '+1'].map(isDecimal)).toEqual([true, true, false, false, false]);
});
