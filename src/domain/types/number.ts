import { isNumeral, spelled } from '../../exact/numeral.ts';
import { jsonSchema } from '../record/json-schema.ts';
import { literal } from '../sql-text.ts';
import {
  boundsNarrow,
  comparisons,
  count,
  type FieldType,
  fromJsonText,
  type Option,
  type Refusal,
  sameInPostgres,
} from './type.ts';

const bound = (description: string): Option => ({
  schema: jsonSchema.number({ description }),
  expected: 'a number',
  // A whole number beyond 2^53 is read as a bigint.
  isRight: (value) => Number.isFinite(typeof value === 'bigint' ? Number(value) : value),
});

export const number: FieldType = {
  about: 'A double, bit for bit.',
  options: { min: bound('Lowest value.'), max: bound('Highest value.') },
  problems({ min, max }) {
    return Number(min ?? -Infinity) > Number(max ?? Infinity) ? [['min', 'must not be above max']] : [];
  },
  narrows: (before, after) => boundsNarrow(before, after, count),
  canBeUnique: false,
  isScalar: true,
  compile(declared) {
    const least = Number(declared.min ?? -Infinity);
    const most = Number(declared.max ?? Infinity);
    function read(value: unknown, exact: string | undefined): number | Refusal {
      if (typeof value !== 'number') return { refused: 'must be a number' };
      if (!Number.isFinite(value))
        return {
          refused: exact === undefined ? 'must be a number' : 'must be a number that a 64-bit double can hold',
        };
      if (value < least) return { refused: `must be at least ${least}` };
      return value > most ? { refused: `must be at most ${most}` } : value;
    }
    return {
      declared,
      schema: jsonSchema.number({
        format: 'double',
        ...(least > -Infinity ? { minimum: least } : {}),
        ...(most < Infinity ? { maximum: most } : {}),
      }),
      example: least > 9.99 ? least : most < 9.99 ? most : 9.99,
      typescript: 'number',
      read,
      readCell: (text) => read(isNumeral(text) ? Number(text) : undefined, text),
      revive: (value) => value as number,
      encode: spelled,
      zero: 0,
      precision: 'binary',
      add: (value, amount) => spelled((value as number) + (amount as number)),
      filter: {
        operators: comparisons,
        expected: 'a number',
        schema: jsonSchema.number({ format: 'double' }),
        parse: (text) => {
          const value = isNumeral(text) ? Number(text) : Number.NaN;
          return Number.isFinite(value) ? value : undefined;
        },
      },
      isOrdered: true,
      sqlite: {
        // SQLite stores -0.0 in a REAL column as the integer 0. The check replaces the missing type.
        column: 'any',
        check: (column) => `typeof(${column}) in ('real', 'integer')`,
        isPlain: true,
        bind: (value) => value as number,
        // A double without a fraction is returned as an integer.
        unbind: Number,
      },
      postgres: {
        ...sameInPostgres,
        column: 'double precision',
        name: 'double precision',
        fromJson: fromJsonText('double precision'),
        sum: (column, amount) => doubleSum(column, amount),
        isInBounds: (sum) => `${sum}::double precision between ${literal(finite(least))} and ${literal(finite(most))}`,
        unbind: Number,
        // PostgreSQL writes 1e+16, and every answer has all digits up to 1e+21.
        respell: (text) => spelled(Number(text)),
      },
    };
  },
};

/** The highest double instead of infinity, which is no value. */
function finite(bound: number): string {
  return String(Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, bound)));
}

/** Added to any double, an amount below it does not overflow. */
const harmless = 1e290;

/** As JavaScript adds: PostgreSQL has an error instead of infinity, and one for half of the smallest double. */
function doubleSum(column: string, amount: string): string {
  const [one, other] = [`coalesce(${column}, 0)`, `${amount}::double precision`];
  return `case when least(abs(${one}), abs(${other})) < ${harmless} or sign(${one}) <> sign(${other})
      or abs(${one} / 2 + ${other} / 2) < ${2 ** 1023}
    then ${one} + ${other} else sign(${one}) * 'Infinity'::double precision end`;
}
