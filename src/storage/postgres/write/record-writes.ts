/** Writes to records: each is submitted as a batch write, and its outcome becomes the answer. */
import { tmpdir } from 'node:os';
import { clashFailure } from '../../../domain/clash.ts';
import type { Collection } from '../../../domain/collection.ts';
import type { Precondition } from '../../../domain/precondition.ts';
import type { Added, Bulk, Client, Once, Store, Unchanged } from '../../../domain/store.ts';
import type { Room } from '../../bulk/spool-limits.ts';
import { type BulkOrder, openBulk } from '../../bulk/spooled-bulk.ts';
import { repeatedOf } from '../../rows/idempotency-key.ts';
import type { Ask } from '../connect/pool.ts';
import {
  type BatchOutcome,
  type BatchWrite,
  isClashed,
  type Permitted,
  type VersionPrecondition,
} from '../statements/batch.ts';
import type { Table } from '../statements/collection.ts';
import type { Columns } from '../statements/columns.ts';
import { type CopyTable, copyTable } from '../statements/copy-table.ts';
import { respelled } from '../statements/recorded.ts';
import { removeFirst } from './removal.ts';
import type { Made, Writes } from './writes.ts';

const encoder = new TextEncoder();

export class RecordWrites {
  readonly #copyTables = new WeakMap<Collection, { readonly table: CopyTable | undefined }>();

  constructor(
    readonly writes: Writes,
    readonly ask: Ask,
    readonly options: { readonly room: Room; readonly timeoutMs: number; readonly total: Store['total'] },
  ) {}

  #copyTable(collection: Collection): CopyTable | undefined {
    const known = this.#copyTables.get(collection) ?? { table: copyTable(collection) };
    this.#copyTables.set(collection, known);
    return known.table;
  }

  async append({ name }: Collection, json: string, by?: string): Promise<Added> {
    const { outcome, at } = await this.#submit({ to: name, by, add: json });
    if (typeof outcome !== 'number') throw unexpected();
    return { seq: outcome, at };
  }

  async appendOnce(collection: Collection, json: string, under: Once, by?: string) {
    const { outcome, at } = await this.#submit({ to: collection.name, by, once: json, under });
    if (typeof outcome === 'number') return { seq: outcome, at };
    if (outcome === 'mismatch') return outcome;
    if (typeof outcome === 'object' && 'repeated' in outcome) return repeatedOf(outcome);
    throw unexpected();
  }

  bulk(collection: Collection, client: Client, by?: string): Promise<Bulk> {
    const { room, total } = this.options;
    const table = this.#copyTable(collection);
    const add = async (order: BulkOrder) => {
      const outcome = await this.writes.addAll({ to: collection.name, by, table, ...order });
      if (outcome === 'mismatch') return outcome;
      if (typeof outcome === 'object' && ('created' in outcome || 'repeated' in outcome)) return outcome;
      throw unexpected();
    };
    return openBulk({ folder: tmpdir(), room, client }, { add, total: (...asked) => total(collection, ...asked) });
  }

  async update(collection: Collection, seq: number, json: string, when?: Precondition<number>, by?: string) {
    const { outcome, at } = await this.#submit({ to: collection.name, by, seq, update: json, when });
    if (typeof outcome === 'object' && 'version' in outcome) {
      const { version, createdAt } = outcome;
      return { seq, version, createdAt, updatedAt: at, json: respelled(collection, outcome.json) };
    }
    if (outcome === 'missing' || outcome === 'conflict') return outcome;
    throw unexpected();
  }

  async discard({ name }: Collection, seq: number, when?: Precondition<number>, permitted?: Permitted, by?: string) {
    const { outcome } = await this.#submit({ to: name, by, discard: seq, when, permitted });
    return removalOf(outcome);
  }

  async remove(
    { collection: { name }, first, encode }: Table,
    id: bigint,
    when?: Precondition<string>,
    permitted?: Permitted,
    by?: string,
  ) {
    const read = async () => {
      const [row]: Columns[] = await this.ask((sql) => sql.unsafe(first, [String(id)]).values());
      if (row === undefined) return undefined;
      return { seq: Number(row.at(-2)), version: Number(row.at(-1)), bytes: encoder.encode(encode(row)) };
    };
    const remove = async (seq: number | undefined, versions: VersionPrecondition) => {
      const expected = seq === undefined ? {} : { first: seq };
      const { outcome } = await this.#submit({ to: name, by, remove: id, ...expected, when: versions, permitted });
      return removalOf(outcome);
    };
    return removeFirst(when, this.options.timeoutMs, read, remove);
  }

  async #submit(write: BatchWrite): Promise<Made> {
    const made = await this.writes.submit(write);
    if (isClashed(made.outcome)) throw clashFailure(made.outcome.clashes);
    return made;
  }
}

function removalOf(outcome: BatchOutcome): 'done' | Unchanged {
  if (outcome === 'done' || outcome === 'missing' || outcome === 'conflict') return outcome;
  throw unexpected();
}

function unexpected(): Error {
  return new Error('unexpected outcome from the write function');
}
