/** Names of indexes, the same in both engines. A collection cannot have such a name, because of the colon. */

/** In bytes: PostgreSQL cuts longer names. */
const maxName = 63;

export function indexName(collection: string, fields: readonly string[]): string {
  const name = `${collection}:${fields.join(',')}`;
  return name.length <= maxName ? name : `${collection.slice(0, 40)}:${Bun.hash(name).toString(36)}`;
}

export function uniqueIndexName(collection: string, field: string): string {
  // No field has an empty name.
  return indexName(collection, ['', field]);
}
