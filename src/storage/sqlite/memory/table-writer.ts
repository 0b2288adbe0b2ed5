/** Changes the records of one collection in shared memory. Readers see a change after `Memory.publish`. */
import type { Allocator } from './allocator.ts';
import { sizeFor } from './allocator.ts';
import { type Blocks, IdsWriter } from './ids.ts';
import {
  chunk,
  chunkWords,
  entriesPerPage,
  entry,
  entryBits,
  entryDoubles,
  entryWords,
  type Meta,
  pageBlocks,
} from './layout.ts';
import type { Root, State } from './root.ts';
import { Table } from './table.ts';
import { blockBytes, blockWords, type View } from './view.ts';

const comma = 0x2c;

export type Changing = {
  /** Called before anything changes that a reader may be reading. */
  beginChange(): void;
  /** Whether a reader keeps parts of lists, which must not change in place. */
  readonly isPinned: boolean;
  /** Called with each addition or change. */
  touched(table: TableWriter): void;
};

export class TableWriter extends Table {
  protected override readonly ids: IdsWriter;
  readonly #blocks: Blocks = { taken: 0 };
  /** Also those that readers do not see yet. */
  #added = 0;
  #chunks = 0;
  /** What readers may be reading was changed since the last `publish`. */
  #isChanged = false;
  /** There is something to publish. */
  #isTouched = false;
  /** Words that there is room for. */
  #room = { entryPages: 0, chunks: 0 };

