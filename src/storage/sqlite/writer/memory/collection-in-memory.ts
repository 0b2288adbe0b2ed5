/**
 * Keeps a collection in memory, on the writing thread. It fills memory from the database in the background, so that no write waits for
 * it, and applies every change. While it fills, and if it exceeds the budget, threads read the database instead. A record in memory
 * always equals the record in the database after the last commit.
 */

import { state } from '../../memory/header.ts';
import type { Meta } from '../../memory/layout.ts';
import type { Memory } from '../../memory/memory.ts';
import type { MemoryTable } from '../../memory/memory-table.ts';
import { isTooLarge, mayBeTooLarge, type Source } from './too-large.ts';

/** The most rows and bytes that are read before it yields to the event loop: about a millisecond of work. */
const perTurn = { rows: 500, bytes: 1024 * 1024 };

/** Memory of all collections together, in bytes. */
export type Budget = { readonly limit: number; used: number };

export class CollectionInMemory {
  readonly #table: MemoryTable;
  #filling = false;
  #isAppending = false;
  /** Bytes of this collection in `budget.used`. */
  #counted = 0;

  constructor(
    readonly source: Source,
    readonly memory: Memory,
    place: number,
    readonly budget: Budget,
    /** Makes the changes visible to readers. */
    readonly publish: () => void = () => memory.publish(),
  ) {
    const table = memory.tables[place];
    if (table === undefined) throw new Error(`there is no table ${place} in memory`);
    this.#table = table;
  }

  /** The collection is not in memory, and will not be loaded again. */
  get isOff(): boolean {
    return this.#state === state.off;
  }

  get #state() {
    return this.#table.state;
  }

  /** If the collection cannot be read, threads read the file and report the error. Only one fill runs at a time. */
  async fill(): Promise<void> {
    if (this.#filling) return;
    this.#filling = true;
    try {
      await this.#readAll();
    } catch {
      // A half appended record cannot be removed.
      if (this.#isAppending) this.close();
      else this.#leave();
      this.publish();
    } finally {
      this.#filling = false;
    }
  }

  async #readAll(): Promise<void> {
    const { source, budget } = this;
    // A small collection is ready without an await.
    if (mayBeTooLarge(source, budget.limit) && (await isTooLarge(source, budget.limit))) {
      this.#leave();
      this.publish();
      return;
    }
    // Starts small: the first records show how large they are.
    let limit = 10;
    while (this.#state === state.filling) {
      const rows = this.source.after(this.#table.lastRecordId, limit);
      this.#isAppending = true;
      for (const row of rows) this.#table.append(row, row.contractId, row.json);
      this.#isAppending = false;
      if (rows.length < limit) this.#table.state = state.ready;
      this.#weigh();
      this.publish();
      // Returns without an await, during which `outgrown` could start another fill.
      if (rows.length < limit) return;
      const size = rows.reduce((sum, { json }) => sum + json.length, 1) / rows.length;
      limit = Math.max(1, Math.min(perTurn.rows, limit * 2, Math.floor(perTurn.bytes / size)));
      await new Promise(setImmediate);
    }
  }

  appended(meta: Meta, contractId: bigint | number | undefined, json: string): void {
    // Otherwise the fill reaches this record later.
    if (this.#state === state.ready) this.#table.append(meta, contractId, json);
    this.#weigh();
  }

  /** Too many new records to apply at once: they are read from the database in the background. */
  outgrown(): void {
    this.#resumeFilling();
  }

  removed(recordId: number, contractId: bigint | undefined, nextRecordId: number): void {
    this.#table.remove(recordId, contractId, nextRecordId);
    this.#weigh();
    if (this.#table.isWasteful) this.startOver();
  }

  /** Reloads all records. */
  startOver(): void {
    this.#table.clear();
    this.#resumeFilling();
  }

  #resumeFilling(): void {
    if (this.#state !== state.ready) return;
    this.#table.state = state.filling;
    // Deferred until the whole batch is applied.
    setImmediate(() => this.fill());
  }

  replaced(recordId: number, version: number, updated: number, json: string): void {
    this.#table.replace(recordId, version, updated, json);
    this.#weigh();
  }

  /** The contract id of the record has changed. `nextRecordId` is the record that is now the first with the old id; 0 for none. */
  renamed(recordId: number, oldContractId: bigint, contractId: bigint, nextRecordId: number): void {
    this.#table.rename(recordId, oldContractId, contractId, nextRecordId);
  }

  close(): void {
    this.#table.state = state.off;
  }

  /** Turns this collection off for good when all of them together exceed the budget. */
  #weigh(): void {
    const { memory } = this.#table;
    this.budget.used += memory - this.#counted;
    this.#counted = memory;
    if (this.budget.used > this.budget.limit) this.#leave();
  }

  /** Turns the collection off and releases its memory. */
  #leave(): void {
    this.#table.state = state.off;
    this.#table.clear();
    this.budget.used -= this.#counted;
    this.#counted = 0;
    this.memory.release();
  }
}
