import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { decimalOf, isDouble, isNumeral, numberOf, spelled } from './numeral.ts';

test.each([
  ['0', ['', '', 0]],
  ['-0.00e5', ['-', '', 0]],
  ['0e999999999999', ['', '', 0]],
  ['120', ['', '12', 1]],
  ['-001.50', ['-', '15', -1]],
  ['12.5E+3', ['', '125', 2]],
  ['1e-400', ['', '1', -400]],
] as const)('%s is its digits and a power of ten', (text, [sign, digits, exponent]) => {
  expect(decimalOf(text)).toEqual({ sign, digits, exponent });
});

test.each(['', '+7', '7 ', '.5', '5.', '1e', '0x7', '1_000', 'Infinity', '٧'])('%p is not a number', (text) => {
  expect(decimalOf(text)).toBeUndefined();
  expect(isNumeral(text)).toBe(false);
});

test('a double has every digit of its own text, however it is spelled', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
      expect(isDouble(String(double))).toBe(true);
      expect(isDouble(double.toExponential())).toBe(true);
    }),
  );
  for (const text of ['1.0000000000000000', '-0.0', '1E+308', '5e-324', '100000000000000000000000'])
    expect({ text, is: isDouble(text) }).toEqual({ text, is: true });
  for (const text of ['9007199254740993', '0.12345678901234567890', '1e400', '1e-400', '1.234567e-320'])
    expect({ text, is: isDouble(text) }).toEqual({ text, is: false });
});

test('an integer beyond 2^53 is a bigint', () => {
  expect(['9007199254740991', '9007199254740992', '-9223372036854775808', '1e23', '-0'].map(numberOf)).toEqual([
    9007199254740991,
    9007199254740992n,
    -9223372036854775808n,
    1e23,
    -0,
  ]);
});

test('zero keeps its sign', () => {
  expect([-0, 0, 1e21, 9223372036854775807n, true, 'x'].map(spelled)).toEqual([
    '-0',
    '0',
    '1e+21',
    '9223372036854775807',
    'true',
    'x',
  ]);
});
