/** Writes to records: each is a write of a batch, and its outcome becomes the answer. */
import { tmpdir } from 'node:os';
import { Failure } from '../../../domain/errors.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import type { Recorded } from '../../../domain/record/record.ts';
import type { Bulk } from '../../../domain/store/bulk.ts';
import type { Client } from '../../../domain/store/client.ts';
import { clashFailure } from '../../../domain/store/constraint-clash.ts';
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
} from '../../../domain/store/transaction.ts';
import type { BulkOptions } from '../../../domain/store/writes.ts';
import type { SpoolLimits } from '../../bulk/spool-limits.ts';
import { type BulkOrder, openBulk } from '../../bulk/spooled-bulk.ts';
import type { EngineReads } from '../../engine-reads.ts';
import type { EngineWrites } from '../../engine-writes.ts';
import { repeatedOf } from '../../rows/idempotency-key.ts';
import { isClashed, type SingleWrite } from '../batch/batch.ts';
import type { VersionPrecondition } from '../batch/members.ts';
import type { Ask } from '../connect/pool.ts';
import type { Columns } from '../statements/columns.ts';
import { type CopyTable, copyTable } from '../statements/copy-table.ts';
import { respelled } from '../statements/respelled.ts';
import type { Table } from '../statements/table.ts';
import { wordsJsonOf } from '../statements/words.ts';
import type { Batches } from './batches.ts';
import { committedOf } from './committed.ts';
import { removeFirst } from './removal.ts';

const encoder = new TextEncoder();

export type WritesOptions = {
  readonly batches: Batches;
  readonly ask: Ask;
  readonly tableOf: (collection: Collection) => Table;
  readonly spoolLimits: SpoolLimits;
  readonly timeoutMs: number;
  readonly reads: Pick<EngineReads, 'total'>;
};

export class PostgresWrites implements EngineWrites {
  readonly #copyTables = new WeakMap<Collection, { readonly table: CopyTable | undefined }>();

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
    if (operation.op !== 'delete first') return this.#submit({ ...transaction, operation });
    const { collection, contractId, when } = operation;
    const remove = (first: number | undefined, versions: VersionPrecondition) =>
      this.#submit({ ...transaction, operation: { ...operation, first, when: versions } });
    return removeFirst(when, this.options.timeoutMs, () => this.#first(collection, contractId), remove);
  }

  bulk(collection: Collection, client: Client, { by, trace, key }: BulkOptions = {}): Promise<Bulk> {
    const { spoolLimits, reads, batches } = this.options;
    const table = this.#copyTable(collection);
    const rule = key && collection.unique.indexOf(key);
    const wordsOf = wordsJsonOf(collection);
    const add = async (order: BulkOrder) => {
      const additions = { to: collection.name, by, traceId: trace?.id, table, rule, wordsOf, ...order };
      const outcome = await batches.addAll(additions, trace);
      if (outcome === 'mismatch') return outcome;
      if (typeof outcome === 'object' && ('created' in outcome || 'repeated' in outcome)) return outcome;
      throw unexpected();
    };
    const total = reads.total.bind(reads, collection);
    return openBulk({ folder: tmpdir(), spoolLimits, client }, { add, total });
  }

  #copyTable(collection: Collection): CopyTable | undefined {
    const known = this.#copyTables.get(collection) ?? { table: copyTable(collection) };
    this.#copyTables.set(collection, known);
    return known.table;
  }

  /** The earliest record with this id of the contract. */
  async #first(collection: Collection, contractId: bigint) {
    const { first, encode } = this.options.tableOf(collection);
    const [row]: Columns[] = await this.options.ask((sql) => sql.unsafe(first, [String(contractId)]).values());
    if (row === undefined) return undefined;
    return { recordId: Number(row.at(-2)), version: Number(row.at(-1)), bytes: encoder.encode(encode(row)) };
  }

  async #commitSeveral(transaction: MultiTransaction): Promise<Committed> {
    const { outcome } = await this.options.batches.submit(transaction);
    if (outcome === 'mismatch') throw new Failure('key_reused');
    const committed = committedOf(transaction, outcome);
    if (committed === undefined) throw unexpected();
    return committed;
  }

  async #submit(write: SingleWrite) {
    const { outcome, at } = await this.options.batches.submit(write);
    const { operation } = write;
    if (outcome === 'done' || outcome === 'missing' || outcome === 'conflict') return outcome;
    if (typeof outcome === 'number' && operation.op === 'create') return createdFrom(operation, outcome, at);
    if (outcome === 'mismatch') throw new Failure('key_reused');
    if (isClashed(outcome)) throw clashFailure(outcome.clashes);
    if (typeof outcome === 'object' && 'repeated' in outcome) return repeatedOf(outcome);
    if (typeof outcome === 'object' && 'version' in outcome && operation.op === 'update') {
      const { version, createdAt, json } = outcome;
      return {
        recordId: operation.recordId,
        version,
        createdAt,
        updatedAt: at,
        json: respelled(operation.collection, json),
      };
    }
    throw unexpected();
  }
}

function unexpected(): Error {
  return new Error('unexpected outcome from the write function');
}
