/** Advice for fields and collections that may have been renamed: a plan without `was` removes one and adds another. */
import { mayBeAbsent } from '../domain/record/record-schemas.ts';
import type { CollectionChange } from './plan.ts';

/** What is removed while others are added, which may be the same under another name. */
export type Rename = {
  /** Of a field; null for a collection. */
  readonly collection: string | null;
  readonly from: string;
  readonly to: readonly string[];
};

export function renamesIn({
  changes,
  unserved,
}: {
  readonly changes: readonly CollectionChange[];
  readonly unserved: readonly string[];
}): Rename[] {
  const to = newCollections(changes);
  const collections = to.length === 0 ? [] : unserved.map((from) => ({ collection: null, from, to }));
  return [...collections, ...changes.flatMap(fieldRenames)];
}

/** A new field of the same type may be a removed one. */
function fieldRenames({ name, before, after, sources, steps }: CollectionChange): Rename[] {
  if (before === undefined || steps.length === 0) return [];
  const kept = new Set(sources.values());
  const added = Object.entries(after.fields).filter(([key]) => !sources.has(key));
  return Object.entries(before.declaration.fields).flatMap(([from, { type }]) => {
    const to = added.filter(([, field]) => field.type === type).map(([key]) => key);
    return kept.has(from) || to.length === 0 ? [] : [{ collection: name, from, to }];
  });
}

/** One line for each removed field that a new one of the same type may be, and for each new field that needs a value. */
export function fieldAdvice(changes: readonly CollectionChange[]): string[] {
  return changes.flatMap((change) => {
    const { name, before, after, sources, steps } = change;
    if (before === undefined || steps.length === 0) return [];
    const added = Object.entries(after.fields).filter(([key]) => !sources.has(key));
    const renamed = fieldRenames(change).map(
      ({ from, to }) =>
        `If ${name}.${from} is called ${to.join(' or ')} now, declare "was": "${from}" there: its values are kept.`,
    );
    const required = added
      .filter(([, field]) => !mayBeAbsent(field))
      .map(([key]) => `Unless ${name} is empty, ${name}.${key} needs "was", a default or "optional": true.`);
    return [...renamed, ...required];
  });
}

/** One line for each new collection, if it can be one that is not declared any more. */
export function collectionAdvice(changes: readonly CollectionChange[], unserved: readonly string[]): string[] {
  if (unserved.length === 0) return [];
  return newCollections(changes).map(
    (name) => `If ${unserved.join(' or ')} is called ${name} now, declare "was" there: its records are kept.`,
  );
}

function newCollections(changes: readonly CollectionChange[]): string[] {
  return changes
    .filter(({ before, steps }) => before === undefined && steps.every(({ risk }) => risk === 'none'))
    .map(({ name }) => name);
}

/** Collections that the database has and the file does not declare; none of them is lost. */
export function unservedLine(unserved: readonly string[]): string {
  const [their, them] = unserved.length === 1 ? ['its', 'it'] : ['their', 'them'];
  return `Not served: ${unserved.join(', ')}. The database has ${them}, and the file does not declare ${them}; ${their} records stay.`;
}
