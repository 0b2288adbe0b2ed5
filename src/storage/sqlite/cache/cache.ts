/**
 * A collection in memory. It fills from the database in the background, so that no request waits for it, and applies
 * every change. While it fills, and if it exceeds the budget, requests read the database instead. At every moment its
 * records equal those of the database after the last applied change.
 */

import type { Bytes } from '../../../domain/bytes.ts';
import type { Soon } from '../../../domain/soon.ts';
import type { Listing } from '../../../domain/store.ts';
import type { Meta, Read } from '../reads/reader.ts';
import { joined } from './joined.ts';
import { RecordWriter } from './record-writer.ts';
import { type Kept, Records } from './records.ts';

/** The most that is read before the event loop gets a turn: about a millisecond of work. */
const perTurn = { rows: 500, bytes: 1024 * 1024 };

/**
 * Returns at most `limit` records after `seq`, in insertion order, as they were after the last change that the cache has
 * applied when this resolves.
 */
export type Source = { after(seq: number, limit: number): Soon<readonly Read[]> };

/** Encoded records; `more` if there are others after them. */
export type Encoded = {
  readonly bytes: Bytes;
  readonly count: number;
  readonly lastSeq: number;
  readonly more: boolean;
};

/** Memory of all caches together, in bytes. */
export type Budget = { readonly limit: number; used: number };

export class Cache {
  #records = new Records();
  #state: 'filling' | 'ready' | 'off' = 'filling';
  #filling = false;
  #listing: Listing | undefined;
  #changes = 0;
  /** Bytes of this cache in `budget.used`. */
  #counted = 0;
  readonly #writer: RecordWriter;

  /** `epoch` is part of the tags, so that they differ between runs of the server. */
  constructor(
    readonly source: Source,
    readonly budget: Budget,
    readonly epoch: string,
    /** The records have an id of the contract. */
    hasId: boolean,
  ) {
    this.#writer = new RecordWriter(hasId);
  }

  get ready(): boolean {
    return this.#state === 'ready';
  }

  get count(): number {
    return this.#records.count;
  }

  /** Only one fill runs at a time: a second one would add the same records again. */
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
    // Starts small: the first records show how large they are.
    let limit = 10;
    while (this.#state === 'filling') {
      const records = this.#records;
      const read = this.source.after(records.lastSeq, limit);
      // A value that is not a promise must not be awaited: no change may be applied between the read and the append.
      const rows = read instanceof Promise ? await read : read;
      // During the wait the cache may have been closed or restarted.
      if (this.#state !== 'filling') return;
      if (records !== this.#records) continue;
      for (const row of rows) records.append(row, row.id, row.json);
      if (rows.length < limit) this.#state = 'ready';
      this.#weigh();
      // Returns without an await, during which `outgrown` could start another fill.
      if (rows.length < limit) return;
      const size = rows.reduce((sum, { json }) => sum + json.length, 1) / rows.length;
      limit = Math.max(1, Math.min(perTurn.rows, limit * 2, Math.floor(perTurn.bytes / size)));
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

  /** A record as the production API returns it; undefined if there is none. */
  record(seq: number): { readonly bytes: Bytes; readonly version: number } | undefined {
    const kept = this.#records.get(seq);
    if (kept === undefined) return undefined;
    this.#writer.begin();
    this.#writer.add(kept);
    return { bytes: this.#writer.end(), version: kept.version };
  }

  /** The seqs of the records with this id of the contract; undefined if there may be several. */
  seqsOf(id: bigint): readonly number[] | undefined {
    return this.#records.seqsOf(id);
  }

  /** The records with these seqs, as the production API returns them, with commas between them. */
  recordsOf(seqs: readonly number[], maxBytes: number): Encoded {
    return this.#encode(
      seqs
        .values()
        .map((seq) => this.#records.get(seq))
        .filter((kept) => kept !== undefined),
      seqs.length,
      maxBytes,
    );
  }

  /** At most `limit` records after `seq`, or before it, in the same form. */
  recordsFrom(seq: number, descending: boolean, limit: number, maxBytes: number): Encoded {
    return this.#encode(this.#records.from(seq, descending), limit, maxBytes);
  }

  #encode(records: Iterable<Kept>, limit: number, maxBytes: number): Encoded {
    this.#writer.begin();
    let count = 0;
    let lastSeq = 0;
    for (const kept of records) {
      if (count === limit || this.#writer.size > maxBytes)
        return { bytes: this.#writer.end(), count, lastSeq, more: true };
      this.#writer.add(kept);
      lastSeq = kept.seq;
      count++;
    }
    return { bytes: this.#writer.end(), count, lastSeq, more: false };
  }

  appended(meta: Meta, id: bigint | undefined, json: string): void {
    this.#changed();
    // Otherwise the fill reaches this record later.
    if (this.#state === 'ready') this.#records.append(meta, id, json);
    this.#weigh();
  }

  /** Too many new records to apply at once: the cache reads them from the database in the background. */
  outgrown(): void {
    this.#changed();
    this.#resumeFilling();
  }

  removed(seq: number, id: bigint | undefined, nextSeq: number): void {
    this.#changed();
    this.#records.remove(seq, id, nextSeq);
    this.#weigh();
    if (this.#records.wasteful) this.#refill();
  }

  /** Reloads all records, because they may differ from the database. */
  startOver(): void {
    this.#changed();
    this.#refill();
  }

  #refill(): void {
    this.#records = new Records();
    this.#resumeFilling();
  }

  #resumeFilling(): void {
    if (this.#state !== 'ready') return;
    this.#state = 'filling';
    // Deferred until the whole batch is applied.
    setImmediate(() => this.fill().catch(() => this.close()));
  }

  replaced(seq: number, version: number, updated: number, json: string): void {
    this.#changed();
    this.#records.replace(seq, version, updated, json);
    this.#weigh();
  }

  /** The record has another id. `nextSeq` is the record that is now the first with the old id; 0 for none. */
  renamed(seq: number, oldId: bigint, id: bigint, nextSeq: number): void {
    this.#records.rename(seq, oldId, id, nextSeq);
  }

  close(): void {
    this.#state = 'off';
  }

  #changed(): void {
    this.#changes++;
    this.#listing = undefined;
  }

  /** Turns this cache off for good when all caches together exceed the budget. */
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
    return { tag, size: this.#records.listSize, parts: () => joined(parts) };
  }
}
