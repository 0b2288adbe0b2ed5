/** The words, doubles and bytes of shared memory, by the number of their page. All accesses are plain: README.md says why each is ordered. */
import type { Bytes } from '../../../../domain/bytes.ts';

export const pageBytes = 4096;
export const pageWords = pageBytes / 4;
const pageDoubles = pageBytes / 8;
/** Page numbers per segment, as a power of two: 64 MiB. A longer segment, for a longer record, takes the numbers of several. */
export const segmentBits = 14;
const segmentMask = (1 << segmentBits) - 1;
export const segmentPages = 1 << segmentBits;

/** Has a fixed size, because reads of a growable buffer are slower. */
export type Segment = SharedArrayBuffer;

/** The position of bytes in shared memory. */
export type Place = { readonly source: Buffer; readonly start: number };

const noWords = new Uint32Array(new SharedArrayBuffer(0));

export class Pages {
  readonly #words: Uint32Array<SharedArrayBuffer>[] = [];
  readonly #doubles: Float64Array<SharedArrayBuffer>[] = [];
  /** A Buffer copies short texts faster than a Uint8Array. */
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

  word(page: number, at: number): number {
    return this.#words[page >>> segmentBits]?.[(page & segmentMask) * pageWords + at] ?? 0;
  }

  setWord(page: number, at: number, value: number): void {
    const words = this.#words[page >>> segmentBits];
    if (words !== undefined) words[(page & segmentMask) * pageWords + at] = value;
  }

  double(page: number, at: number): number {
    return this.#doubles[page >>> segmentBits]?.[(page & segmentMask) * pageDoubles + at] ?? 0;
  }

  setDouble(page: number, at: number, value: number): void {
    const doubles = this.#doubles[page >>> segmentBits];
    if (doubles !== undefined) doubles[(page & segmentMask) * pageDoubles + at] = value;
  }

  /** For loops: an array that has the words of the page from `wordsStart` on. */
  wordsAround(page: number): Uint32Array<SharedArrayBuffer> {
    return this.#words[page >>> segmentBits] ?? noWords;
  }

  wordsStart(page: number): number {
    return (page & segmentMask) * pageWords;
  }

  place(page: number, at: number): Place {
    return { source: this.#buffer(page), start: offset(page) + at };
  }

  /** A copy outside of shared memory. */
  bytes(page: number, at: number, length: number): Bytes {
    const copied = new Uint8Array(length);
    const start = offset(page) + at;
    this.#buffer(page).copy(copied, 0, start, start + length);
    return copied;
  }

  copy(from: number, fromAt: number, to: number, toAt: number, length: number): void {
    const start = offset(from) + fromAt;
    this.#buffer(from).copy(this.#buffer(to), offset(to) + toAt, start, start + length);
  }

  /** Returns the number of bytes written; there must be room for all of them. */
  write(page: number, at: number, text: string): number {
    return this.#buffer(page).write(text, offset(page) + at, 'utf8');
  }

  setByte(page: number, at: number, byte: number): void {
    this.#buffer(page)[offset(page) + at] = byte;
  }

  clear(page: number): void {
    const start = this.wordsStart(page);
    this.wordsAround(page).fill(0, start, start + pageWords);
  }

  #buffer(page: number): Buffer<SharedArrayBuffer> {
    const buffer = this.#buffers[page >>> segmentBits];
    if (buffer === undefined) throw new RangeError(`there is no page ${page}`);
    return buffer;
  }
}

function offset(page: number): number {
  return (page & segmentMask) * pageBytes;
}
