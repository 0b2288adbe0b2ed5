/** The declared fields of a record, and reading them from a JSON body. */
import type { FieldValue } from './encode.ts';
import { invalidBody, type Problem } from './errors.ts';
import type { Field } from './field.ts';
import type { Json } from './json.ts';

export type Fields = Readonly<Record<string, Field>>;

/** A record of the contract API: the id that the client supplied, and the declared fields. */
export type Row = { readonly id: bigint; readonly [field: string]: FieldValue };

/** Throws `invalid_body` if the body is not a JSON object. */
export function objectIn(singular: string, { value }: Json): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw invalidBody(singular, [{ field: undefined, message: 'must be a JSON object' }]);
}

/**
 * Reads the fields that the body has, and adds their problems to `problems`. `missing` returns the problem with an
 * absent field, or undefined if it is optional.
 */
export function readFields(
  sent: Readonly<Record<string, unknown>>,
  fields: readonly (readonly [key: string, field: Field])[],
  literal: Json['literal'],
  missing: (key: string) => string | undefined,
  problems: Problem[],
): Record<string, FieldValue> {
  const values: Record<string, FieldValue> = {};
  for (const [key, field] of fields) {
    if (!Object.hasOwn(sent, key)) {
      const message = missing(key);
      if (message !== undefined) problems.push({ field: key, message });
      continue;
    }
    const read = field.read(sent[key], literal(key));
    if (typeof read === 'object') problems.push({ field: key, message: read.refused });
    else values[key] = read;
  }
  return values;
}
