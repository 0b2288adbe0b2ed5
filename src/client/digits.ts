/**
 * JSON with every digit. Before version 22, Node's JSON.parse does not give the source of a number, so a number that a double
 * may not hold is read as marked text. No text of Shelf has U+0000, so a mark cannot be confused with one.
 */

/** A number in a `json` field that is neither a double nor an integer, such as 0.12345678901234567890 or 1e400. */
export class Digits {
  constructor(readonly digits: string) {}

  toString(): string {
    return this.digits;
  }
}

/** Any JSON, with every digit: a number is a `bigint` or `Digits` if a double does not hold it exactly. */
export type Json =
  | string
  | number
  | bigint
  | boolean
  | null
  | Digits
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

/** A literal that a double may not hold has an exponent or at least 16 characters. */
const lossy = /^-?\d(?:[\d.]{15}|[\d.]*[eE])/;
/**
 * Every answer is searched for such literals, so these are patterns that JavaScriptCore and V8 search fast. In a text, digits rarely
 * follow one of the characters that can precede a number; and in a shorter literal, only an exponent of three digits can be too large or too small for a double.
 */
const longNumber = /[-:,[ \t\n\r]\d[\d.]{15}/;
const largeExponent = /\d[eE][-+]?\d{3}/;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const mark = '\0';

export type Parsed = {
  readonly value: unknown;
  /** Numbers may be marked. */
  readonly isMarked: boolean;
};

/** Throws SyntaxError. */
export function parse(text: string): Parsed {
  const isMarked = longNumber.test(text) || largeExponent.test(text) || lossy.test(text);
  return { value: JSON.parse(isMarked ? marked(text) : text), isMarked };
}

/** Marks the numbers that are outside of strings. */
function marked(text: string): string {
  let result = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf('"', from);
    const between = text.slice(from, start < 0 ? undefined : start);
    result += between.replace(number, (digits) => (lossy.test(digits) ? `"\\u0000${digits}"` : digits));
    if (start < 0) return result;
    from = endOfString(text, start);
    result += text.slice(start, from);
  }
}

/** `start` is at the opening quote. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    // A quote after an odd number of backslashes belongs to the string.
    let before = at - 1;
    while (text[before] === '\\') before--;
    if ((at - before) % 2 === 1) return at + 1;
  }
  return text.length;
}

/** The digits of a marked number; undefined if it is none. */
export function digitsOf(value: unknown): string | undefined {
  return typeof value === 'string' && value[0] === mark ? value.slice(1) : undefined;
}

/** Restores the numbers in a value of any JSON, in place. */
export function restored(value: unknown): unknown {
  const digits = digitsOf(value);
  if (digits !== undefined) return numberOf(digits);
  // An integer that was not marked is exact.
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) members[key] = restored(members[key]);
  return members;
}

function numberOf(digits: string): number | bigint | Digits {
  const double = Number(digits);
  const [sign, significant, exponent] = decimal(digits);
  if (significant === '0' || decimal(String(double)).join() === [sign, significant, exponent].join()) return double;
  // An exponent of a billion would be a billion digits.
  const isInteger = exponent >= 0 && significant.length + exponent <= 1000;
  return isInteger ? BigInt(`${sign}${significant}${'0'.repeat(exponent)}`) : new Digits(digits);
}

/** A number as its significant digits and a power of ten: equal numbers are equal here, whatever their spelling. */
function decimal(text: string): [sign: string, significant: string, exponent: number] {
  const [, sign = '', whole = '', places = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE](.+))?$/.exec(text) ?? [];
  const all = (whole + places).replace(/^0+/, '');
  const significant = all.replace(/0+$/, '');
  if (significant === '') return [sign, '0', 0];
  return [sign, significant, Number(power) - places.length + all.length - significant.length];
}
