/** What was added under a key before, as every engine keeps it. */
import type { Collection } from '../../domain/collection.ts';
import { parseJson } from '../../domain/json.ts';
import type { Repeated } from '../../domain/store.ts';

export type RepeatedRow = { readonly repeated: number; readonly at: string; readonly json: string };

/** As it was then, whatever became of it since. */
export function repeatedOf(collection: Collection, { repeated, at, json }: RepeatedRow): Repeated {
  const row = collection.parse(parseJson(json));
  return { repeated: { seq: repeated, version: 1, createdAt: at, updatedAt: at, row } };
}
