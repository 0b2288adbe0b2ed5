/** Names of indexes, the same in both engines. A collection cannot have such a name, because of the colon. */

import type { Collection } from '../domain/record/collection.ts';

/** In bytes: PostgreSQL cuts longer names. */
const maxName = 63;

export function indexName(collection: string, fields: readonly string[]): string {
  const name = `${collection}:${fields.join(',')}`;
  return name.length <= maxName ? name : `${collection.slice(0, 40)}:${Bun.hash(name).toString(36)}`;
}

/** The fields of the index with this name; undefined if it is none of the declared ones, nor that of ids. */
export function indexFields(
  { name, indexes, unique, contract }: Collection,
  index: string,
): readonly string[] | undefined {
  if (index === `${name}_pkey`) return ['id'];
  if (contract !== undefined && index === `${name}_by_id`) return ['external_id'];
  const declared = indexes.find((fields) => indexName(name, fields) === index);
  const field = unique.find((one) => uniqueIndexName(name, one) === index);
  return declared ?? (field === undefined ? undefined : [field]);
}

export function uniqueIndexName(collection: string, field: string): string {
  // No field has an empty name.
  return indexName(collection, ['', field]);
}
