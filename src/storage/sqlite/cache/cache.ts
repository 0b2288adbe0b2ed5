/**
 * A collection in memory. It fills from the database in the background, so that no request waits for it, and applies
 * every change. While it fills, and if it exceeds the budget, requests read the database instead. At every moment its
 * records equal those of the database after the last applied change.
 */

import type { Bytes } from '../../../domain/bytes.ts';
import type { Soon } from '../../../domain/soon.ts';
import type { Listing } from '../../../domain/store.ts';
import { listParts, sizeOf } from '../memory/list-parts.ts';
import type { Memory } from '../memory/memory.ts';
import type { Kept } from '../memory/table.ts';
import type { TableWriter } from '../memory/table-writer.ts';
import type { Meta, Read } from '../reads/reader.ts';
import { RecordWriter } from './record-writer.ts';

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
  readonly #table: TableWriter;
  #state: 'filling' | 'ready' | 'off' = 'filling';
  #filling = false;
  #listing: Listing | undefined;
  /** How often all records were dropped. */
  #drops = 0;
  /** Bytes of this cache in `budget.used`. */
  #counted = 0;
  readonly #writer: RecordWriter;

  /** `epoch` is part of the tags, so that they differ between runs of the server. */
  constructor(
    readonly source: Source,
    readonly memory: Memory,
    place: number,
    readonly budget: Budget,
    readonly epoch: string,
    /** The records have an id of the contract. */
    hasId: boolean,
  ) {
    const table = memory.tables[place];
    if (table === undefined) throw new Error(`there is no table ${place} in memory`);
    this.#table = table;
    this.#writer = new RecordWriter(hasId);
  }

  get ready(): boolean {
    return this.#state === 'ready';
  }

  get count(): number {
    return this.memory.version.read(() => this.#table.count);
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
      const drops = this.#drops;
      const read = this.source.after(this.#table.lastSeq, limit);
      // A value that is not a promise must not be awaited: no change may be applied between the read and the append.
      const rows = read instanceof Promise ? await read : read;
      // During the wait the cache may have been closed or restarted.
      if (this.#state !== 'filling') return;
      if (drops !== this.#drops) continue;
      for (const row of rows) this.#table.append(row, row.id, row.json);
      if (rows.length < limit) this.#state = 'ready';
      this.#weigh();
      this.memory.publish();
      // Returns without an await, during which `outgrown` could start another fill.
      if (rows.length < limit) return;
      const size = rows.reduce((sum, { json }) => sum + json.length, 1) / rows.length;
      limit = Math.max(1, Math.min(perTurn.rows, limit * 2, Math.floor(perTurn.bytes / size)));
      await new Promise(setImmediate);
    }
  }

  find(id: bigint): Bytes | undefined {
    return this.memory.version.read(() => this.#table.find(id));
  }

  list(): Listing {
    const tag = `${this.epoch}-${this.#table.tag}`;
    if (this.#listing?.tag !== tag) this.#listing = this.#newListing(tag);
    return this.#listing;
  }

  /** A record as the production API returns it; undefined if there is none. */
  record(seq: number): { readonly bytes: Bytes; readonly version: number } | undefined {
    return this.memory.version.read(() => {
      const kept = this.#table.get(seq);
      if (kept === undefined) return undefined;
      this.#writer.begin();
      this.#writer.add(kept);
      return { bytes: this.#writer.end(), version: kept.version };
    });
  }

  /** The seqs of the records with this id of the contract; undefined if there may be several. */
  seqsOf(id: bigint): readonly number[] | undefined {
    return this.memory.version.read(() => this.#table.seqsOf(id));
  }

  /** The records with these seqs, as the production API returns them, with commas between them. */
  recordsOf(seqs: readonly number[], maxBytes: number): Encoded {
    return this.memory.version.read(() =>
      this.#encode(
        seqs
          .values()
          .map((seq) => this.#table.get(seq))
          .filter((kept) => kept !== undefined),
        seqs.length,
        maxBytes,
      ),
    );
  }

  /** At most `limit` records after `seq`, or before it, in the same form. */
  recordsFrom(seq: number, descending: boolean, limit: number, maxBytes: number): Encoded {
    return this.memory.version.read(() => this.#encode(this.#table.from(seq, descending), limit, maxBytes));
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
    // Otherwise the fill reaches this record later.
    if (this.#state === 'ready') this.#table.append(meta, id, json);
    this.#weigh();
  }

  /** Too many new records to apply at once: the cache reads them from the database in the background. */
  outgrown(): void {
    this.#resumeFilling();
  }

  removed(seq: number, id: bigint | undefined, nextSeq: number): void {
    this.#table.remove(seq, id, nextSeq);
    this.#weigh();
    if (this.#table.isWasteful) this.#refill();
  }

  /** Reloads all records, because they may differ from the database. */
  startOver(): void {
    this.#refill();
  }

  #refill(): void {
    this.#drop();
    this.#resumeFilling();
  }

  #resumeFilling(): void {
    if (this.#state !== 'ready') return;
    this.#state = 'filling';
    // Deferred until the whole batch is applied.
    setImmediate(() => this.fill().catch(() => this.close()));
  }

  replaced(seq: number, version: number, updated: number, json: string): void {
    this.#table.replace(seq, version, updated, json);
    this.#weigh();
  }

  /** The record has another id. `nextSeq` is the record that is now the first with the old id; 0 for none. */
  renamed(seq: number, oldId: bigint, id: bigint, nextSeq: number): void {
    this.#table.rename(seq, oldId, id, nextSeq);
  }

  close(): void {
    this.#state = 'off';
  }

  #drop(): void {
    this.#table.clear();
    this.#drops++;
  }

  /** Turns this cache off for good when all caches together exceed the budget. */
  #weigh(): void {
    const { memory } = this.#table;
    this.budget.used += memory - this.#counted;
    this.#counted = memory;
    if (this.budget.used <= this.budget.limit) return;
    this.budget.used -= memory;
    this.#counted = 0;
    this.#state = 'off';
    this.#drop();
    this.#listing = undefined;
  }

  #newListing(tag: string): Listing {
    const { version, view } = this.memory;
    const size = version.read(() => sizeOf(this.#table.parts()));
    return { tag, size, parts: () => listParts(this.#table, view, version) };
  }
}
