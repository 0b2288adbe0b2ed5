/** What makes other records of the same rows, for the keys of batches: the same as in `shelf import`. */
import { ownNames } from './entry.ts';
import type { Plan } from './plan.ts';

/** The fields of columns, or the members of lines that have other names. */
export function meaningOf({ layout: { format, separator, columns }, fields }: Plan): readonly unknown[] {
  if (format === 'csv') return ['csv', separator, fields];
  const renamed = columns
    .map((name, place) => [name, fields[place] ?? null] as const)
    .filter(([name, field]) => field !== name && (field !== null || !ownNames.includes(name)));
  return ['lines', renamed.sort(([one], [other]) => (one < other ? -1 : 1))];
}
