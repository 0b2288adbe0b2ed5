/** Numbers as decimal text, without a double, which is exact only up to 2^53. */

const numeral = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

export function isNumeral(text: string): boolean {
  return numeral.test(text);
}

/** `digits` × 10^`exponent`. There is no zero around the digits, so equal numbers are equal here, whatever their spelling; zero has no digits. */
export type Decimal = { readonly sign: string; readonly digits: string; readonly exponent: number };

/** Undefined if the text is not a number. The cost is linear in the length, even for a million zeros. */
export function decimalOf(text: string): Decimal | undefined {
  const match = numeral.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', power = '0'] = match;
  const all = whole + fraction;
  let start = 0;
  while (all[start] === '0') start++;
  if (start === all.length) return { sign, digits: '', exponent: 0 };
  let end = all.length;
  while (all[end - 1] === '0') end--;
  return { sign, digits: all.slice(start, end), exponent: Number(power) - fraction.length + all.length - end };
}

/** Whether a double has every digit of a number. */
export function isDouble(text: string): boolean {
  const [exact, double] = [decimalOf(text), decimalOf(String(Number(text)))];
  return exact?.digits === double?.digits && exact?.exponent === double?.exponent;
}

/** The number that JSON spells so; an integer that a double may not hold is a bigint. */
export function numberOf(text: string): number | bigint {
  const double = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(double) ? BigInt(text) : double;
}

/** A value as text. String loses the sign of zero, and JSON.stringify does so, too. */
export function spelled(value: string | number | bigint | boolean): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
