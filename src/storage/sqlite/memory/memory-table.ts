/** Changes the records of one collection in shared memory. Readers see a change after `Memory.publish`. */

import { ContractIdsWriter } from './contract-ids.ts';
import { Header, type State } from './header.ts';
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
import { sizeFor } from './pages/allocator.ts';
import { WritablePageArray } from './pages/page-array.ts';
import { pageBytes } from './pages/pages.ts';
import { Snapshot } from './snapshot.ts';
import type { TablePages } from './table-pages.ts';

const comma = 0x2c;

export class MemoryTable extends Snapshot {
  readonly #ids: ContractIdsWriter;
  readonly #entries: WritablePageArray;
  readonly #leaves: WritablePageArray;

  constructor(
    readonly own: TablePages,
    /** Called after each append or change. */
    readonly onChange: (table: MemoryTable) => void,
  ) {
    const header = new Header();
    const ids = new ContractIdsWriter(header, own);
    const entries = new WritablePageArray(own);
    const leaves = new WritablePageArray(own);
    super(own.pages, header, ids, entries, leaves);
    this.#ids = ids;
    this.#entries = entries;
    this.#leaves = leaves;
  }

  /** In bytes. */
  get memory(): number {
    return this.own.bytes;
  }

  /** The record id of the last record added, even if it was removed; 0 if there was none. */
  get lastRecordId(): number {
    return this.header.records === 0 ? 0 : this.recordIdAt(this.header.records - 1);
  }

  /** True if most entries are tombstones: a reload would free memory. */
  get isWasteful(): boolean {
    return this.header.records > 2 * this.count + 100_000;
  }

  get state(): State {
    return this.header.state;
  }

  set state(next: State) {
    this.header.state = next;
    this.onChange(this);
  }

  /** Writes the header of this table to the root. */
  store(root: number, table: number): void {
    const { header } = this;
    header.entriesTop = this.entries.top;
    header.leavesTop = this.leaves.top;
    header.idsTop = this.ids.directory.top;
    header.store(this.pages, root, table);
    this.#ids.published = header.records;
  }

  /** Appends a record; its record id must be above all others. `contractId` is undefined if the collection has none. */
  append({ recordId, version, created, updated }: Meta, contractId: bigint | number | undefined, json: string): void {
    const { pages, header } = this;
    const record = header.records;
    const page = this.#leafFor(json);
    const start = header.tailUsed;
    const length = pages.write(page, leafBytes + start, json);
    pages.setByte(page, leafBytes + start + length, comma);
    const at = this.slotOf(page, record);
    pages.setDouble(page, at / 2 + slot.version, version);
    pages.setDouble(page, at / 2 + slot.created, created);
    pages.setDouble(page, at / 2 + slot.updated, updated);
    pages.setWord(page, at + slot.start, start);
    pages.setWord(page, at + slot.length, length);
    if (record % entriesPerPage === 0) this.#entries.append(this.own.take());
    const entries = this.entries.get(record >>> entryBits);
    pages.setDouble(entries, (record % entriesPerPage) * entryDoubles + entry.recordId, recordId);
    pages.setWord(entries, (record % entriesPerPage) * entryWords + entry.leaf, header.leaves - 1);
    header.records++;
    header.tailUsed += length + 1;
    header.bytes += length + 1;
    if (contractId !== undefined) this.#ids.add(contractId, record);
    this.onChange(this);
  }

  /** Does nothing if there is no record `recordId`. `nextRecordId` is the first record with this id afterwards; 0 for none. */
  remove(recordId: number, contractId: bigint | undefined, nextRecordId: number): void {
    const record = this.recordOf(recordId);
    if (record === undefined) return;
    if (contractId !== undefined) this.#releaseId(contractId, nextRecordId);
    const page = this.leafOf(record);
    const length = this.pages.word(page, this.slotOf(page, record) + slot.length);
    const copy = this.#splice(record, length + 1, 0);
    this.pages.setWord(copy, this.slotOf(copy, record) + slot.length, 0);
    this.header.removed++;
    this.#changed();
  }

  /** Changes the id of a record. `nextRecordId` is the first record with the old id afterwards; 0 for none. */
  rename(recordId: number, oldContractId: bigint, contractId: bigint, nextRecordId: number): void {
    const record = this.recordOf(recordId);
    if (record === undefined) return;
    this.#releaseId(oldContractId, nextRecordId);
    this.#ids.add(contractId, record);
    this.#changed();
  }

