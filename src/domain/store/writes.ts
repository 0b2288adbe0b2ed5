/** The writes to a store. */
import type { BoundAccess } from '../access/bound-access.ts';
import type { Collection } from '../record/collection.ts';
import type { Recorded } from '../record/record.ts';
import type { UniqueRule } from '../record/unique-rules.ts';
import type { Trace } from '../trace.ts';
import type { Bulk } from './bulk.ts';
import type { Client } from './client.ts';
import type {
  Committed,
  Create,
  Created,
  Delete,
  DeleteFirst,
  MultiTransaction,
  Transaction,
  Unchanged,
  Update,
} from './transaction.ts';

/**
 * For whom a write is: a caller with a role, which may make those that its rules allow, or `everybody`: the server, and callers with a scope, whose
 * routes check it.
 */
export type Writer = BoundAccess | typeof everybody;
export const everybody = 'everybody';

export type BulkOptions = {
  /** The name of the caller. */
  readonly by?: string | undefined;
  readonly trace?: Trace | undefined;
  /** Records that have the same values in its fields are updated. */
  readonly key?: UniqueRule | undefined;
};

export interface Writes {
  /**
   * Resolves only when the write would survive a power cut. Rejects with `storage_unavailable` or `overloaded` if nothing was stored, and with
   * `outcome_unknown` if that is not known. Rejects with `already_exists`, `reference_missing`, `still_referenced` or
   * `forbidden` because of other records, and with `key_reused` if the key came with another request before. Bulks do the same.
   */
  commit(writer: Writer, transaction: Transaction<Create>): Promise<Created>;
  /** Resolves with the whole record after the change. */
  commit(writer: Writer, transaction: Transaction<Update>): Promise<Recorded | Unchanged>;
  commit(writer: Writer, transaction: Transaction<Delete | DeleteFirst>): Promise<'done' | Unchanged>;
  /**
   * Applies all operations or none. Its changes have consecutive numbers. Also rejects with `not_found`, `precondition_failed`, `check_failed`,
   * `out_of_bounds` or `too_many_records`, with the index of the operation as `operation`.
   */
  commit(writer: Writer, transaction: MultiTransaction): Promise<Committed>;

  /** Opens a bulk of any size; rejects with `overloaded` if too many are open. */
  bulk(writer: Writer, collection: Collection, client: Client, options?: BulkOptions): Promise<Bulk>;
}
