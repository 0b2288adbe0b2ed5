/** The bars of one measure: doubles are exact enough to draw with. */
import type { JsonText } from '../../../src/exact/json-text.ts';
import { unquoted } from '../../api/json.ts';

/** In percent of the room for bars. */
export type Bar = { readonly start: number; readonly length: number };

/** All begin at the place of 0. Undefined for null. */
export function barsOf(values: readonly (JsonText | undefined)[]): readonly (Bar | undefined)[] {
  const numbers = values.map((value = 'null') => (value === 'null' ? undefined : Number(unquoted(value))));
  const known = numbers.filter((number) => number !== undefined);
  const [least, most] = [Math.min(0, ...known), Math.max(0, ...known)];
  // The halves of the largest doubles have a difference.
  const percent = (number: number) => (number / 2 / (most / 2 - least / 2 || 1)) * 100;
  return numbers.map((number) =>
    number === undefined
      ? undefined
      : { start: percent(Math.min(number, 0)) - percent(least), length: percent(Math.abs(number)) },
  );
}
