/** Names of indexes, the same in both engines. A collection cannot have such a name, because of the colon. */

import type { Collection } from '../domain/record/collection.ts';
import type { UniqueRule } from '../domain/record/unique-rules.ts';
import { wordsColumn } from './word-index.ts';

/** In bytes: PostgreSQL cuts longer names. */
const maxName = 63;

export function indexName(collection: string, fields: readonly string[]): string {
  const name = `${collection}:${fields.join(',')}`;
  return name.length <= maxName ? name : `${collection.slice(0, 40)}:${Bun.hash(name).toString(36)}`;
}

/** The index of the words of a field. */
export function wordsIndexName(collection: string, field: string): string {
  return indexName(collection, [wordsColumn(field)]);
}

/** The index of words as an explanation names it, beside those that have fields. */
export function wordsIndexTitle(field: string): string {
  return `${field}[words]`;
}

/** The fields of the index with this name; undefined if it is none of the declared ones, nor that of ids. */
export function indexFields(
  { name, indexes, unique, contract, searched }: Collection,
  index: string,
): readonly string[] | undefined {
  if (index === `${name}_pkey`) return ['id'];
  if (contract !== undefined && index === `${name}_by_id`) return ['external_id'];
  const field = searched.find((one) => wordsIndexName(name, one) === index);
  if (field !== undefined) return [wordsIndexTitle(field)];
  const declared = indexes.find((fields) => indexName(name, fields) === index);
  return declared ?? unique.find((rule) => uniqueIndexName(name, rule) === index)?.fields;
}

/** Another condition is another index: a digest tells them apart. */
export function uniqueIndexName(collection: string, { fields, condition }: UniqueRule): string {
  const digest = condition === undefined ? [] : [`?${Bun.hash(condition).toString(36)}`];
  // No field has an empty name, or one with a question mark.
  return indexName(collection, ['', ...fields, ...digest]);
}
