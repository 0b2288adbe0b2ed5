/** Deletes several records of a collection. Each batch is a transaction: all of its records are deleted, or none. */
import { keyOf } from '../../src/client/send/idempotency-key.ts';
import type { Collection } from './declarations.ts';
import type { Row } from './pages.ts';
import { messageOf, ShelfError } from './problem.ts';
import { type Request, send } from './request.ts';

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

/**
 * Why these cannot be deleted now, for people; undefined if they can. The server tries each batch, so it judges as in the deletion:
 * with what cascades reach, and with what the caller may not see.
 */
export async function whyKept(
  collection: Collection,
  batches: readonly Batch[],
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const [place, batch] of batches.entries()) {
    const { request } = batch;
    try {
      await send({ ...request, path: `${request.path}?dry_run=true`, signal });
    } catch (error) {
      // The records that refer to these may be in an earlier batch, which is deleted first.
      if (place > 0 && isHeldBy(collection, error)) continue;
      const { id, why } = faultIn(batch, error);
      return id === undefined ? why : `The ${collection.singular} ${id} cannot be deleted. ${why}`;
    }
  }
  return undefined;
}

function isHeldBy({ name }: Collection, error: unknown): boolean {
  if (!(error instanceof ShelfError) || error.code !== 'still_referenced') return false;
  return 'collection' in error.details && error.details.collection === name;
}

/** The record of a batch because of which all of it was refused, if one is known, and the reason. */
export function faultIn({ rows }: Batch, error: unknown): { readonly id: string | undefined; readonly why: string } {
  const place = error instanceof ShelfError && 'operation' in error.details ? Number(error.details.operation) : -1;
  return { id: rows[place]?.id, why: messageOf(error).replace(/^Operation \d+: /, '') };
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
