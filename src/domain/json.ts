/** JSON text read without losing digits. */

export type Json = {
  readonly value: unknown;
  /** The digits as sent of a number directly inside the top-level object, where a double may have lost some of them. */
  literal(key: string): string | undefined;
};

/** A literal that a double may not hold exactly has an exponent or at least 16 characters. */
const lossy = /\d[\d.]{15}|\d[eE]/;

/** Throws the runtime's SyntaxError on text that is not JSON, and RangeError on text nested too deeply to walk. */
export function parseJson(text: string): Json {
  if (!lossy.test(text)) return { value: JSON.parse(text), literal: () => undefined };

  const literals = new Map<unknown, Map<string, string>>();
  const remember = function (this: unknown, key: string, value: unknown, context?: { source?: string }) {
    if (typeof value === 'number' && context?.source !== undefined) {
      const known = literals.get(this);
      if (known === undefined) literals.set(this, new Map([[key, context.source]]));
      else known.set(key, context.source);
    }
    return value;
  };
  const value: unknown = JSON.parse(text, remember);
  return { value, literal: (key) => literals.get(value)?.get(key) };
}
