/** Committed changes. */
import type { Collection } from '../record/collection.ts';
import type { Recorded } from '../record/record.ts';
import type { History } from './feed-history.ts';

/** A transaction of several operations: the number of its first change, and how many it has. Their numbers are consecutive. */
export type ChangeTransaction = { readonly first: number; readonly size: number };

/** One committed change; for a deletion `record` is the last state. */
export type Change = {
  readonly changeNumber: number;
  readonly type: 'created' | 'updated' | 'deleted';
  readonly at: string;
  /** The name of the API key, or the subject of the token, that made the change; undefined if there was none. */
  readonly by: string | undefined;
  /** The trace of the request that made the change; absent if it had none. */
  readonly traceId?: string | undefined;
  /** The transaction of several operations that the change belongs to. */
  readonly transaction?: ChangeTransaction | undefined;
  readonly collection: Collection;
  /** What one record was called when the change was recorded. */
  readonly singular: string;
  readonly record: Recorded;
  /**
   * Of an update: the members of the record that it changed, as they were before, as JSON like that of `record`, with `version` and `updated_at`. Undefined for
   * an update of a release that did not store it.
   */
  readonly before?: string | undefined;
};

/**
 * `more`: there are changes after these. `history` is from the moment of the read, or later. `to` is how far the read has looked: of what was
 * asked for, there is and will be no other change up to this number. `isPartial`: they end inside a transaction, which is larger than one read.
 */
export type Changes = {
  readonly changes: readonly Change[];
  readonly more: boolean;
  readonly history: History;
  readonly to: number;
  readonly isPartial: boolean;
};

/**
 * Leaves out the end of a read that stopped inside a transaction, so that the next read has it whole. A transaction that the read begins with
 * is kept: the next read would stop inside it, too. `next` is the first change of the transaction that the change after these belongs to, if any.
 */
export function wholeTransactions<One extends Pick<Change, 'transaction'>>(
  read: readonly One[],
  next: number | undefined,
): { readonly kept: readonly One[]; readonly isPartial: boolean } {
  const isInside = (one: One | undefined) => one?.transaction !== undefined && one.transaction.first === next;
  if (!isInside(read.at(-1))) return { kept: read, isPartial: false };
  const before = read.findLastIndex((one) => !isInside(one));
  return before < 0 ? { kept: read, isPartial: true } : { kept: read.slice(0, before + 1), isPartial: false };
}
