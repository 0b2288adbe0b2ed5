/** Parses integers of 64 bits from decimal text, with every digit. */
import { decimalOf } from './numeral.ts';

export const minInteger = -(2n ** 63n);
export const maxInteger = 2n ** 63n - 1n;

/**
 * The 64-bit integer that a decimal literal stands for: `7`, `007`, `7.0` and `0.7e1` are all 7.
 * Works on the digits only: the cost is linear in the length, even for a million digits or an exponent of a billion.
 */
export function exactInteger(text: string): bigint | 'fraction' | 'out of range' | 'not a number' {
  const short = shortInteger(text);
  if (short !== undefined) return BigInt(short);
  const decimal = decimalOf(text);
  if (decimal === undefined) return 'not a number';
  const { sign, digits, exponent } = decimal;
  if (digits === '') return 0n;
  if (exponent < 0) return 'fraction';
  if (digits.length + exponent > 19) return 'out of range';
  return within64(BigInt(sign + digits + '0'.repeat(exponent))) ?? 'out of range';
}

/** The same; undefined if there is no such integer. */
export function integerOf(text: string): bigint | undefined {
  const integer = exactInteger(text);
  return typeof integer === 'bigint' ? integer : undefined;
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

const places = /^-?\d{1,40}(?:\.\d{1,40})?$/;

/** Whether the text is a decimal number without an exponent. */
export function isDecimal(text: string): boolean {
  return places.test(text);
}

/** The digits of a decimal without its point, as `scale` places have them; undefined if it has more places or 64 bits. */
export function scaledInteger(text: string, scale: number): bigint | undefined {
  const digits = withoutPoint(text, scale);
  return digits === undefined ? undefined : within64(digits);
}

/** The same with any number of bits. */
export function withoutPoint(text: string, scale: number): bigint | undefined {
  if (!isDecimal(text)) return undefined;
  const [whole = '', fraction = ''] = text.split('.');
  return fraction.length > scale ? undefined : BigInt(whole + fraction.padEnd(scale, '0'));
}

/** The decimal with these digits, of which the last `scale` are behind the point. */
export function withPoint(digits: bigint, scale: number): string {
  if (scale === 0) return String(digits);
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  return `${digits < 0n ? '-' : ''}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

function within64(value: bigint): bigint | undefined {
  return value < minInteger || value > maxInteger ? undefined : value;
}
