/** Parses JSON without losing digits. */
import { membersOf } from '../../exact/json-text.ts';

export type Json = {
  readonly value: unknown;
  /** The digits as sent of a number directly inside the top-level object, if a double may have lost some. */
  literal(key: string): string | undefined;
  /** A member of the top-level object as it was sent. */
  text(key: string): string | undefined;
};

/** A literal that a double may not hold exactly has at least 16 characters or an exponent. Two patterns are searched ten times as fast as one. */
const [long, exponent] = [/\d[\d.]{15}/, /\d[eE]/];

/** How the JSON of a number starts, and of no other value. */
const number = /^[-\d]/;

/**
 * Characters. A reviver gets the digits of a shorter text sooner than a search for its members. It is called for every number inside, too: for a
 * megabyte of them that takes up to ten times as long.
 */
const maxRevived = 4096;

/** Deeper than any record. The runtime's own limit depends on the rest of the text. */
const maxDepth = 1000;

/** Whether some number in the text may lose digits as a double. */
export function mayLoseDigits(text: string): boolean {
  return long.test(text) || exponent.test(text);
}

/** Throws SyntaxError on text that is not JSON, and RangeError on text nested too deeply. */
export function parseJson(text: string): Json {
  if (text.length > maxDepth && isDeeperThan(maxDepth, text)) throw new RangeError('nested too deeply');
  if (!mayLoseDigits(text)) return new ParsedText(text, JSON.parse(text));
  if (text.length > maxRevived) return new LongText(text, JSON.parse(text));

  const literals = new Map<unknown, Map<string, string>>();
  const remember = function (this: unknown, key: string, value: unknown, context?: { source?: string }) {
    if (typeof value === 'number' && !Array.isArray(this) && mayLoseDigits(context?.source ?? '')) {
      const known = literals.get(this) ?? new Map<string, string>();
      literals.set(this, known.set(key, context?.source ?? ''));
    }
    return value;
  };
  const value: unknown = JSON.parse(text, remember);
  return new ParsedText(text, value, literals.get(value));
}

/** `literals` are those that may have lost digits. */
export class ParsedText implements Json {
  /** Most collections never ask, so the text is scanned only then. */
  #members: ReadonlyMap<string, string> | undefined;

  constructor(
    readonly source: string,
    readonly value: unknown,
    readonly literals?: ReadonlyMap<string, string>,
  ) {}

  literal(key: string): string | undefined {
    return this.literals?.get(key);
  }

  text(key: string): string | undefined {
    this.#members ??= membersOf(this.source);
    return this.#members.get(key);
  }
}

/** Some number in it may have lost digits. */
class LongText extends ParsedText {
  override literal(key: string): string | undefined {
    const source = this.text(key);
    return source !== undefined && number.test(source) && mayLoseDigits(source) ? source : undefined;
  }
}

/** Looks at each character once. A search for strings could be made to scan the same text repeatedly. */
function isDeeperThan(limit: number, text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (inString) {
      if (character === backslash) at++;
      else if (character === quote) inString = false;
    } else if (character === quote) inString = true;
    else if (character === openBracket || character === openBrace) {
      if (++depth > limit) return true;
    } else if (character === closeBracket || character === closeBrace) depth--;
  }
  return false;
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