  /** Replaces the text of a record; does nothing if there is no record `recordId`. */
  replace(recordId: number, version: number, updated: number, json: string): void {
    const record = this.recordOf(recordId);
    if (record === undefined) return;
    const { pages } = this;
    const old = this.leafOf(record);
    const length = Buffer.byteLength(json);
    const page = this.#splice(record, pages.word(old, this.slotOf(old, record) + slot.length), length);
    const at = this.slotOf(page, record);
    pages.setDouble(page, at / 2 + slot.version, version);
    pages.setDouble(page, at / 2 + slot.updated, updated);
    pages.setWord(page, at + slot.length, length);
    pages.write(page, leafBytes + pages.word(page, at + slot.start), json);
    this.#changed();
  }

  /** Removes all records, and retires their pages. */
  clear(): void {
    const { header } = this;
    this.#ids.clear();
    for (let index = 0; index < this.leaves.length; index++) {
      const page = this.leaves.get(index);
      this.own.retire(page, this.pages.word(page, leaf.pages));
    }
    for (let index = 0; index < this.entries.length; index++) this.own.retire(this.entries.get(index));
    this.#leaves.clear();
    this.#entries.clear();
    header.records = 0;
    header.removed = 0;
    header.leaves = 0;
    header.tailUsed = 0;
    header.bytes = 0;
    this.#changed();
  }

  #changed(): void {
    this.header.changes++;
    this.onChange(this);
  }

  /**
   * Makes room for `length` bytes in place of the `old` bytes that start with the record's, in a copy of its leaf if a root shows it.
   * Returns the page of the leaf.
   */
  #splice(record: number, old: number, length: number): number {
    const { pages, header } = this;
    const index = this.leafAt(record);
    const from = this.leaves.get(index);
    const size = pages.word(from, leaf.pages);
    const first = pages.word(from, leaf.first);
    const start = pages.word(from, this.slotOf(from, record) + slot.start);
    const used = this.usedOf(index, from);
    const last = index + 1 < header.leaves ? pages.word(this.leaves.get(index + 1), leaf.first) : header.records;
    const slots = (last - first) * slotBytes;
    const needed = sizeFor(Math.ceil((leafBytes + used - old + length + slots) / pageBytes));
    const to = needed === size && this.own.isFresh(from) ? from : this.own.take(needed);
    if (to !== from) {
      pages.copy(from, 0, to, 0, leafBytes + start);
      pages.setWord(to, leaf.pages, needed);
      pages.copy(from, size * pageBytes - slots, to, needed * pageBytes - slots, slots);
    }
    pages.copy(from, leafBytes + start + old, to, leafBytes + start + length, used - start - old);
    for (let later = record + 1; later < last; later++) {
      const at = this.slotOf(to, later) + slot.start;
      pages.setWord(to, at, pages.word(to, at) + length - old);
    }
    if (index === header.leaves - 1) header.tailUsed += length - old;
    else pages.setWord(to, leaf.used, used - old + length);
    header.bytes += length - old;
    if (to !== from) {
      this.own.retire(from, size);
      this.#leaves.set(index, to);
    }
    return to;
  }

  #releaseId(contractId: bigint, nextRecordId: number): void {
    const next = this.recordOf(nextRecordId);
    if (next === undefined) this.#ids.remove(contractId);
    else this.#ids.move(contractId, next);
  }

  /** The page of the last leaf, with room for the JSON, a comma and a slot. */
  #leafFor(json: string): number {
    const { pages, header } = this;
    const { records, tailUsed, leaves } = header;
    if (leaves > 0) {
      const page = this.leaves.get(leaves - 1);
      const slots = (records - pages.word(page, leaf.first) + 1) * slotBytes;
      // A leaf of several pages has one long record: a change of a short one would copy it.
      const left = pages.word(page, leaf.pages) > 1 ? 0 : pageBytes - leafBytes - tailUsed - slots;
      // Usually there is room for the longest encoding, so the exact length is not computed.
      if (3 * json.length < left || Buffer.byteLength(json) < left) return page;
      pages.setWord(page, leaf.used, tailUsed);
    }
    const needed = sizeFor(Math.ceil((leafBytes + Buffer.byteLength(json) + 1 + slotBytes) / pageBytes));
    const page = this.own.take(needed);
    pages.setWord(page, leaf.pages, needed);
    pages.setWord(page, leaf.first, records);
    this.#leaves.append(page);
    header.leaves++;
    header.tailUsed = 0;
    return page;
  }
}
