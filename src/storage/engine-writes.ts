/** The writes of an engine, which it makes for every caller alike. `views/` judges each by the rights of its caller. */
import type { Collection } from '../domain/record/collection.ts';
import type { Recorded } from '../domain/record/record.ts';
import type { Bulk } from '../domain/store/bulk.ts';
import type { Client } from '../domain/store/client.ts';
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
} from '../domain/store/transaction.ts';
import type { BulkOptions } from '../domain/store/writes.ts';

export interface EngineWrites {
  /**
   * Resolves only when the write would survive a power cut. Rejects with `storage_unavailable` or `overloaded` if nothing was stored, and with
   * `outcome_unknown` if that is not known. Rejects with `already_exists`, `reference_missing`, `still_referenced` or
   * `forbidden` because of other records, and with `key_reused` if the key came with another request before. Bulks do the same.
   */
  commit(transaction: Transaction<Create>): Promise<Created>;
  /** Resolves with the whole record after the change. */
  commit(transaction: Transaction<Update>): Promise<Recorded | Unchanged>;
  commit(transaction: Transaction<Delete | DeleteFirst>): Promise<'done' | Unchanged>;
  /**
   * Applies all operations or none. Its changes have consecutive numbers. Also rejects with `not_found`, `precondition_failed`, `check_failed`,
   * `out_of_bounds` or `too_many_records`, with the index of the operation as `operation`.
   */
  commit(transaction: MultiTransaction): Promise<Committed>;

  /** Opens a bulk of any size; rejects with `overloaded` if too many are open. */
  bulk(collection: Collection, client: Client, options?: BulkOptions): Promise<Bulk>;
}
