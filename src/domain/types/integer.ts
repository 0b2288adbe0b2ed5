import { exactInteger, integerOf, maxInteger, minInteger } from '../../exact/integer.ts';
import { exactJson, jsonSchema } from '../record/json-schema.ts';
import { integerIn, integerOption } from './option.ts';
import {
  boundsNarrow,
  comparisons,
  exactSum,
  type Field,
  type FieldType,
  fromJsonText,
  type Refusal,
  sameInPostgres,
} from './type.ts';

export const integer: FieldType = {
  about: 'A whole number of 64 bits, with every digit.',
  options: { min: integerOption('Lowest value.'), max: integerOption('Highest value.') },
  problems({ min, max }) {
    return (integerIn(min) ?? minInteger) > (integerIn(max) ?? maxInteger) ? [['min', 'must not be above max']] : [];
  },
  narrows: (before, after) => boundsNarrow(before, after, integerIn),
  canBeUnique: true,
  isScalar: true,
  compile(declared) {
    const least: bigint = integerIn(declared.min) ?? minInteger;
    const most: bigint = integerIn(declared.max) ?? maxInteger;
    const isBounded = least > minInteger || most < maxInteger;
    function read(value: unknown, exact: string | undefined): bigint | Refusal {
      const number = readInteger(value, exact, least, most);
      if (typeof number !== 'bigint' || !isBounded) return number;
      if (number < least) return { refused: `must be at least ${least}` };
      return number > most ? { refused: `must be at most ${most}` } : number;
    }
    return {
      declared,
      schema: jsonSchema.integer({
        format: 'int64',
        ...(least > minInteger ? { minimum: exactJson(String(least)) } : {}),
        ...(most < maxInteger ? { maximum: exactJson(String(most)) } : {}),
      }),
      // A bigint has all its digits in an example, too.
      example: least > 1n ? least : most < 1n ? most : 1,
      read,
      readCell: (text) => read(undefined, text),
      ...sameInteger,
      postgres: {
        ...sameInteger.postgres,
        sum: (column, amount) => exactSum(column, amount),
        isInBounds: (sum) => `${sum}::numeric between ${least} and ${most}`,
      },
      zero: 0n,
      precision: 0,
      add: (value, amount) => String((value as bigint) + (amount as bigint)),
    };
  },
};

/** `exact` has the digits as sent, if a double may have lost some. */
export function readInteger(value: unknown, exact: string | undefined, least: bigint, most: bigint) {
  if (exact === undefined) return Number.isInteger(value) ? BigInt(value as number) : { refused: 'must be an integer' };
  const number = exactInteger(exact);
  if (typeof number === 'bigint') return number;
  return { refused: `must be an integer${number === 'out of range' ? ` from ${least} to ${most}` : ''}` };
}

/** For every type whose values are 64-bit integers. */
export const sameInteger = {
  // A double would lose digits.
  typescript: 'bigint',
  revive: (value, exact) => BigInt(exact === undefined ? (value as number) : (exactInteger(exact) as bigint)),
  encode: String,
  filter: {
    operators: comparisons,
    expected: 'a 64-bit integer',
    schema: jsonSchema.integer({ format: 'int64' }),
    parse: integerOf,
  },
  isOrdered: true,
  sqlite: { column: 'integer', isPlain: true, bind: (value) => value as bigint, unbind: BigInt },
  postgres: {
    ...sameInPostgres,
    column: 'bigint',
    name: 'bigint',
    fromJson: fromJsonText('bigint'),
    unbind: (value) => BigInt(value as string),
    encode: String,
  },
} satisfies Omit<Field, 'declared' | 'schema' | 'example' | 'read' | 'readCell'>;
