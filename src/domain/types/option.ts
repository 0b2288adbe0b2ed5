/** Options that several types have. */

import { integerOf } from '../../exact/integer.ts';
import { jsonSchema } from '../record/json-schema.ts';
import type { Option } from './type.ts';

/** A whole number from `least` to `most`. */
export function countOption(what: string, least: number, most: number): Option {
  return {
    schema: jsonSchema.integer({ minimum: least, maximum: most, description: what }),
    expected: `a whole number from ${least} to ${most}`,
    isRight: (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  };
}

/** A 64-bit integer: as a number, or as digits in a string. */
export function integerOption(what: string): Option {
  return {
    schema: jsonSchema.either([jsonSchema.integer(), jsonSchema.string({ pattern: '^-?\\d+$' })], {
      description: what,
    }),
    expected: 'a 64-bit integer',
    isRight: (value) => integerIn(value) !== undefined,
  };
}

/** The integer of an `integerOption`. */
export function integerIn(value: unknown): bigint | undefined {
  if (typeof value !== 'bigint' && typeof value !== 'string' && !Number.isSafeInteger(value)) return undefined;
  return integerOf(String(value));
}
