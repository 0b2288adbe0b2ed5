/** Rules between records, checked with the same queries on both engines: references lead somewhere, unique values are unique. */

import { StartError } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { identifier } from '../../domain/sql-text.ts';
import { equalValues, lostReference } from '../violations.ts';

/** Returns the first row of a query that has two columns of integers, with all digits; undefined if there is none. */
export type AskPair = (query: string) => Promise<readonly [bigint, bigint] | undefined>;

/** What is wrong, one line for each field. */
export async function constraintViolations(collections: readonly Collection[], ask: AskPair): Promise<string[]> {
  const broken: string[] = [];
  for (const { name, unique, references } of collections) {
    for (const field of unique) {
      const twice = await ask(equalValues(identifier(name), identifier(field)));
      if (twice !== undefined)
        broken.push(`${name} ${twice[0]} and ${twice[1]} have the same ${field}, which must be unique`);
    }
    for (const { field, to } of references) {
      const lost = await ask(lostReference(identifier(name), identifier(field), identifier(to)));
      if (lost !== undefined)
        broken.push(`${name} ${lost[0]} refers to ${to} ${lost[1]} with ${field}, which does not exist`);
    }
  }
  return broken;
}

/** Throws a StartError with the first one. */
export async function requireConstraints(collections: readonly Collection[], ask: AskPair): Promise<void> {
  const [broken] = await constraintViolations(collections, ask);
  if (broken !== undefined)
    throw new StartError(`${broken}: nothing was stored. Correct that at the source, and retry.`);
}
