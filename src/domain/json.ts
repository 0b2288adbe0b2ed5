/** JSON text read without losing digits. */

export type Json = {
  readonly value: unknown;
  /** The digits as sent of a number directly inside the top-level object, where a double may have lost some of them. */
  literal(key: string): string | undefined;
};

/** A literal that a double may not hold exactly has an exponent or at least 16 characters. */
const lossy = /\d[\d.]{15}|\d[eE]/;

/** Deeper than any record is; the runtime itself gives up at a depth that depends on what else is in the text. */
const maxDepth = 1000;

/** Throws SyntaxError on text that is not JSON, and RangeError on text nested too deeply. */
export function parseJson(text: string): Json {
  if (text.length > maxDepth && isDeeperThan(maxDepth, text)) throw new RangeError('nested too deeply');
  if (!lossy.test(text)) return { value: JSON.parse(text), literal: () => undefined };

  const literals = new Map<unknown, Map<string, string>>();
  const remember = function (this: unknown, key: string, value: unknown, context?: { source?: string }) {
    if (typeof value === 'number' && !Array.isArray(this) && lossy.test(context?.source ?? '')) {
      const known = literals.get(this) ?? new Map<string, string>();
      literals.set(this, known.set(key, context?.source ?? ''));
    }
    return value;
  };
  const value: unknown = JSON.parse(text, remember);
  return { value, literal: (key) => literals.get(value)?.get(key) };
}

function isDeeperThan(limit: number, text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/g)) {
    if (token === '[' || token === '{') depth++;
    else if (token === ']' || token === '}') depth--;
    if (depth > limit) return true;
  }
  return false;
}
