import { isDecimal, maxInteger, minInteger, scaledInteger, withPoint } from '../../exact/integer.ts';
import type { FieldDeclaration } from '../record/declaration.ts';
import { between, jsonSchema } from '../record/json-schema.ts';
import { literal } from '../sql-text.ts';
import { countOption } from './option.ts';
import {
  boundsNarrow,
  comparisons,
  exactSum,
  type FieldType,
  fromJsonText,
  type Option,
  type Refusal,
} from './type.ts';

const bound = (description: string): Option => ({
  schema: jsonSchema.string({ pattern: '^-?\\d+(\\.\\d+)?$', description }),
  expected: 'a decimal number in a string, such as "0.50"',
  isRight: (value) => typeof value === 'string' && isDecimal(value),
});

export const decimal: FieldType = {
  about: 'An exact decimal number, in a string with always the same number of places.',
  options: {
    scale: { ...countOption('Places after the point.', 0, 9), required: true },
    min: bound('Lowest value.'),
    max: bound('Highest value.'),
  },
  problems(declared) {
    const scale = scaleOf(declared);
    const outside = (['min', 'max'] as const).filter(
      (option) => declared[option] !== undefined && scaledInteger(String(declared[option]), scale) === undefined,
    );
    if (outside.length > 0)
      return outside.map((option) => [option, `must have at most ${scale} places, and 64 bits without the point`]);
    const { least, most } = boundsOf(declared);
    return least > most ? [['min', 'must not be above max']] : [];
  },
  narrows: (before, after) =>
    boundsNarrow(before, after, (bound) =>
      bound === undefined ? undefined : scaledInteger(String(bound), scaleOf(after)),
    ),
  kept: (declared) => `scale ${scaleOf(declared)}`,
  canBeUnique: true,
  isScalar: true,
  compile(declared) {
    const scale = scaleOf(declared);
    const { least, most } = boundsOf(declared);
    const write = (value: bigint) => withPoint(value, scale);
    const parse = (text: string) => {
      const value = scaledInteger(text, scale);
      return value === undefined ? undefined : write(value);
    };
    const example = write(least > 0n ? least : most < 0n ? most : 0n);
    const isBounded = least > minInteger || most < maxInteger;
    /** As `write` writes it, and within 64 bits. */
    const written = new RegExp(`^-?(?:0|[1-9]\\d{0,8})${scale === 0 ? '' : `\\.\\d{${scale}}`}$`);

    function read(value: unknown): string | Refusal {
      // Most values are spelled so, and need no arithmetic.
      if (!isBounded && typeof value === 'string' && written.test(value) && !isMinusZero(value)) return value;
      if (typeof value !== 'string') return { refused: `must be a decimal number in a string, such as "${example}"` };
      const number = scaledInteger(value, scale);
      if (number === undefined)
        return {
          refused: `must be a decimal number with at most ${scale} places, from ${write(least)} to ${write(most)}`,
        };
      if (number < least) return { refused: `must be at least ${write(least)}` };
      return number > most ? { refused: `must be at most ${write(most)}` } : write(number);
    }
    const places = scale === 0 ? '' : `(\\.\\d{1,${scale}})?`;
    const spelling = { format: 'decimal', pattern: `^-?\\d{1,${19 - scale}}${places}$` };
    return {
      declared,
      schema: jsonSchema.string({ ...spelling, ...between(write(least), write(most)) }),
      example,
      typescript: 'string',
      read,
      readCell: read,
      revive: (value) => value as string,
      encode: (value) => `"${value}"`,
      zero: write(0n),
      precision: scale,
      add: (value, amount) =>
        write((scaledInteger(String(value), scale) ?? 0n) + (scaledInteger(String(amount), scale) ?? 0n)),
      filter: {
        operators: comparisons,
        expected: `a decimal number with at most ${scale} places`,
        schema: jsonSchema.string({ ...spelling, ...between(write(minInteger), write(maxInteger)) }),
        parse,
      },
      isOrdered: true,
      sqlite: {
        column: 'integer',
        bind: (value) => {
          const digits = String(value).replace('.', '');
          // A number is bound faster than a bigint.
          return digits.length < 10 ? Number(digits) : BigInt(digits);
        },
        unbind: (value) => write(BigInt(value)),
      },
      postgres: {
        column: `numeric(19, ${scale})`,
        name: 'numeric',
        select: (column) => `${column}::text`,
        json: (column) => `${column}::text`,
        fromJson: fromJsonText('numeric'),
        sum: (column, amount) => exactSum(column, amount),
        isInBounds: (sum) => `${sum}::numeric between ${literal(write(least))} and ${literal(write(most))}`,
        unbind: String,
      },
    };
  },
};

function scaleOf({ scale }: FieldDeclaration): number {
  return Number(scale ?? 0);
}

function boundsOf(declared: FieldDeclaration): { readonly least: bigint; readonly most: bigint } {
  const scale = scaleOf(declared);
  return {
    least: scaledInteger(String(declared.min ?? ''), scale) ?? minInteger,
    most: scaledInteger(String(declared.max ?? ''), scale) ?? maxInteger,
  };
}

function isMinusZero(text: string): boolean {
  return text.startsWith('-0') && !/[1-9]/.test(text);
}
