/** The fields of other collections, and of its own, that refer to a collection, and how many records refer to one of its records. */
import { countOf } from './count.ts';
import type { Collection } from './declarations.ts';
import { searchOf } from './query.ts';

export type Referrer = {
  readonly collection: Collection;
  readonly field: string;
};

export function referrersOf({ name }: Collection, collections: readonly Collection[]): readonly Referrer[] {
  return collections.flatMap((collection) =>
    Object.entries(collection.fields)
      .filter(([, { to }]) => to === name)
      .map(([field]) => ({ collection, field })),
  );
}

/** As digits. */
export function referringCount({ collection, field }: Referrer, id: string, signal: AbortSignal): Promise<string> {
  return countOf(collection.name, searchOf({ filters: [{ field, operator: 'eq', value: id }], sort: [] }), signal);
}
