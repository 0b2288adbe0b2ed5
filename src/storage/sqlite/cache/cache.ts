/** A collection in memory, as a serving thread reads it. Where not all records are in memory, its reads are undefined. */

import type { Bytes } from '../../../domain/bytes.ts';
import type { Listing } from '../../../domain/store.ts';
import { listPieces } from '../memory/list-pieces.ts';
import type { TableReader } from '../memory/reader.ts';
import type { Kept, Snapshot } from '../memory/snapshot.ts';
import { RecordWriter } from './record-writer.ts';

/** Encoded records; `more` if there are others after them. */
export type Encoded = {
  readonly bytes: Bytes;
  readonly count: number;
  readonly lastSeq: number;
  readonly more: boolean;
};

export class Cache {
  #listing: Listing | undefined;
  readonly #writer: RecordWriter;

  constructor(
    readonly table: TableReader,
    /** The records have an id of the contract. */
    hasId: boolean,
  ) {
    this.#writer = new RecordWriter(hasId);
  }

  get count(): number | undefined {
    return this.table.read((table) => table.count);
  }

  /** The earliest record with this id. */
  find(id: bigint): Bytes | 'missing' | undefined {
    return this.table.read((table) => table.find(id) ?? 'missing');
  }

  list(): Listing | undefined {
    const { memory } = this.table;
    return this.table.read((table) => {
      // Part of the tag is of this memory alone, so that tags differ between runs of the server.
      const tag = `${memory.name}-${table.tag}`;
      if (this.#listing?.tag !== tag) this.#listing = this.#newListing(table.tag, tag, table.listSize);
      return this.#listing;
    });
  }

  /** A record as the production API returns it. */
  record(seq: number): { readonly bytes: Bytes; readonly version: number } | 'missing' | undefined {
    return this.table.read((table) => {
      const kept = table.get(seq);
      if (kept === undefined) return 'missing';
      this.#writer.begin();
      this.#writer.add(kept);
      return { bytes: this.#writer.end(), version: kept.version };
    });
  }

  /** The records with this id of the contract, in the same form; undefined also if there may be several. */
  recordsWith(id: bigint, maxBytes: number): Encoded | undefined {
    return this.table.read((table) => {
      const seqs = table.seqsOf(id);
      return seqs === undefined ? undefined : this.#encodeSome(table, seqs, maxBytes);
    });
  }

  /**
   * The records with these seqs, as the production API returns them, with commas between them. Undefined also if memory shows another
   * last change than the given one.
   */
  recordsOf(seqs: readonly number[], maxBytes: number, lastChange?: number): Encoded | undefined {
    return this.table.read((table) => this.#encodeSome(table, seqs, maxBytes), lastChange);
  }

  /** At most `limit` records after `seq`, or before it, in the same form. */
  recordsFrom(seq: number, descending: boolean, limit: number, maxBytes: number): Encoded | undefined {
    return this.table.read((table) => this.#encode(table.from(seq, descending), limit, maxBytes));
  }

  #encodeSome(table: Snapshot, seqs: readonly number[], maxBytes: number): Encoded {
    const records = seqs
      .values()
      .map((seq) => table.get(seq))
      .filter((kept) => kept !== undefined);
    return this.#encode(records, seqs.length, maxBytes);
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

  #newListing(inTable: string, tag: string, size: number): Listing {
    const { table } = this;
    return { tag, size, parts: () => listPieces(table, inTable) };
  }
}
