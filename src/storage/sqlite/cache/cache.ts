/**
 * A collection served from memory. It is filled from the database in the background, so that nobody waits for it, and
 * told of every change; until it is full, and when it does not fit the budget, the database is read instead. What it has
 * of the collection is at every moment what the database had after the last change it was told of.
 */

import type { Bytes } from '../../../domain/bytes.ts';
import type { Soon } from '../../../domain/soon.ts';
import type { Listing } from '../../../domain/store.ts';
import type { Read } from '../reads/reader.ts';
import { Records } from './records.ts';

/** Read before others get their turn: about a millisecond's work, and of large records fewer. */
const turn = { rows: 500, bytes: 1024 * 1024 };

/**
 * At most `limit` records in insertion order, from the one after `seq` on, as they stood after the last change that the
 * cache was told of when this is answered.
 */
export type Source = { after(seq: number, limit: number): Soon<readonly Read[]> };

/** What all caches together may take, in bytes. */
export type Budget = { readonly limit: number; used: number };

export class Cache {
  #records = new Records();
  #state: 'filling' | 'ready' | 'off' = 'filling';
  #filling = false;
  #listing: Listing | undefined;
  #changes = 0;
  #counted = 0;

  /** `epoch` sets the tags of this run of the server apart from those of any other. */
  constructor(
    readonly source: Source,
    readonly budget: Budget,
    readonly epoch: string,
  ) {}

  get ready(): boolean {
    return this.#state === 'ready';
  }

  get count(): number {
    return this.#records.count;
  }

  /** One filling at a time: a second one would add the same records again. */
  async fill(): Promise<void> {
    if (this.#filling) return;
    this.#filling = true;
    try {
      await this.#readAll();
    } finally {
      this.#filling = false;
    }
  }

  async #readAll(): Promise<void> {
    // How large records are shows in the first few.
    let limit = 10;
    while (this.#state === 'filling') {
      const records = this.#records;
      const read = this.source.after(records.lastSeq, limit);
      // Without a promise where it is at hand: nothing may be told between the reading and what follows.
      const rows = read instanceof Promise ? await read : read;
      // It may have been given up, or begun anew, meanwhile.
      if (this.#state !== 'filling') return;
      if (records !== this.#records) continue;
      for (const { seq, id, json } of rows) records.append(seq, id, json);
      if (rows.length < limit) this.#state = 'ready';
      this.#weigh();
      // Without a wait, in which it could be told to go on.
      if (rows.length < limit) return;
      const size = rows.reduce((sum, { json }) => sum + json.length, 1) / rows.length;
      limit = Math.max(1, Math.min(turn.rows, limit * 2, Math.floor(turn.bytes / size)));
      await new Promise(setImmediate);
    }
  }

  find(id: bigint): Bytes | undefined {
    return this.#records.find(id);
  }

  list(): Listing {
    this.#listing ??= this.#newListing();
    return this.#listing;
  }

  appended(seq: number, id: bigint, json: string): void {
    this.#changed();
    // While it is filling, the filling will come to this record.
    if (this.#state === 'ready') this.#records.append(seq, id, json);
    this.#weigh();
  }

  /** There are more new records than anybody wants to wait for: they are read as at the start. */
  outgrown(): void {
    this.#changed();
    this.#goOnFilling();
  }

  removed(seq: number, id: bigint, nextSeq: number): void {
    this.#changed();
    this.#records.remove(seq, id, nextSeq);
    this.#weigh();
    if (this.#records.wasteful) this.#refill();
  }

  /** What is here may differ from the database. */
  startOver(): void {
    this.#changed();
    this.#refill();
  }

  #refill(): void {
    this.#records = new Records();
    this.#goOnFilling();
  }

  #goOnFilling(): void {
    if (this.#state !== 'ready') return;
    this.#state = 'filling';
    // Not before all of a batch is told.
    setImmediate(() => this.fill().catch(() => this.close()));
  }

  /** `nextSeq` is the number of the record that has the old id first now, 0 for none. */
  replaced(seq: number, oldId: bigint, id: bigint, nextSeq: number, json: string): void {
    this.#changed();
    this.#records.replace(seq, json);
    if (oldId !== id) this.#records.rename(seq, oldId, id, nextSeq);
    this.#weigh();
  }

  close(): void {
    this.#state = 'off';
  }

  #changed(): void {
    this.#changes++;
    this.#listing = undefined;
  }

  /** Gives up for good when all caches together have outgrown the budget. */
  #weigh(): void {
    const memory = this.#records.memory;
    this.budget.used += memory - this.#counted;
    this.#counted = memory;
    if (this.budget.used <= this.budget.limit) return;
    this.budget.used -= memory;
    this.#counted = 0;
    this.#state = 'off';
    this.#records = new Records();
    this.#listing = undefined;
  }

  #newListing(): Listing {
    const parts = this.#records.parts();
    const tag = `${this.epoch}-${this.#changes.toString(36)}`;
    return { tag, size: this.#records.listSize, parts: () => parts.values() };
  }
}
