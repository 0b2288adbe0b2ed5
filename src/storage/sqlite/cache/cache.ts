/** A serving thread's reads of a collection in memory. They return undefined unless all records are in memory. */

import type { Bytes } from '../../../domain/bytes.ts';
import type { Listing } from '../../../domain/store/listing.ts';
import { listPieces } from '../memory/list-pieces.ts';
import type { TableReader } from '../memory/reader.ts';
import type { Kept, Snapshot } from '../memory/snapshot.ts';
import { RecordWriter } from './record-writer.ts';

/** Encoded records; `more` if further records follow. */
export type Encoded = {
  readonly bytes: Bytes;
  readonly count: number;
  readonly lastRecordId: number;
  readonly more: boolean;
};

export class Cache {
  #listing: Listing | undefined;
  readonly #writer: RecordWriter;

  constructor(
    readonly table: TableReader,
    /** Whether the records have a contract id. */
    hasId: boolean,
  ) {
    this.#writer = new RecordWriter(hasId);
  }

  get count(): number | undefined {
    return this.table.read((table) => table.count);
  }

  /** The earliest record with this id. */
  find(contractId: bigint): Bytes | 'missing' | undefined {
    return this.table.read((table) => table.find(contractId) ?? 'missing');
  }

  list(): Listing | undefined {
    const { memory } = this.table;
    return this.table.read((table) => {
      // The tag includes the random name of this memory, so that tags differ between runs of the server.
      const tag = `${memory.name}-${table.tag}`;
      if (this.#listing?.tag !== tag) this.#listing = this.#newListing(table.tag, tag, table.listSize);
      return this.#listing;
    });
  }

  /** A record as the production API returns it. */
  record(recordId: number): { readonly bytes: Bytes; readonly version: number } | 'missing' | undefined {
    return this.table.read((table) => {
      const kept = table.get(recordId);
      if (kept === undefined) return 'missing';
      this.#writer.begin();
      this.#writer.add(kept);
      return { bytes: this.#writer.end(), version: kept.version };
    });
  }

  /** The record with this contract id, encoded like `record`; undefined also if several records may have it. */
  recordsWith(contractId: bigint, maxBytes: number): Encoded | undefined {
    return this.table.read((table) => {
      const recordIds = table.recordIdsOf(contractId);
      return recordIds === undefined ? undefined : this.#encodeSome(table, recordIds, maxBytes);
    });
  }

  /**
   * The records with these record ids, encoded like `record` and separated by commas. Undefined also if `lastChange` is given and is not the
   * last change in memory.
   */
  recordsOf(recordIds: readonly number[], maxBytes: number, lastChange?: number): Encoded | undefined {
    return this.table.read((table) => this.#encodeSome(table, recordIds, maxBytes), lastChange);
  }

  /** At most `limit` records after `recordId`, or before it if `descending`, encoded in the same way. */
  recordsFrom(recordId: number, descending: boolean, limit: number, maxBytes: number): Encoded | undefined {
    return this.table.read((table) => this.#encode(table.from(recordId, descending), limit, maxBytes));
  }

  #encodeSome(table: Snapshot, recordIds: readonly number[], maxBytes: number): Encoded {
    const records = recordIds
      .values()
      .map((recordId) => table.get(recordId))
      .filter((kept) => kept !== undefined);
    return this.#encode(records, recordIds.length, maxBytes);
  }

  #encode(records: Iterable<Kept>, limit: number, maxBytes: number): Encoded {
    this.#writer.begin();
    let count = 0;
    let lastRecordId = 0;
    for (const kept of records) {
      if (count === limit || this.#writer.size > maxBytes)
        return { bytes: this.#writer.end(), count, lastRecordId, more: true };
      this.#writer.add(kept);
      lastRecordId = kept.recordId;
      count++;
    }
    return { bytes: this.#writer.end(), count, lastRecordId, more: false };
  }

  #newListing(inTable: string, tag: string, size: number): Listing {
    const { table } = this;
    return { tag, size, parts: () => listPieces(table, inTable) };
  }
}
