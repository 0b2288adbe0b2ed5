/**
 * A collection in memory, as the bytes that are served: the list grows with each record and is never rebuilt, and a
 * record is found by its id without touching the disk.
 *
 * Chunks hold encoded records, each followed by a comma. Bytes once written never change: a record is added behind
 * them, and taking one away copies its chunk. So the chunks of a list stay whole for whoever is still reading it.
 */
import { IdIndex } from './id-index.ts';

const chunkBytes = 128 * 1024;
const smallestChunk = 4 * 1024;
const encoder = new TextEncoder();
const [open, close] = [encoder.encode('['), encoder.encode(']')];

/** Where a record is, side by side: the chunk, where it starts in it, and its length, which is 0 once it is removed. */
const width = 3;
const [inChunk, start, length] = [0, 1, 2];

type Chunk = { bytes: Uint8Array<ArrayBuffer>; used: number; readonly firstRecord: number };

export class Records {
  #chunks: Chunk[] = [];
  #index = new IdIndex();
  // One entry per record ever added, in order.
  #seqs = new Float64Array(64);
  #places = new Uint32Array(64 * width);
  #added = 0;
  #live = 0;
  #chunkMemory = 0;
  #size = 0;

  /** How many records there are. */
  get count(): number {
    return this.#live;
  }

  /** The bytes of the list as JSON. */
  get listSize(): number {
    return this.#live === 0 ? 2 : this.#size + 1;
  }

  /** What all of this takes of the memory, in bytes. */
  get memory(): number {
    return this.#chunkMemory + this.#seqs.byteLength + this.#places.byteLength + this.#index.memory;
  }

  /** The number of the last record that was added; 0 when there has been none. */
  get lastSeq(): number {
    return this.#added === 0 ? 0 : (this.#seqs[this.#added - 1] ?? 0);
  }

  /** Adds a record at the end; its number must be above all others. */
  append(seq: number, id: bigint, json: string): void {
    if (this.#added === this.#seqs.length) this.#growColumns();
    const record = this.#added++;
    this.#seqs[record] = seq;
    this.#live++;
    this.#size += this.#write(json, record) + 1;
    this.#index.add(id, record);
  }

  /** The earliest record with this id, encoded. */
  find(id: bigint): Uint8Array<ArrayBuffer> | undefined {
    const record = this.#index.find(id);
    if (record === undefined) return undefined;
    const from = this.#of(record, start);
    return this.#chunk(record).bytes.subarray(from, from + this.#of(record, length));
  }

  /** Takes away the record with this number, if it is here; `nextSeq` is that of the first with its id then, 0 for none. */
  remove(seq: number, id: bigint, nextSeq: number): void {
    const record = this.#recordOf(seq);
    if (record === undefined) return;
    this.#giveUpId(record, id, nextSeq);
    this.#cut(record);
  }

  /** The record with this number, if it is here, has another id now; `nextSeq` is that of the first with the old one. */
  rename(seq: number, oldId: bigint, id: bigint, nextSeq: number): void {
    const record = this.#recordOf(seq);
    if (record === undefined) return;
    this.#giveUpId(record, oldId, nextSeq);
    this.#index.add(id, record);
  }

  /** Writes another text in the place of the record with this number, if it is here. */
  replace(seq: number, json: string): void {
    const record = this.#recordOf(seq);
    if (record === undefined) return;
    const chunk = this.#chunk(record);
    const from = this.#of(record, start);
    const end = from + this.#of(record, length);
    const written = encoder.encode(json);
    const grown = written.length - (end - from);
    const bytes = new Uint8Array(chunk.used + grown);
    bytes.set(chunk.bytes.subarray(0, from));
    bytes.set(written, from);
    bytes.set(chunk.bytes.subarray(end, chunk.used), from + written.length);
    this.#chunkMemory += bytes.length - chunk.bytes.length;
    chunk.bytes = bytes;
    chunk.used += grown;
    this.#moveLater(record, grown);
    this.#places[record * width + length] = written.length;
    this.#size += grown;
  }

  /** Most of it is traces of records that are gone: filling it anew would make it smaller. */
  get wasteful(): boolean {
    return this.#added > 2 * this.#live + 100_000;
  }

  /** The list as it stands now, in parts that stay whole whatever happens to the records meanwhile. */
  parts(): Uint8Array<ArrayBuffer>[] {
    const filled = this.#chunks.filter(({ used }) => used > 0);
    const views = filled.map(({ bytes, used }, index) =>
      bytes.subarray(0, index === filled.length - 1 ? used - 1 : used),
    );
    return [open, ...views, close];
  }

  /** Answers how many bytes it is. */
  #write(json: string, record: number): number {
    // Each unit of text takes at most three bytes; to count them pays where much more would be set aside. And the comma.
    const most = (json.length > smallestChunk ? Buffer.byteLength(json) : json.length * 3) + 1;
    const last = this.#chunks.at(-1);
    const target = last !== undefined && last.used + most <= chunkBytes ? last : this.#addChunk(record, most);
    if (target.used + most > target.bytes.length) {
      const grown = new Uint8Array(Math.max(target.bytes.length * 2, target.used + most));
      grown.set(target.bytes.subarray(0, target.used));
      this.#chunkMemory += grown.length - target.bytes.length;
      target.bytes = grown;
    }
    const from = target.used;
    const { written } = encoder.encodeInto(json, target.bytes.subarray(from));
    target.bytes[from + written] = 0x2c;
    target.used = from + written + 1;
    this.#places.set([this.#chunks.length - 1, from, written], record * width);
    return written;
  }

  #addChunk(firstRecord: number, atLeast: number): Chunk {
    const chunk = { bytes: new Uint8Array(Math.max(smallestChunk, atLeast)), used: 0, firstRecord };
    this.#chunks.push(chunk);
    this.#chunkMemory += chunk.bytes.length;
    return chunk;
  }

  #giveUpId(record: number, id: bigint, nextSeq: number): void {
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

  /** Those that stand behind it in its chunk. */
  #moveLater(record: number, by: number): void {
    const end = this.#chunks[this.#of(record, inChunk) + 1]?.firstRecord ?? this.#added;
    for (let later = record + 1; later < end; later++) {
      this.#places[later * width + start] = this.#of(later, start) + by;
    }
  }

  #of(record: number, what: number): number {
    return this.#places[record * width + what] ?? 0;
  }

  #chunk(record: number): Chunk {
    const chunk = this.#chunks[this.#of(record, inChunk)];
    if (chunk === undefined) throw new Error(`record ${record} is in no chunk`);
    return chunk;
  }

  /** Of one that is here, and not gone. Numbers only grow, so they can be searched by halves. */
  #recordOf(seq: number): number | undefined {
    let low = 0;
    let high = this.#added;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#seqs[middle] ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return low < this.#added && this.#seqs[low] === seq && this.#of(low, length) > 0 ? low : undefined;
  }

  #growColumns(): void {
    this.#seqs = copyInto(new Float64Array(this.#seqs.length * 2), this.#seqs);
    this.#places = copyInto(new Uint32Array(this.#places.length * 2), this.#places);
  }
}

function copyInto<Column extends Float64Array | Uint32Array>(larger: Column, column: Column): Column {
  larger.set(column);
  return larger;
}
