/** The words, doubles and bytes of shared memory, by the number of their block. */
import type { Bytes } from '../../../domain/bytes.ts';

export const blockBytes = 4096;
export const blockWords = blockBytes / 4;
const blockDoubles = blockBytes / 8;
/** Numbers of blocks per segment, as a power of two: a segment has at most 64 MiB. */
export const segmentBits = 14;
const segmentMask = (1 << segmentBits) - 1;
export const segmentBlocks = 1 << segmentBits;

/** Of a fixed size, because a buffer that can grow is read more slowly. */
export type Segment = SharedArrayBuffer;

/** Bytes where they are in shared memory. */
export type Place = { readonly source: Buffer; readonly start: number };

/** Only a read that is repeated looks for a block that does not exist. */
const noWords = new Uint32Array(new SharedArrayBuffer(0));

export class View {
  readonly #words: Uint32Array<SharedArrayBuffer>[] = [];
  readonly #doubles: Float64Array<SharedArrayBuffer>[] = [];
  /** A buffer copies short texts faster than an array does. */
  readonly #buffers: Buffer<SharedArrayBuffer>[] = [];

  constructor(segments: readonly Segment[]) {
    for (const [index, segment] of segments.entries()) this.set(index, segment);
  }

  get segments(): number {
    return this.#words.length;
  }

  /** Adds a segment, or replaces one. */
  set(index: number, segment: Segment): void {
    this.#words[index] = new Uint32Array(segment);
    this.#doubles[index] = new Float64Array(segment);
    this.#buffers[index] = Buffer.from(segment);
  }

  /** 0 if there is no such block: only a read that is repeated looks for one. */
  word(block: number, at: number): number {
    return this.#words[block >>> segmentBits]?.[(block & segmentMask) * blockWords + at] ?? 0;
  }

  setWord(block: number, at: number, value: number): void {
    const words = this.#words[block >>> segmentBits];
    if (words !== undefined) words[(block & segmentMask) * blockWords + at] = value;
  }

  double(block: number, at: number): number {
    return this.#doubles[block >>> segmentBits]?.[(block & segmentMask) * blockDoubles + at] ?? 0;
  }

  setDouble(block: number, at: number, value: number): void {
    const doubles = this.#doubles[block >>> segmentBits];
    if (doubles !== undefined) doubles[(block & segmentMask) * blockDoubles + at] = value;
  }

  /** The words of the block, for loops: from `wordsStart` on in this array. */
  wordsAround(block: number): Uint32Array<SharedArrayBuffer> {
    return this.#words[block >>> segmentBits] ?? noWords;
  }

  wordsStart(block: number): number {
    return (block & segmentMask) * blockWords;
  }

  place(block: number, at: number): Place {
    return { source: this.#buffer(block), start: offset(block) + at };
  }

  copy(block: number, at: number, length: number): Bytes {
    const copied = new Uint8Array(length);
    const start = offset(block) + at;
    this.#buffer(block).copy(copied, 0, start, start + length);
    return copied;
  }

  /** Copies within shared memory. */
  move(from: Place, to: Place, length: number): void {
    from.source.copy(to.source, to.start, from.start, from.start + length);
  }

  /** Returns the number of bytes written; there must be room for all of them. */
  write(block: number, at: number, text: string): number {
    return this.#buffer(block).write(text, offset(block) + at, 'utf8');
  }

  /** The same, with one byte more after the text. */
  writeWith(block: number, at: number, text: string, byte: number): number {
    const buffer = this.#buffer(block);
    const start = offset(block) + at;
    const written = buffer.write(text, start, 'utf8');
    buffer[start + written] = byte;
    return written;
  }

  clear(block: number): void {
    const start = (block & segmentMask) * blockWords;
    this.#words[block >>> segmentBits]?.fill(0, start, start + blockWords);
  }

  #buffer(block: number): Buffer<SharedArrayBuffer> {
    const buffer = this.#buffers[block >>> segmentBits];
    if (buffer === undefined) throw new RangeError(`there is no block ${block}`);
    return buffer;
  }
}

function offset(block: number): number {
  return (block & segmentMask) * blockBytes;
}
