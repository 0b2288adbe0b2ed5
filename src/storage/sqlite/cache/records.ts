/**
 * A collection in memory, as the bytes that are served: the list grows with each record and is never rebuilt, and a
 * lookup by id does not touch the disk.
 *
 * Chunks hold encoded records, each followed by a comma. Written bytes never change: a new record is appended, and a
 * removal or replacement copies its chunk. So a reader of a list keeps a consistent snapshot.
 */
import type { Meta } from '../reads/reader.ts';
import { IdIndex } from './id-index.ts';

/** Small, because a change copies its chunk and moves the records behind it. */
const chunkBytes = 4 * 1024;
const minChunkBytes = 1024;
const encoder = new TextEncoder();
const [open, close] = [encoder.encode('['), encoder.encode(']')];

/** The place of a record, as adjacent words: its chunk, its offset there, and its length, 0 once it is removed. */
const width = 3;
const [inChunk, start, length] = [0, 1, 2];
/** What else is known of a record, as adjacent numbers. */
const metaWidth = 4;
const [seqAt, versionAt, createdAt, updatedAt] = [0, 1, 2, 3];

/** A record as it is stored here: `bytes` are its JSON, which never change. */
export type Kept = Meta & { readonly bytes: Uint8Array<ArrayBuffer> };

type Chunk = { bytes: Uint8Array<ArrayBuffer>; used: number; readonly firstRecord: number };

export class Records {
  #chunks: Chunk[] = [];
  #index = new IdIndex();
  // One entry per record ever added, in order.
  #metas = new Float64Array(64 * metaWidth);
  #places = new Uint32Array(64 * width);
  #added = 0;
  #live = 0;
  #chunkMemory = 0;
  #size = 0;

  get count(): number {
    return this.#live;
  }

  /** The size of the list as JSON, in bytes. */
  get listSize(): number {
    return this.#live === 0 ? 2 : this.#size + 1;
  }

  /** Allocated memory in bytes. */
  get memory(): number {
    return this.#chunkMemory + this.#metas.byteLength + this.#places.byteLength + this.#index.memory;
  }

  /** The seq of the last record added, even if it was removed; 0 if there was none. */
  get lastSeq(): number {
    return this.#added === 0 ? 0 : this.#meta(this.#added - 1, seqAt);
  }