  constructor(
    view: View,
    of: Root,
    readonly allocator: Allocator,
    readonly version: Changing,
  ) {
    // The writer reads its own changes.
    super(view, of, () => {});
    this.ids = new IdsWriter(view, of, allocator, this.#blocks, () => this.#changing());
  }

  /** In bytes. */
  get memory(): number {
    return this.#blocks.taken * blockBytes;
  }

  /** The seq of the last record added, even if it was removed; 0 if there was none. */
  get lastSeq(): number {
    return this.#added === 0 ? 0 : this.double(this.#added - 1, entry.seq);
  }

  /** True if most entries are of removed records: a reload would free memory. */
  get isWasteful(): boolean {
    return this.#added > 2 * (this.#added - this.of.removed) + 100_000;
  }

  get state(): State {
    return this.of.state;
  }

  set state(next: State) {
    if (next === this.of.state) return;
    this.#changing();
    this.of.state = next;
  }

  /** Readers see the additions, and the changes once `Version.endChange` is called. */
  publish(): void {
    if (this.#isChanged) this.of.store();
    this.#isChanged = false;
    this.#isTouched = false;
    this.of.publishAdded(this.#added);
  }

  /** Adds a record at the end; its seq must be above all others. `id` is that of the contract, if there is one. */
  append({ seq, version, created, updated }: Meta, id: bigint | number | undefined, json: string): void {
    const record = this.#added;
    const page = record % entriesPerPage === 0 ? this.#addPage(record >>> entryBits) : this.page(record);
    const { view } = this;
    const doubles = (record % entriesPerPage) * entryDoubles;
    view.setDouble(page, doubles + entry.seq, seq);
    view.setDouble(page, doubles + entry.version, version);
    view.setDouble(page, doubles + entry.created, created);
    view.setDouble(page, doubles + entry.updated, updated);
    const index = this.#chunkFor(json, record);
    const chunks = this.of.chunks;
    const start = view.word(chunks, index * chunkWords + chunk.used);
    const length = view.writeWith(view.word(chunks, index * chunkWords + chunk.block), start, json, comma);
    view.setWord(chunks, index * chunkWords + chunk.used, start + length + 1);
    const words = (record % entriesPerPage) * entryWords;
    view.setWord(page, words + entry.chunk, index);
    view.setWord(page, words + entry.start, start);
    view.setWord(page, words + entry.length, length);
    this.#added++;
    this.#touch();
    if (id !== undefined) this.ids.add(id, record);
  }

  /** Does nothing if there is no record `seq`. `nextSeq` is the first record with this id afterwards; 0 for none. */
  remove(seq: number, id: bigint | undefined, nextSeq: number): void {
    const record = this.recordOf(seq, this.#added);
    if (record === undefined) return;
    this.#beginChange();
    if (id !== undefined) this.#releaseId(record, id, nextSeq);
    this.#resize(record, this.word(record, entry.length) + 1, 0);
    this.#setWord(record, entry.length, 0);
    this.of.removed = this.of.removed + 1;
  }

  /** Changes the id of a record. `nextSeq` is the first record with the old id afterwards; 0 for none. */
  rename(seq: number, oldId: bigint, id: bigint, nextSeq: number): void {
    const record = this.recordOf(seq, this.#added);
    if (record === undefined) return;
    this.#beginChange();
    this.#releaseId(record, oldId, nextSeq);
    this.ids.add(id, record);
  }

  /** Replaces the text of a record; does nothing if there is no record `seq`. */
  replace(seq: number, version: number, updated: number, json: string): void {
    const record = this.recordOf(seq, this.#added);
    if (record === undefined) return;
    this.#beginChange();
    const { view } = this;
    const doubles = (record % entriesPerPage) * entryDoubles;
    view.setDouble(this.page(record), doubles + entry.version, version);
    view.setDouble(this.page(record), doubles + entry.updated, updated);
    const length = Buffer.byteLength(json);
    const at = this.#resize(record, this.word(record, entry.length), length);
    view.write(at.block, at.start, json);
    this.#setWord(record, entry.length, length);
  }

  /** Removes all records, and gives their memory back. */
  clear(): void {
    this.#beginChange();
    this.ids.clear();
    for (let at = 0; at < this.#chunks; at++) this.#retire(this.chunk(at, chunk.block), this.chunk(at, chunk.blocks));
    for (let record = 0; record < this.#added; record += entriesPerPage) this.#retire(this.page(record), pageBlocks);
    for (const list of ['chunks', 'entryPages'] as const) {
      if (this.#room[list] > 0) this.#retire(this.of[list], this.#room[list] / blockWords);
      this.of[list] = 0;
    }
    this.#room = { entryPages: 0, chunks: 0 };
    this.#chunks = 0;
    this.#added = 0;
    this.of.removed = 0;
  }

  #changing(): void {
    if (this.#isChanged) return;
    this.#isChanged = true;
    this.version.beginChange();
    this.#touch();
  }

  #touch(): void {
    if (!this.#isTouched) this.version.touched(this);
    this.#isTouched = true;
  }

  #beginChange(): void {
    this.#changing();
    this.of.changes = this.of.changes + 1;
  }

  /** Makes room for `length` bytes in place of the `old` bytes that start with the record's. Returns where they are. */
  #resize(record: number, old: number, length: number): { readonly block: number; readonly start: number } {
    const { view } = this;
    const index = this.word(record, entry.chunk);
    const start = this.word(record, entry.start);
    const used = this.chunk(index, chunk.used);
    const block = this.chunk(index, chunk.block);
    const blocks = this.chunk(index, chunk.blocks);
    const needed = Math.max(1, Math.ceil((used - old + length) / blockBytes));
    const isKept = !this.version.isPinned && needed <= blocks && sizeFor(needed) * 2 > blocks;
    const target = isKept ? block : this.#take(needed);
    if (!isKept) view.move(view.place(block, 0), view.place(target, 0), start);
    if (!isKept || old !== length)
      view.move(view.place(block, start + old), view.place(target, start + length), used - start - old);
    if (!isKept) {
      this.#retire(block, blocks);
      this.#setChunk(index, chunk.block, target);
      this.#setChunk(index, chunk.blocks, sizeFor(needed));
    }
    this.#setChunk(index, chunk.used, used - old + length);
    if (old !== length) this.#moveLater(record, index, length - old);
    return { block: target, start };
  }

  /** Moves the starts of the records after this one in its chunk. */
  #moveLater(record: number, index: number, by: number): void {
    const end = index + 1 < this.#chunks ? this.chunk(index + 1, chunk.firstRecord) : this.#added;
    for (let later = record + 1; later < end; later++)
      this.#setWord(later, entry.start, this.word(later, entry.start) + by);
  }

  #releaseId(record: number, id: bigint, nextSeq: number): void {
    if (this.ids.find(id)?.record !== record) return;
    const next = this.recordOf(nextSeq, this.#added);
    if (next === undefined) this.ids.remove(id);
    else this.ids.replace(id, next);
  }

  /** The chunk that the record is written to, with the comma after it. */
  #chunkFor(json: string, record: number): number {
    const last = this.#chunks - 1;
    // A chunk of several blocks has one long record: a change of a short one would move it.
    const left = last < 0 || this.chunk(last, chunk.blocks) > 1 ? 0 : blockBytes - this.chunk(last, chunk.used);
    // Mostly there is room for the longest encoding, and the exact length need not be known.
    if (3 * json.length < left) return last;
    const size = Buffer.byteLength(json) + 1;
    return size <= left ? last : this.#addChunk(record, Math.ceil(size / blockBytes));
  }

  #addChunk(firstRecord: number, needed: number): number {
    const blocks = sizeFor(needed);
    if ((this.#chunks + 1) * chunkWords > this.#room.chunks) this.#growArray('chunks');
    const index = this.#chunks++;
    this.#setChunk(index, chunk.block, this.#take(needed));
    this.#setChunk(index, chunk.blocks, blocks);
    this.#setChunk(index, chunk.used, 0);
    this.#setChunk(index, chunk.firstRecord, firstRecord);
    return index;
  }

  #addPage(index: number): number {
    if (index + 1 > this.#room.entryPages) this.#growArray('entryPages');
    const page = this.#take(pageBlocks);
    this.view.setWord(this.of.entryPages, index, page);
    return page;
  }

  /** Doubles an array: readers continue with the old one until the change ends. */
  #growArray(name: 'chunks' | 'entryPages'): void {
    this.#changing();
    const room = this.#room[name];
    const larger = Math.max(blockWords, room * 2);
    const block = this.#take(larger / blockWords);
    if (room > 0) {
      this.view.move(this.view.place(this.of[name], 0), this.view.place(block, 0), room * 4);
      this.#retire(this.of[name], room / blockWords);
    }
    this.of[name] = block;
    this.#room[name] = larger;
  }

  #setChunk(index: number, at: number, value: number): void {
    this.view.setWord(this.of.chunks, index * chunkWords + at, value);
  }

  #setWord(record: number, at: number, value: number): void {
    this.view.setWord(this.page(record), (record % entriesPerPage) * entryWords + at, value);
  }

  #take(blocks: number): number {
    this.#blocks.taken += sizeFor(blocks);
    return this.allocator.allocate(blocks);
  }

  #retire(block: number, blocks: number): void {
    this.#blocks.taken -= sizeFor(blocks);
    this.allocator.retire(block, blocks);
  }
}
