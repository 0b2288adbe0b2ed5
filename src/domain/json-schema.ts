/**
 * JSON Schema, as far as records need it. The threads of the storage compile collections, too, and a library for schemas would
 * take longer to load there than all the rest.
 */
export type Schema = { readonly [keyword: string]: unknown };

const ofType =
  (type: string) =>
  (options: Schema = {}): Schema => ({ type, ...options });

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
