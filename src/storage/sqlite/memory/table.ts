/** The records of one collection in shared memory, as the bytes that are served. Its methods are called in `Version.read`. */
import type { Bytes } from '../../../domain/bytes.ts';
import { Ids } from './ids.ts';
import { chunk, chunkWords, entriesPerPage, entry, entryBits, entryDoubles, entryWords, type Meta } from './layout.ts';
import type { Root } from './root.ts';
import type { Place, View } from './view.ts';

/** A record, and where its JSON is: valid until the end of `Version.read`. */
export type Kept = Meta & Place & { readonly length: number };
/** Encoded records, each followed by a comma. */
export type Part = { readonly block: number; readonly length: number };

/** In bytes. */
const longRecord = 64 * 1024;

export class Table {
  protected readonly ids: Ids;

  constructor(
    readonly view: View,
    readonly of: Root,
    /** Throws if this read is going to be repeated. */
    readonly verify: () => void,
  ) {
    this.ids = new Ids(view, of);
  }

  /** Records that are not removed. */
  get count(): number {
    return this.of.added - this.of.removed;
  }

  /** Differs between any two moments with different records. */
  get tag(): string {
    return `${this.of.changes.toString(36)}-${this.of.added.toString(36)}`;
  }

  /** The earliest record with this id. */
  find(id: bigint): Bytes | undefined {
    const record = this.ids.find(id)?.record;
    if (record === undefined || record >= this.of.added) return undefined;
    const { block, start, length } = this.#placeOf(record);
    return this.view.copy(block, start, length);
  }

  /** The seqs of the records with this id; undefined if there may be several. */
  seqsOf(id: bigint): readonly number[] | undefined {
    const found = this.ids.find(id);
    if (found === undefined || found.record >= this.of.added) return [];
    return found.isShared ? undefined : [this.double(found.record, entry.seq)];
  }

  get(seq: number): Kept | undefined {
    const record = this.recordOf(seq, this.of.added);
    return record === undefined ? undefined : this.#kept(record);
  }

  /** The records after `seq`, in the order of their seqs; before it, in the opposite order. */
  *from(seq: number, descending: boolean): Generator<Kept, void> {
    const { added } = this.of;
    const step = descending ? -1 : 1;
    const first = this.#firstFrom(descending ? seq : seq + 1, added) + (descending ? -1 : 0);
    for (let record = first; record >= 0 && record < added; record += step)
      if (this.word(record, entry.length) > 0) yield this.#kept(record);
  }

  /** The whole list, without its brackets; the last part ends with a comma, too. */
  parts(): Part[] {
    const { added } = this.of;
    if (added === 0) return [];
    const last = added - 1;
    const lastChunk = this.word(last, entry.chunk);
    const length = this.word(last, entry.length);
    const parts: Part[] = [];
    for (let at = 0; at < lastChunk; at++) {
      const part = { block: this.chunk(at, chunk.block), length: this.chunk(at, chunk.used) };
      if (part.length > 0) parts.push(part);
    }
    // The writer may have added others to the last chunk, which are not visible yet.
    const end = this.word(last, entry.start) + (length > 0 ? length + 1 : 0);
    if (end > 0) parts.push({ block: this.chunk(lastChunk, chunk.block), length: end });
    return parts;
  }

  protected double(record: number, at: number): number {
    return this.view.double(this.page(record), (record % entriesPerPage) * entryDoubles + at);
  }

  protected word(record: number, at: number): number {
    return this.view.word(this.page(record), (record % entriesPerPage) * entryWords + at);
  }

  protected page(record: number): number {
    return this.view.word(this.of.entryPages, record >>> entryBits);
  }

  protected chunk(index: number, at: number): number {
    return this.view.word(this.of.chunks, index * chunkWords + at);
  }

  #placeOf(record: number): { readonly block: number; readonly start: number; readonly length: number } {
    const { view } = this;
    const page = this.page(record);
    const at = (record % entriesPerPage) * entryWords;
    const length = view.word(page, at + entry.length);
    // A read that is repeated may find any number, and must not copy that many bytes.
    if (length > longRecord) this.verify();
    const block = this.chunk(view.word(page, at + entry.chunk), chunk.block);
    return { block, start: view.word(page, at + entry.start), length };
  }

  /** Undefined if the record is missing or removed. */
  protected recordOf(seq: number, added: number): number | undefined {
    const record = this.#firstFrom(seq, added);
    return record < added && this.double(record, entry.seq) === seq && this.word(record, entry.length) > 0
      ? record
      : undefined;
  }

  #kept(record: number): Kept {
    const { view } = this;
    const page = this.page(record);
    const at = (record % entriesPerPage) * entryDoubles;
    const { block, start, length } = this.#placeOf(record);
    return {
      seq: view.double(page, at + entry.seq),
      version: view.double(page, at + entry.version),
      created: view.double(page, at + entry.created),
      updated: view.double(page, at + entry.updated),
      length,
      ...view.place(block, start),
    };
  }

  /** The first record with this seq or a higher one, because seqs only increase. */
  #firstFrom(seq: number, added: number): number {
    if (added === 0) return 0;
    // Mostly no seq was left out since the first.
    const guess = seq - this.double(0, entry.seq);
    if (guess >= 0 && guess < added && this.double(guess, entry.seq) === seq) return guess;
    let low = 0;
    let high = added;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.double(middle, entry.seq) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
