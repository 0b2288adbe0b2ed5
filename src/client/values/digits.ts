/**
 * JSON with every digit. Before version 22, Node's JSON.parse does not give the source of a number, so a number that a double
 * may not hold is read as marked text. No text of Shelf has U+0000, so a mark cannot be confused with one.
 */
import { endOfString } from '../../exact/json-text.ts';
import { decimalOf, isDouble } from '../../exact/numeral.ts';

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
 * Every answer is searched for long literals, so this is a pattern that JavaScriptCore and V8 search fast. In a text, digits rarely
 * follow one of the characters that can precede a number.
 */
const longNumber = /[-:,[ \t\n\r]\d[\d.]{15}/;
/** In a shorter literal, only an exponent of three digits can be too large or too small for a double. */
const largeExponent = /\d[eE][-+]?\d{3}/;
/** A double of at least this size has 15 exact digits. */
const smallestExact = 1e-307;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const mark = '\0';

/** A number was read as a double although it may have a large exponent. It is thrown very rarely. */
class Unmarked extends Error {}

/** JSON text that was parsed, with its numbers marked if some may be longer than a double. */
export class Parsed {
  readonly value: unknown;
  readonly #text: string;
  #hasLargeExponents: boolean | undefined;

  /** Throws SyntaxError. */
  constructor(
    text: string,
    readonly isMarked = longNumber.test(text) || lossy.test(text),
  ) {
    this.#text = text;
    this.value = JSON.parse(isMarked ? marked(text) : text);
  }

  /** Throws Unmarked if a number in the value may be another one in the text. */
  requireExact(value: unknown): void {
    if (typeof value === 'object') {
      for (const key in value) {
        const member: unknown = value[key as keyof typeof value];
        if (typeof member !== 'string') this.requireExact(member);
      }
    } else if (
      typeof value === 'number' &&
      !(Math.abs(value) >= smallestExact && Math.abs(value) <= Number.MAX_VALUE)
    ) {
      this.#hasLargeExponents ??= largeExponent.test(this.#text);
      if (this.#hasLargeExponents) throw new Unmarked();
    }
  }
}

/** Reads a text with all numbers marked if one turns out to need it. Throws SyntaxError. */
export function reading<Value>(text: string, read: (parsed: Parsed) => Value): Value {
  try {
    return read(new Parsed(text));
  } catch (error) {
    if (error instanceof Unmarked) return read(new Parsed(text, true));
    throw error;
  }
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

/** The digits of a marked number; undefined if it is none. */
export function digitsOf(value: unknown): string | undefined {
  return typeof value === 'string' && value[0] === mark ? value.slice(1) : undefined;
}

/** The value of any JSON, with every digit: marked numbers are restored in place. */
export function restored(value: unknown, parsed: Parsed): unknown {
  if (parsed.isMarked) return withoutMarks(value);
  parsed.requireExact(value);
  return value;
}

function withoutMarks(value: unknown): unknown {
  const digits = digitsOf(value);
  if (digits !== undefined) return exactNumber(digits);
  // An integer that was not marked is exact.
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) members[key] = withoutMarks(members[key]);
  return members;
}

function exactNumber(digits: string): number | bigint | Digits {
  if (isDouble(digits)) return Number(digits);
  const decimal = decimalOf(digits);
  // An exponent of a billion would be a billion digits.
  const isInteger = decimal !== undefined && decimal.exponent >= 0 && decimal.digits.length + decimal.exponent <= 1000;
  return isInteger ? BigInt(decimal.sign + decimal.digits + '0'.repeat(decimal.exponent)) : new Digits(digits);
}
