/** Bounds of the memory that a summary takes. They are the same on every engine. */
import { Failure } from '../errors.ts';
import { maxRows } from './summary.ts';

export const bounds = {
  groups: 100_000,
  /** Of `distinct`, in all groups and measures together. */
  values: 1_000_000,
  /** Of the texts of groups, and of the longest text of each group and field with `min` or `max`. */
  bytes: 16 * 1024 * 1024,
};

export type Amount = { readonly groups: number; readonly values: number; readonly bytes: number };

/** Throws `invalid_query`. */
export function requireWithin({ groups, values, bytes }: Amount): void {
  if (groups > bounds.groups) throw tooMuch(`more than ${bounds.groups} groups`);
  if (values > bounds.values) throw tooMuch(`more than ${bounds.values} values in its distinct measures`);
  if (bytes > bounds.bytes) throw tooMuch(`more than ${bounds.bytes} bytes of text`);
}

/** Throws `invalid_query` unless the answer can have all of these rows. */
export function requireFewRows(groups: number): void {
  if (groups <= maxRows) return;
  throw new Failure('invalid_query', {
    detail: `The summary has ${groups} groups, and without a limit at most ${maxRows}: send limit=${maxRows} or less, or narrow where or having.`,
  });
}

/** Of a sum that JSON has no number for. */
export function beyondDoubles(measure: string): Failure {
  return new Failure('invalid_query', {
    detail: `The summary has a ${measure} beyond the highest double: leave it out, or narrow where.`,
  });
}

function tooMuch(what: string): Failure {
  return new Failure('invalid_query', { detail: `The summary has ${what}: narrow where, or group by less.` });
}
