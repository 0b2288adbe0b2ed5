/** The declared fields of a record, and how a JSON body is read into them. */
import type { FieldValue } from './encode.ts';
import { invalidBody, type Problem } from './errors.ts';
import type { Field } from './field.ts';
import type { Json } from './json.ts';

export type Fields = Readonly<Record<string, Field>>;

/** A record as the contract knows it: its client-supplied id and the declared fields. */
export type Row = { readonly id: bigint; readonly [field: string]: FieldValue };

/** Throws `invalid_body` where the body is not a JSON object. */
export function objectIn(singular: string, { value }: Json): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw invalidBody(singular, [{ field: undefined, message: 'must be a JSON object' }]);
}

/**
 * The fields that a body has. Adds to `problems` what is wrong with them; `missing` says what is wrong with one that is not
 * there.
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
