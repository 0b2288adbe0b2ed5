/** Rules of collections, checked in the same way on both engines: references lead somewhere, unique values are unique, and checks hold. */

import { StartError } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { among, listed, shortCondition } from '../../domain/record/rule-text.ts';
import type { UniqueRule } from '../../domain/record/unique-rules.ts';
import { identifier } from '../../domain/sql-text.ts';
import type { Expressions } from '../query-sql.ts';
import { brokenCheck, equalValues, lostReference } from '../violations.ts';

/** Returns the first row of a query that has two columns of integers, with all digits; undefined if there is none. */
export type AskPair = (query: string) => Promise<readonly [bigint, bigint] | undefined>;

/** A database that is asked, in its own dialect. */
export type Asked = { readonly ask: AskPair; readonly dialect: Expressions };

/** What is wrong, one line for each rule and reference. */
export async function constraintViolations(
  collections: readonly Collection[],
  { ask, dialect }: Asked,
): Promise<string[]> {
  const broken: string[] = [];
  for (const collection of collections) {
    const { name, unique, checks, references } = collection;
    for (const rule of unique) {
      const twice = await ask(equalValues(dialect, collection, rule));
      if (twice !== undefined) broken.push(`${name} ${twice[0]} and ${twice[1]} have ${sameValues(rule)}`);
    }
    for (const rule of checks) {
      const record = await ask(`select seq, seq from (${brokenCheck(dialect, collection, rule)}) as _broken`);
      if (record !== undefined) broken.push(`${name} ${record[0]} does not meet ${shortCondition(rule.condition)}`);
    }
    for (const { field, to } of references) {
      const lost = await ask(lostReference(identifier(name), identifier(field), identifier(to)));
      if (lost !== undefined)
        broken.push(`${name} ${lost[0]} refers to ${to} ${lost[1]} with ${field}, which does not exist`);
    }
  }
  return broken;
}

function sameValues({ fields, condition }: UniqueRule): string {
  const together = fields.length === 1 ? '' : ' together';
  return `the same ${listed(fields)}, which must be unique${together}${among(condition)}`;
}

/** Throws a StartError with the first one. */
export async function requireConstraints(collections: readonly Collection[], asked: Asked): Promise<void> {
  const [broken] = await constraintViolations(collections, asked);
  if (broken !== undefined)
    throw new StartError(`${broken}: nothing was stored. Correct that at the source, and retry.`);
}
