/** Numbers by their digits: a double would round some. */

export const lowest = -(2n ** 63n);
export const highest = 2n ** 63n - 1n;

const numeral = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

export function isNumeral(text: string): boolean {
  return numeral.test(text);
}

/** JSON has no leading zeros. Undefined if the text is not a number. */
export function numeralOf(text: string): string | undefined {
  return isNumeral(text) ? text.replace(/^(-?)0+(?=\d)/, '$1') : undefined;
}

/** The 64-bit integer that a numeral stands for, such as `1e2`; undefined if there is none. */
export function integerOf(text: string): bigint | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = numeral.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return 0n;
  const zeros = Number(exponent) - fraction.length + digits.length - significant.length;
  // More digits than 64 bits have would take long to make.
  if (zeros < 0 || significant.length + zeros > 19) return undefined;
  return within64(BigInt(sign + significant + '0'.repeat(zeros)));
}

/** The digits of a decimal without its point; undefined if it has more than `scale` places or 64 bits. */
export function scaledOf(text: string, scale: number): bigint | undefined {
  const [, whole = '', places = ''] = /^(-?\d{1,40})(?:\.(\d{1,40}))?$/.exec(text) ?? [];
  if (whole === '' || places.length > scale) return undefined;
  return within64(BigInt(whole + places.padEnd(scale, '0')));
}

function within64(value: bigint): bigint | undefined {
  return value < lowest || value > highest ? undefined : value;
}
