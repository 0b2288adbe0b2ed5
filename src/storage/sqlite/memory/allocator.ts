/** Gives out blocks of shared memory, and takes them back once no reader can hold them. Only the writer has one. */
import type { Version } from './version.ts';
import { blockBytes, type Segment, segmentBlocks, type View } from './view.ts';

/** Of the first segment: 1 MiB. */
const firstBlocks = 256;

type Retired = { readonly block: number; readonly size: number; readonly version: number };

export class Allocator {
  /** By their size in blocks. */
  readonly #free = new Map<number, number[]>();
  /** In the order of their versions. */
  #retired: Retired[] = [];
  #next: number;
  /** The end of the last segment. */
  #end: number;

  /** The first blocks, `reserved` of them, are not given out. */
  constructor(
    readonly view: View,
    readonly version: Version,
    reserved: number,
    /** Called with each new segment, before a block of it is given out. */
    readonly onSegment: (segment: Segment) => void,
  ) {
    this.#next = reserved;
    this.#end = firstBlocks;
  }

  /** At least this many adjacent blocks: the number that `sizeFor` returns. Their contents are undefined. */
  allocate(blocks: number): number {
    const size = sizeFor(blocks);
    const known = this.#free.get(size)?.pop();
    if (known !== undefined) return known;
    if (this.#next + size > this.#end) this.#addSegment(size);
    const block = this.#next;
    this.#next += size;
    return block;
  }

  /** Readers of this version or an earlier one may still read it. Call it during a change. */
  retire(block: number, blocks: number): void {
    this.#retired.push({ block, size: sizeFor(blocks), version: this.version.current });
  }

  /** Takes back what no reader can hold. Call it after a change. */
  reclaim(): void {
    if (this.#retired.length === 0) return;
    const oldest = this.version.oldestPinned;
    const kept = this.#retired.findIndex(({ version }) => version > oldest);
    const gone = kept < 0 ? this.#retired : this.#retired.slice(0, kept);
    for (const { block, size } of gone) this.#put(block, size);
    this.#retired = kept < 0 ? [] : this.#retired.slice(kept);
  }

  #put(block: number, size: number): void {
    const same = this.#free.get(size);
    if (same === undefined) this.#free.set(size, [block]);
    else same.push(block);
  }

  /** Twice as large as the one before: the garbage collector counts all of a segment, though most of it may be empty. */
  #addSegment(atLeast: number): void {
    for (let block = this.#next; block < this.#end; block++) this.#put(block, 1);
    const index = this.view.segments;
    const blocks = Math.min(Math.max(firstBlocks * 2 ** index, atLeast), segmentBlocks);
    const segment = newSegment(blocks);
    this.view.add(segment);
    this.onSegment(segment);
    this.#next = index * segmentBlocks;
    this.#end = this.#next + blocks;
  }
}

/** What was never written takes no room. */
export function newSegment(blocks = firstBlocks): Segment {
  return new SharedArrayBuffer(blocks * blockBytes);
}

/** Four sizes per power of two: so that a block that was given back fits others, and little is wasted. */
export function sizeFor(blocks: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(blocks)) - 2);
  return Math.ceil(blocks / step) * step;
}
