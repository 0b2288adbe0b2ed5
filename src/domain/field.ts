/** Field types: the values that each accepts, and the message for a value that it refuses. */
import Type, { type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { FieldValue, Kind } from './encode.ts';
import { exactInteger, maxInteger, minInteger } from './integer.ts';

/** The problem with a value; the message follows the name of the field. */
export type Refusal = { readonly refused: string };

export type Field<Value extends FieldValue = FieldValue> = {
  readonly kind: Kind;
  /** The values that `read` accepts, for OpenAPI. */
  readonly schema: TSchema;
  /** Converts a JSON value to the value to store. `literal` has the digits as sent, if a double may have lost some. */
  read(value: unknown, literal: string | undefined): Value | Refusal;
};

/** Any well-formed Unicode text without U+0000, which PostgreSQL cannot hold. */
export function text(): Field<string> {
  return {
    kind: 'text',
    // For clients only: `read` looks for the character itself, which is faster than a pattern.
    schema: Type.String({ pattern: '^[^\\u0000]*$' }),
    read: (value) => {
      if (typeof value !== 'string') return { refused: 'must be a string' };
      if (!value.isWellFormed()) return { refused: 'must be well-formed Unicode (it has half of a surrogate pair)' };
      if (value.includes('\0')) return { refused: 'must not contain the character U+0000' };
      return value;
    },
  };
}

/** Any finite double. */
export function number(): Field<number> {
  const schema = Type.Number({ format: 'double' });
  const validator = Compile(schema);
  return {
    kind: 'number',
    schema,
    read: (value, literal) => {
      if (validator.Check(value)) return value;
      return { refused: literal === undefined ? 'must be a number' : 'must be a number that a 64-bit double can hold' };
    },
  };
}

/** Any 64-bit integer, digit for digit. */
export function integer(): Field<bigint> {
  const schema = Type.Integer({ format: 'int64' });
  const validator = Compile(schema);
  return {
    kind: 'integer',
    schema,
    read: (value, literal) => {
      if (literal === undefined) return validator.Check(value) ? BigInt(value) : { refused: 'must be an integer' };
      const exact = exactInteger(literal);
      if (typeof exact === 'bigint') return exact;
      return { refused: `must be an integer${exact === 'out of range' ? ` from ${minInteger} to ${maxInteger}` : ''}` };
    },
  };
}
