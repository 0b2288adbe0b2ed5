/**
 * JSON Schema, as far as records need it. The threads of the storage compile collections, too, and a library for schemas would
 * take longer to load there than all the rest.
 */
export type Schema = { readonly [keyword: string]: unknown };

const ofType =
  (type: string) =>
  (options: Schema = {}): Schema => ({ type, ...options });

/** The runtime has `rawJSON`; TypeScript's declarations do not yet. */
const { rawJSON: rawJson } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/** Parses JSON text to a value that `JSON.stringify` writes with the same digits. */
export function exactJson(text: string): unknown {
  const exact = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? rawJson(context.source) : value;
  return JSON.parse(text, exact);
}

/** Bounds of a text that is compared by its meaning: JSON Schema has keywords for numbers alone. */
export function between(least: string, most: string): Schema {
  return { description: `From ${least} to ${most}.`, 'x-minimum': least, 'x-maximum': most };
}

export const jsonSchema = {
  string: ofType('string'),
  integer: ofType('integer'),
  number: ofType('number'),
  boolean: ofType('boolean'),
  null: ofType('null'),
  anything: (): Schema => ({}),
  array: (items: Schema, options: Schema = {}): Schema => ({ type: 'array', items, ...options }),
  either: (anyOf: readonly Schema[], options: Schema = {}): Schema => ({ anyOf, ...options }),
  /** Members that are not among `optional` are required. */
  object(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = [], options: Schema = {}): Schema {
    const required = Object.keys(properties).filter((key) => !optional.includes(key));
    return { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options };
  },
};
