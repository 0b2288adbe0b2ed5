/** Writes to records: each is sent to the writing thread, and its outcome becomes the answer. */

import { Failure } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Recorded } from '../../domain/record/record.ts';
import type { Bulk } from '../../domain/store/bulk.ts';
import type { Client } from '../../domain/store/client.ts';
import {
  type Committed,
  type Create,
  type Created,
  createdFrom,
  type Delete,
  type DeleteFirst,
  type MultiTransaction,
  type Transaction,
  type Unchanged,
  type Update,
} from '../../domain/store/transaction.ts';
import type { BulkOptions } from '../../domain/store/writes.ts';
import type { SpoolLimits } from '../bulk/spool-limits.ts';
import { type BulkOrder, openBulk } from '../bulk/spooled-bulk.ts';
import type { EngineReads } from '../engine-reads.ts';
import type { EngineWrites } from '../engine-writes.ts';
import { repeatedOf } from '../rows/idempotency-key.ts';
import type { Tables } from './tables.ts';
import { transactionWrite, uniqueKey } from './transaction-write.ts';
import type { WriteQueue } from './write-queue.ts';
import {
  isBulked,
  isCommitted,
  isRemoved,
  isRepeated,
  isUnchanged,
  isUpdated,
  type Outcome,
} from './writer/thread/outcome.ts';
import type { Write } from './writer/thread/write-message.ts';
import type { TransactionResults } from './writer/transaction/transaction-message.ts';

export type WritesOptions = {
  readonly tables: Tables;
  readonly queue: WriteQueue;
  /** For the spool files of bulks. */
  readonly spoolFolder: string;
  readonly spoolLimits: SpoolLimits;
  readonly reads: Pick<EngineReads, 'total'>;
};

export class SqliteWrites implements EngineWrites {
  constructor(readonly options: WritesOptions) {}

  commit(transaction: Transaction<Create>): Promise<Created>;
  commit(transaction: Transaction<Update>): Promise<Recorded | Unchanged>;
  commit(transaction: Transaction<Delete | DeleteFirst>): Promise<'done' | Unchanged>;
  commit(transaction: MultiTransaction): Promise<Committed>;
  async commit(
    transaction: Transaction | MultiTransaction,
  ): Promise<Created | Recorded | 'done' | Unchanged | Committed> {
    if ('operations' in transaction) return this.#commitSeveral(transaction);
    const { operation } = transaction;
    const { outcome, at } = await this.options.queue.submit(this.#writeOf(transaction), transaction.trace);
    // Most writes are additions.
    if (typeof outcome === 'number' && operation.op === 'create') return createdFrom(operation, outcome, at);
    if (isUnchanged(outcome)) return outcome;
    if (isRemoved(outcome)) return 'done';
    if (isUpdated(outcome) && operation.op === 'update') {
      const { version, createdAt, json } = outcome;
      return { recordId: operation.recordId, version, createdAt, updatedAt: at, json };
    }
    if (outcome === 'mismatch') throw new Failure('key_reused');
    if (isRepeated(outcome)) return repeatedOf(outcome);
    throw unexpected(outcome);
  }

  async #commitSeveral(transaction: MultiTransaction): Promise<Committed> {
    const { outcome } = await this.options.queue.submit(
      transactionWrite(this.options.tables, transaction),
      transaction.trace,
    );
    if (isCommitted(outcome)) return { ...outcome, isRepeated: false };
    if (outcome === 'mismatch') throw new Failure('key_reused');
    if (isRepeated(outcome)) return { ...(JSON.parse(outcome.json) as TransactionResults), isRepeated: true };
    throw unexpected(outcome);
  }

  bulk(collection: Collection, client: Client, { by, trace, key: rule }: BulkOptions = {}): Promise<Bulk> {
    const { tables, queue, spoolLimits, spoolFolder: folder, reads } = this.options;
    const { place } = tables.of(collection);
    const add = async ({ spooled, once, isDry, imported }: BulkOrder) => {
      const bulk = { place, by, traceId: trace?.id, spooled, key: rule && uniqueKey(collection, rule) };
      const { outcome } = await queue.submit(
        isDry
          ? { op: 'dry bulk', ...bulk }
          : imported === undefined
            ? { op: 'bulk', ...bulk, once }
            : { op: 'import', ...bulk, imported },
        trace,
      );
      if (isBulked(outcome) || isRepeated(outcome) || outcome === 'mismatch') return outcome;
      throw unexpected(outcome);
    };
    return openBulk({ folder, spoolLimits, client }, { add, total: (...asked) => reads.total(collection, ...asked) });
  }

  #writeOf({ operation, once, by, trace, permitted }: Transaction): Write {
    const { place } = this.options.tables.of(operation.collection);
    const traceId = trace?.id;
    switch (operation.op) {
      case 'create':
        return { op: 'create', place, by, traceId, once, json: operation.json };
      case 'update':
        return {
          op: 'update',
          place,
          by,
          traceId,
          recordId: operation.recordId,
          when: operation.when,
          json: operation.json,
        };
      case 'delete':
        return { op: 'delete', place, by, traceId, recordId: operation.recordId, when: operation.when, permitted };
      case 'delete first':
        return {
          op: 'delete first',
          place,
          by,
          traceId,
          contractId: operation.contractId,
          when: operation.when,
          permitted,
        };
    }
  }
}

/** For an outcome that this kind of write cannot have. */
function unexpected(outcome: Outcome): Error {
  return new Error(`unexpected outcome of a write: ${JSON.stringify(outcome)}`);
}
