/** The writing thread's side of the records in memory: it applies each committed batch to all collections. */
import type { Database } from 'bun:sqlite';
import { lazy } from '../../../../domain/lazy.ts';
import type { Collection } from '../../../../domain/record/collection.ts';
import type { Bulked } from '../../../../domain/store/bulk.ts';
import { type Complete, completer, hasId } from '../../../../domain/store/transaction.ts';
import { type CommitProgress, idKey, type Roots, recordKey } from '../../memory/atomics.ts';
import { Memory } from '../../memory/memory.ts';
import type { SharedMemory } from '../../memory/reader.ts';
import { openReader, type Reader } from '../../reads/reader.ts';
import {
  type Applied,
  type Effect,
  type Effects,
  isBulked,
  isRemoved,
  isUpdated,
  type Outcome,
  type Removed,
  type Updated,
} from '../thread/outcome.ts';
import type { Write } from '../thread/write-message.ts';
import { type Budget, CollectionInMemory } from './collection-in-memory.ts';

/** The start of the JSON of a record with a contract id. */
const idStart = '{"id":';
/** The limit of the structures in memory: page, record and leaf numbers have 32 bits. */
const mostBytes = 128 * 1024 ** 3;
/** The moment of a batch, as text and in milliseconds. */
type Moment = { readonly at: string; readonly ms: number };

/** An id of so many digits is exact in a number, which takes a fraction of the time of a bigint. */
const exactDigits = 15;

export class RecordsInMemory {
  readonly memory: Memory;
  readonly #tables: readonly CollectionInMemory[];
  /** By the place of the collection. */
  readonly #completers: readonly (() => Complete)[];
  readonly #budget: Budget;
  /** The readers that are open. */
  readonly #readers: Reader[] = [];

  constructor(
    db: Database,
    readonly collections: readonly Collection[],
    cacheBytes: number,
    readonly progress: CommitProgress,
    roots?: Roots,
  ) {
    this.memory = new Memory(collections.length, roots);
    this.#completers = collections.map((collection) => lazy(() => completer(collection)));
    this.#budget = { limit: Math.min(cacheBytes, mostBytes), used: 0 };
    this.#tables = collections.map((collection, place) => {
      const read = lazy(() => {
        const reader = openReader(db, collection);
        this.#readers.push(reader);
        return reader;
      });
      const source = {
        after: (recordId: number, limit: number) => read().after(recordId, limit),
        last: () => read().last(),
      };
      return new CollectionInMemory(source, this.memory, place, this.#budget, () => this.publish());
    });
  }

  fill(): void {
    for (const table of this.#tables) table.fill();
  }

  /** Connects one more serving thread to memory. */
  share(): SharedMemory {
    const shared = this.memory.shared();
    this.progress.hotBytes = this.#hotBytes();
    return shared;
  }

  /** Readers see all of the batch at once, as of its last change. */
  apply(writes: readonly Write[], { outcomes, at, lastChange }: Applied, effects?: Effects): void {
    this.memory.lastChange = lastChange;
    const moment = { at, ms: Date.parse(at) };
    for (let index = 0; index < writes.length; index++) {
      const write = writes[index];
      const outcome = outcomes[index] ?? 'missing';
      if (write === undefined) continue;
      const each = effects?.get(outcome);
      if (each !== undefined) for (const effect of each) this.#show(effect, moment);
      else if ('place' in write) this.#apply(write, outcome, moment);
    }
    this.publish();
  }

  /** All records are read from the file again: any of them may have changed, up to this change. */
  startOver(lastChange: number): void {
    this.memory.lastChange = lastChange;
    this.progress.stamps.allChanged();
    for (const table of this.#tables) table.startOver();
    this.publish();
  }

  publish(): void {
    this.memory.publish();
    this.progress.memoryBytes = this.#budget.used;
    this.progress.hotBytes = this.#hotBytes();
  }

  /** Serving threads share the part of the budget that collections in memory do not use. */
  #hotBytes(): number {
    if (!this.#tables.some(({ isOff }) => isOff)) return 0;
    return Math.floor(Math.max(0, this.#budget.limit - this.memory.bytes) / Math.max(1, this.memory.readers));
  }

  /** Finalizes all statements: SQLite keeps the file open while one is left. */
  close(): void {
    for (const table of this.#tables) table.close();
    for (const reader of this.#readers) reader.close();
  }

  #append(place: number, recordId: number, given: string, { at, ms }: Moment): void {
    const table = this.#tables[place];
    const complete = this.#completers[place];
    if (table === undefined || complete === undefined) return;
    const meta = { recordId, version: 1, created: ms, updated: ms };
    const json = complete()(given, recordId, at);
    if (this.collections[place]?.contract === undefined) table.appended(meta, undefined, json);
    else table.appended(meta, hasId(given) ? idOf(json) : recordId, json);
  }

  #apply(write: Extract<Write, { place: number }>, outcome: Outcome, moment: Moment): void {
    if (typeof outcome === 'number') {
      if (write.op === 'create') this.#append(write.place, outcome, write.json, moment);
    } else if (isBulked(outcome)) {
      if (write.op === 'bulk' || write.op === 'import') this.#bulk(write.place, outcome);
    } else if (isUpdated(outcome)) {
      if (write.op === 'update') this.#update(write.place, write.recordId, outcome, moment);
    } else if (isRemoved(outcome)) {
      // In the order of the transaction, the record itself last: each `next` is valid only in this order.
      for (const other of outcome.others ?? []) this.#show(other, moment);
      this.#remove(write.place, outcome);
    }
  }

  /** A bulk without effects: after updates the whole table is read again, after additions alone only they are. */
  #bulk(place: number, { created, updated = 0 }: Bulked): void {
    const table = this.#tables[place];
    if (updated > 0) {
      // Hot records are copies.
      this.progress.stamps.allChanged();
      table?.startOver();
    } else if (created > 0) table?.outgrown();
  }

  #show(effect: Effect, moment: Moment): void {
    const { place } = effect;
    if ('created' in effect) this.#append(place, effect.created, effect.json, moment);
    else if ('removed' in effect) this.#remove(place, effect);
    else this.#update(place, effect.recordId, effect, moment);
  }

  #update(place: number, recordId: number, { version, json, id, newId, next = 0 }: Updated, { ms }: Moment): void {
    const table = this.#tables[place];
    table?.replaced(recordId, version, ms, json);
    const isRenamed = id !== undefined && newId !== undefined;
    if (isRenamed) table?.renamed(recordId, BigInt(id), BigInt(newId), next);
    this.#changed(place, recordId, isRenamed ? BigInt(id) : undefined);
    if (this.collections[place]?.contract !== undefined) this.progress.stamps.changed(idKey(place, idOf(json)));
  }

  #remove(place: number, { removed, id, next = 0 }: Removed): void {
    const oldContractId = id === undefined ? undefined : BigInt(id);
    this.#tables[place]?.removed(removed, oldContractId, next);
    this.#changed(place, removed, oldContractId);
  }

  /** Invalidates hot records. */
  #changed(place: number, recordId: number, contractId: bigint | undefined): void {
    const { stamps } = this.progress;
    stamps.changed(recordKey(place, recordId));
    if (contractId !== undefined) stamps.changed(idKey(place, contractId));
  }
}

function idOf(json: string): bigint | number {
  const end = json.indexOf(',', idStart.length);
  const digits = json.slice(idStart.length, end < 0 ? json.length - 1 : end);
  return digits.length <= exactDigits ? Number(digits) : BigInt(digits);
}