  /** Adds a record at the end; its seq must be above all others. `id` is that of the contract, if there is one. */
  append({ seq, version, created, updated }: Meta, id: bigint | undefined, json: string): void {
    if (this.#added * metaWidth === this.#metas.length) this.#growColumns();
    const record = this.#added++;
    const at = record * metaWidth;
    const metas = this.#metas;
    metas[at + seqAt] = seq;
    metas[at + versionAt] = version;
    metas[at + createdAt] = created;
    metas[at + updatedAt] = updated;
    this.#live++;
    this.#size += this.#write(json, record) + 1;
    if (id !== undefined) this.#index.add(id, record);
  }

  get(seq: number): Kept | undefined {
    const record = this.#recordOf(seq);
    return record === undefined ? undefined : this.#kept(record);
  }

  /** The records after `seq`, in the order of their seqs; before it, in the opposite order. */
  *from(seq: number, descending: boolean): Generator<Kept, void> {
    const step = descending ? -1 : 1;
    const first = this.#firstFrom(descending ? seq : seq + 1) + (descending ? -1 : 0);
    for (let record = first; record >= 0 && record < this.#added; record += step)
      if (this.#of(record, length) > 0) yield this.#kept(record);
  }

  /** The earliest record with this id, encoded. */
  find(id: bigint): Uint8Array<ArrayBuffer> | undefined {
    const record = this.#index.find(id);
    if (record === undefined) return undefined;
    const from = this.#of(record, start);
    return this.#chunk(record).bytes.subarray(from, from + this.#of(record, length));
  }

  /** The seqs of the records with this id; undefined if there may be several. */
  seqsOf(id: bigint): readonly number[] | undefined {
    const record = this.#index.only(id);
    if (record === undefined) return undefined;
    return record < 0 ? [] : [this.#meta(record, seqAt)];
  }

  /** Does nothing if there is no record `seq`. `nextSeq` is the first record with this id afterwards; 0 for none. */
  remove(seq: number, id: bigint | undefined, nextSeq: number): void {
    const record = this.#recordOf(seq);
    if (record === undefined) return;
    if (id !== undefined) this.#releaseId(record, id, nextSeq);
    this.#cut(record);
  }

  /** Changes the id of a record. `nextSeq` is the first record with the old id afterwards; 0 for none. */
  rename(seq: number, oldId: bigint, id: bigint, nextSeq: number): void {
    const record = this.#recordOf(seq);
    if (record === undefined) return;
    this.#releaseId(record, oldId, nextSeq);
    this.#index.add(id, record);
  }

  /** Replaces the text of a record; does nothing if there is no record `seq`. */
  replace(seq: number, version: number, updated: number, json: string): void {
    const record = this.#recordOf(seq);
    if (record === undefined) return;
    this.#metas[record * metaWidth + versionAt] = version;
    this.#metas[record * metaWidth + updatedAt] = updated;
    const chunk = this.#chunk(record);
    const from = this.#of(record, start);
    const end = from + this.#of(record, length);
    const written = encoder.encode(json);
    const grown = written.length - (end - from);
    const bytes = grown === 0 ? chunk.bytes.slice(0, chunk.used) : new Uint8Array(chunk.used + grown);
    bytes.set(written, from);
    if (grown !== 0) {
      bytes.set(chunk.bytes.subarray(0, from));
      bytes.set(chunk.bytes.subarray(end, chunk.used), from + written.length);
    }
    this.#chunkMemory += bytes.length - chunk.bytes.length;
    chunk.bytes = bytes;
    chunk.used += grown;
    this.#moveLater(record, grown);
    this.#places[record * width + length] = written.length;
    this.#size += grown;
  }

  /** True if most entries are of removed records: a reload would free memory. */
  get wasteful(): boolean {
    return this.#added > 2 * this.#live + 100_000;
  }

  /** The current list, as a snapshot that later changes do not affect. */
  parts(): Uint8Array<ArrayBuffer>[] {
    const filled = this.#chunks.filter(({ used }) => used > 0);
    const views = filled.map(({ bytes, used }, index) =>
      bytes.subarray(0, index === filled.length - 1 ? used - 1 : used),
    );
    return [open, ...views, close];
  }

  /** Returns the length of the record in bytes. */
  #write(json: string, record: number): number {
    const target = this.#roomFor(json, record);
    const from = target.used;
    const { written } = encoder.encodeInto(json, target.bytes.subarray(from));
    target.bytes[from + written] = 0x2c;
    target.used = from + written + 1;
    const at = record * width;
    const places = this.#places;
    places[at + inChunk] = this.#chunks.length - 1;
    places[at + start] = from;
    places[at + length] = written;
    return written;
  }

  /** The chunk that the record is written to. */
  #roomFor(json: string, record: number): Chunk {
    const last = this.#chunks.at(-1);
    // Mostly there is room for the longest encoding, and the exact length need not be known. With the comma.
    if (last !== undefined && last.used + 3 * json.length + 1 <= last.bytes.length) return last;
    const size = Buffer.byteLength(json) + 1;
    if (last === undefined || last.used + size > chunkBytes) return this.#addChunk(record, size);
    if (last.used + size > last.bytes.length) {
      const grown = new Uint8Array(Math.min(Math.max(last.bytes.length * 2, last.used + size), chunkBytes));
      grown.set(last.bytes.subarray(0, last.used));
      this.#chunkMemory += grown.length - last.bytes.length;
      last.bytes = grown;
    }
    return last;
  }

  #addChunk(firstRecord: number, atLeast: number): Chunk {
    // Room for one small record; a collection that has filled a chunk will fill the next, too.
    const usual = this.#chunks.length === 0 ? minChunkBytes : chunkBytes;
    const chunk = { bytes: new Uint8Array(Math.max(usual, atLeast)), used: 0, firstRecord };
    this.#chunks.push(chunk);
    this.#chunkMemory += chunk.bytes.length;
    return chunk;
  }

  #releaseId(record: number, id: bigint, nextSeq: number): void {
    if (this.#index.find(id) !== record) return;
    const next = this.#recordOf(nextSeq);
    if (next === undefined) this.#index.remove(id);
    else this.#index.replace(id, next);
  }

  #cut(record: number): void {
    const chunk = this.#chunk(record);
    const from = this.#of(record, start);
    const gone = this.#of(record, length) + 1;
    const bytes = new Uint8Array(chunk.used - gone);
    bytes.set(chunk.bytes.subarray(0, from));
    bytes.set(chunk.bytes.subarray(from + gone, chunk.used), from);
    this.#chunkMemory += bytes.length - chunk.bytes.length;
    chunk.bytes = bytes;
    chunk.used -= gone;
    this.#moveLater(record, -gone);
    this.#places[record * width + length] = 0;
    this.#live--;
    this.#size -= gone;
  }

  /** Moves the offsets of the records after this one in its chunk. */
  #moveLater(record: number, by: number): void {
    const end = this.#chunks[this.#of(record, inChunk) + 1]?.firstRecord ?? this.#added;
    const places = this.#places;
    for (let at = (record + 1) * width + start; at < end * width; at += width) places[at] = (places[at] ?? 0) + by;
  }

  #of(record: number, word: number): number {
    return this.#places[record * width + word] ?? 0;
  }

  #chunk(record: number): Chunk {
    const chunk = this.#chunks[this.#of(record, inChunk)];
    if (chunk === undefined) throw new Error(`record ${record} is in no chunk`);
    return chunk;
  }

  #meta(record: number, number: number): number {
    return this.#metas[record * metaWidth + number] ?? 0;
  }

  #kept(record: number): Kept {
    const from = this.#of(record, start);
    return {
      seq: this.#meta(record, seqAt),
      version: this.#meta(record, versionAt),
      created: this.#meta(record, createdAt),
      updated: this.#meta(record, updatedAt),
      bytes: this.#chunk(record).bytes.subarray(from, from + this.#of(record, length)),
    };
  }

  /** Undefined if the record is missing or removed. */
  #recordOf(seq: number): number | undefined {
    const record = this.#firstFrom(seq);
    return record < this.#added && this.#meta(record, seqAt) === seq && this.#of(record, length) > 0
      ? record
      : undefined;
  }

  /** The first record with this seq or a higher one. A binary search, because seqs only increase. */
  #firstFrom(seq: number): number {
    let low = 0;
    let high = this.#added;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#meta(middle, seqAt) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #growColumns(): void {
    this.#metas = copyInto(new Float64Array(this.#metas.length * 2), this.#metas);
    this.#places = copyInto(new Uint32Array(this.#places.length * 2), this.#places);
  }
}

function copyInto<Column extends Float64Array | Uint32Array>(larger: Column, column: Column): Column {
  larger.set(column);
  return larger;
}
