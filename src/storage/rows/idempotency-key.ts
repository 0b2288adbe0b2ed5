/** The stored result of an idempotency key, the same in every engine. */
import type { Collection } from '../../domain/collection.ts';
import { parseJson } from '../../domain/json.ts';
import type { Repeated } from '../../domain/store.ts';

export type RepeatedRow = { readonly repeated: number; readonly at: string; readonly json: string };

/** The record as it was created, even if it has changed since. */
export function repeatedOf(collection: Collection, { repeated, at, json }: RepeatedRow): Repeated {
  const row = collection.parse(parseJson(json));
  return { repeated: { seq: repeated, version: 1, createdAt: at, updatedAt: at, row } };
}
