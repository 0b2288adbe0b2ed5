/** The stored result of an idempotency key, the same in every engine. */
import type { Created } from '../../domain/store/transaction.ts';

export type RepeatedRow = { readonly repeated: number; readonly at: string; readonly json: string };

export const idempotencyKeyColumns = ['collection', 'key', 'digest', 'at', 'record_seq', 'record'] as const;

/** The record as it was created, even if it has changed since. */
export function repeatedOf({ repeated, at, json }: RepeatedRow): Created {
  return { recordId: repeated, version: 1, createdAt: at, updatedAt: at, json, isRepeated: true };
}
