/** Deletes several records of a collection. Each batch is a transaction: all of its records are deleted, or none. */
import { keyOf } from '../../src/client/send/idempotency-key.ts';
import type { Collection } from './declarations.ts';
import type { Row } from './pages.ts';
import type { Request } from './request.ts';

/** What one request deletes. */
export type Batch = { readonly rows: readonly Row[]; readonly request: Request & { readonly body?: string } };

/** The server takes so many operations in a transaction. */
export const maxOperations = 1000;

export function deletionBatches(collection: Collection, rows: readonly Row[]): readonly Batch[] {
  const ordered = referrersFirst(collection, rows);
  return Array.from({ length: Math.ceil(rows.length / maxOperations) }, (_, place) => {
    const own = ordered.slice(place * maxOperations, (place + 1) * maxOperations);
    return { rows: own, request: transactionOf(collection.name, own) };
  });
}

/** Each record only if it still has this version. */
function transactionOf(name: string, rows: readonly Row[]) {
  const operations = rows.map(
    ({ id, version }) => `{"op":"delete","collection":"${name}","id":${id},"version":${version}}`,
  );
  return {
    method: 'POST',
    path: '/api/v2/transactions',
    // With the key, a retry after a lost answer gets that answer.
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': keyOf(undefined) },
    body: `{"operations":[\n${operations.join(',\n')}\n]}`,
  } as const satisfies Request;
}

/** The fields that refer to records of the same collection. */
export function ownReferences({ name, fields }: Collection): readonly string[] {
  return Object.keys(fields).filter((field) => fields[field]?.to === name);
}

/**
 * A deletion deletes or changes the records that refer to the deleted one, or they prevent it. So a record that refers to another of
 * them is deleted before that one. Records that refer to each other in a circle come last.
 */
export function referrersFirst(collection: Collection, rows: readonly Row[]): readonly Row[] {
  const fields = ownReferences(collection);
  if (fields.length === 0) return rows;
  const byId = new Map(rows.map((row) => [row.id, row]));
  const targetsOf = (row: Row) =>
    fields.flatMap((field) => byId.get(row.values.get(field) ?? '') ?? []).filter((target) => target !== row);
  const referrers = new Map<Row, number>();
  for (const target of rows.flatMap(targetsOf)) referrers.set(target, (referrers.get(target) ?? 0) + 1);
  const ordered = new Set(rows.filter((row) => !referrers.has(row)));
  // The set grows meanwhile.
  for (const row of ordered)
    for (const target of targetsOf(row)) {
      const left = (referrers.get(target) ?? 0) - 1;
      referrers.set(target, left);
      if (left === 0) ordered.add(target);
    }
  return [...ordered.union(new Set(rows))];
}
