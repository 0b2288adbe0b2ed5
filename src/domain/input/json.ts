/** Parses JSON without losing digits. */
import { elementsOf, membersOf } from '../../exact/json-text.ts';
import { spelled } from '../../exact/numeral.ts';

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

const none: ReadonlyMap<string, string> = new Map();

/** Throws SyntaxError on text that is not JSON, and RangeError on text nested too deeply. */
export function parseJson(text: string): ParsedText {
  if (text.length > maxDepth && isDeeperThan(maxDepth, text)) throw new RangeError('nested too deeply');
  if (!mayLoseDigits(text)) return new ParsedText(text, JSON.parse(text));
  if (text.length > maxRevived) return new LongText(text, JSON.parse(text), none);

  const literals = new Map<unknown, Map<string, string>>();
  const remember = function (this: unknown, key: string, value: unknown, context?: { source?: string }) {
    if (typeof value === 'number' && !Array.isArray(this) && mayLoseDigits(context?.source ?? '')) {
      const known = literals.get(this) ?? new Map<string, string>();
      literals.set(this, known.set(key, context?.source ?? ''));
    }
    return value;
  };
  const value: unknown = JSON.parse(text, remember);
  return new ParsedText(text, value, literals.get(value) ?? none);
}

/** A JSON value as it was sent. Most values are never asked for their text, so it is searched for only then. */
export class ParsedText implements Json {
  #source: string | (() => string);
  #members: ReadonlyMap<string, string> | undefined;
  #elements: readonly string[] | undefined;

  /** `literals` are those of its own members that may have lost digits; undefined if no number in it may have. */
  constructor(
    source: string | (() => string),
    readonly value: unknown,
    readonly literals?: ReadonlyMap<string, string>,
  ) {
    this.#source = source;
  }

  get source(): string {
    if (typeof this.#source === 'function') this.#source = this.#source();
    return this.#source;
  }

  /** The digits of a number. */
  get digits(): string {
    return this.literals === undefined ? spelled(this.value as number) : this.source;
  }

  literal(key: string): string | undefined {
    return this.literals?.get(key);
  }

  text(key: string): string | undefined {
    this.#members ??= membersOf(this.source);
    return this.#members.get(key);
  }

  /** One of the members that it has. */
  member(key: string): ParsedText {
    return this.#inner((this.value as Readonly<Record<string, unknown>>)[key], () => this.text(key));
  }

  /** Its elements, if it is a list. */
  elements(): readonly ParsedText[] | undefined {
    if (!Array.isArray(this.value)) return undefined;
    return this.value.map((one, at) =>
      this.#inner(one, () => {
        this.#elements ??= elementsOf(this.source);
        return this.#elements[at];
      }),
    );
  }

  #inner(value: unknown, textOf: () => string | undefined): ParsedText {
    const source = () => textOf() ?? '';
    return this.literals === undefined ? new ParsedText(source, value) : parseJson(source());
  }
}

/** Some number in it may have lost digits. */
class LongText extends ParsedText {
  override literal(key: string): string | undefined {
    const source = this.text(key);
    return source !== undefined && number.test(source) && mayLoseDigits(source) ? source : undefined;
  }
}

/** A value that is neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same object, with these values in the place of its own. */
export function withValues(json: Json, values: Readonly<Record<string, unknown>>): Json {
  const unlessIn =
    (textOf: Json['text']): Json['text'] =>
    (key) =>
      Object.hasOwn(values, key) ? undefined : textOf(key);
  return {
    value: { ...(json.value as object), ...values },
    literal: unlessIn((key) => json.literal(key)),
    text: unlessIn((key) => json.text(key)),
  };
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
