/** The records of one collection at one root, as the bytes that are served. Call its methods only while a slot holds the root. */
import type { Bytes } from '../../../domain/bytes.ts';
import { ContractIds } from './contract-ids.ts';
import { Header, state } from './header.ts';
import {
  entriesPerPage,
  entry,
  entryBits,
  entryDoubles,
  entryWords,
  leaf,
  leafBytes,
  type Meta,
  slot,
  slotBytes,
} from './layout.ts';
import { PageArray } from './pages/page-array.ts';
import { type Pages, type Place, pageWords } from './pages/pages.ts';

/** A record, and where its JSON is. */
export type Kept = Meta & Place & { readonly length: number };

export class Snapshot {
  constructor(
    readonly pages: Pages,
    readonly header = new Header(),
    protected readonly ids: ContractIds = new ContractIds(pages, header),
    protected readonly entries = new PageArray(pages),
    protected readonly leaves = new PageArray(pages),
  ) {}

  load(root: number, table: number): void {
    const { header } = this;
    header.load(this.pages, root, table);
    this.entries.load(header.entriesTop, Math.ceil(header.records / entriesPerPage));
    this.leaves.load(header.leavesTop, header.leaves);
    this.ids.load();
  }

  /** All records are in memory. */
  get isReady(): boolean {
    return this.header.state === state.ready;
  }

  /** The number of records, without tombstones. */
  get count(): number {
    return this.header.records - this.header.removed;
  }

  /** Differs between any two roots with different records. */
  get tag(): string {
    return `${this.header.changes.toString(36)}-${this.header.records.toString(36)}`;
  }

  /** The size of the list as a JSON array, in bytes: the last comma becomes a bracket. */
  get listSize(): number {
    return this.header.bytes === 0 ? 2 : this.header.bytes + 1;
  }

  /** The earliest record with this id. */
  find(contractId: bigint): Bytes | undefined {
    const record = this.ids.find(contractId);
    if (record === undefined) return undefined;
    const page = this.leafOf(record);
    const at = this.slotOf(page, record);
    return this.pages.bytes(page, leafBytes + this.pages.word(page, at + slot.start), this.#length(page, at));
  }

  /** The record ids of the records with this id; undefined if there may be several. */
  recordIdsOf(contractId: bigint): readonly number[] | undefined {
    const record = this.ids.find(contractId);
    if (record === undefined) return [];
    return this.ids.isShared(contractId) ? undefined : [this.recordIdAt(record)];
  }

  get(recordId: number): Kept | undefined {
    const record = this.recordOf(recordId);
    return record === undefined ? undefined : this.#kept(record);
  }

  /** The records after `recordId`, in the order of their record ids; before it, in the opposite order. */
  *from(recordId: number, descending: boolean): Generator<Kept, void> {
    const step = descending ? -1 : 1;
    const first = this.#firstFrom(descending ? recordId : recordId + 1) + (descending ? -1 : 0);
    for (let record = first; record >= 0 && record < this.header.records; record += step) {
      const kept = this.#kept(record);
      if (kept.length > 0) yield kept;
    }
  }

  /** The JSON of all records, with a comma after each, leaf by leaf. */
  *parts(): Generator<Place & { readonly length: number }, void> {
    for (let index = 0; index < this.header.leaves; index++) {
      const page = this.leaves.get(index);
      yield { ...this.pages.place(page, leafBytes), length: this.usedOf(index, page) };
    }
  }

  /** Bytes of JSON in a leaf. For the last leaf they are in the header, because the writer may append to that leaf in place. */
  protected usedOf(index: number, page: number): number {
    return index === this.header.leaves - 1 ? this.header.tailUsed : this.pages.word(page, leaf.used);
  }

  protected recordIdAt(record: number): number {
    const page = this.entries.get(record >>> entryBits);
    return this.pages.double(page, (record % entriesPerPage) * entryDoubles + entry.recordId);
  }

  /** The number of the leaf. */
  protected leafAt(record: number): number {
    const page = this.entries.get(record >>> entryBits);
    return this.pages.word(page, (record % entriesPerPage) * entryWords + entry.leaf);
  }

  /** The page of the leaf. */
  protected leafOf(record: number): number {
    return this.leaves.get(this.leafAt(record));
  }

  /** The first word of the record's slot in the page of its leaf. */
  protected slotOf(page: number, record: number): number {
    const index = record - this.pages.word(page, leaf.first);
    return this.pages.word(page, leaf.pages) * pageWords - (index + 1) * (slotBytes / 4);
  }

  /** Undefined if the record is missing or removed. */
  protected recordOf(recordId: number): number | undefined {
    const record = this.#firstFrom(recordId);
    if (record === this.header.records || this.recordIdAt(record) !== recordId) return undefined;
    const page = this.leafOf(record);
    return this.#length(page, this.slotOf(page, record)) > 0 ? record : undefined;
  }

  #length(page: number, at: number): number {
    return this.pages.word(page, at + slot.length);
  }

  #kept(record: number): Kept {
    const { pages } = this;
    const page = this.leafOf(record);
    const at = this.slotOf(page, record);
    const { source, start } = pages.place(page, leafBytes + pages.word(page, at + slot.start));
    // To spread the place into the object would take as long as all the rest.
    return {
      recordId: this.recordIdAt(record),
      version: pages.double(page, at / 2 + slot.version),
      created: pages.double(page, at / 2 + slot.created),
      updated: pages.double(page, at / 2 + slot.updated),
      length: this.#length(page, at),
      source,
      start,
    };
  }

  /** The first record with this record id or a higher one, because record ids only increase. */
  #firstFrom(recordId: number): number {
    const { records } = this.header;
    if (records === 0) return 0;
    // Usually there is no gap between the record ids.
    const guess = recordId - this.recordIdAt(0);
    if (guess >= 0 && guess < records && this.recordIdAt(guess) === recordId) return guess;
    let low = 0;
    let high = records;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.recordIdAt(middle) < recordId) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
