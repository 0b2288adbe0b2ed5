/** Gives out blocks of shared memory, and takes them back once no reader can hold them. Only the writer has one. */
import type { Version } from './version.ts';
import { blockBytes, type Segment, segmentBits, segmentBlocks, type View } from './view.ts';

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
  /** By segment: blocks that are in use, and blocks that were used once and take room. */
  readonly #inUse: number[];
  readonly #taken: number[];
  #isReleasing = false;

  /** The first blocks, `reserved` of them, are not given out. */
  constructor(
    readonly view: View,
    readonly version: Version,
    reserved: number,
    /** Called with each new segment, before a block of it is given out; an empty one takes the place of one that is not used any more. */
    readonly onSegment: (segment: Segment, index: number) => void,
  ) {
    this.#next = reserved;
    this.#end = firstBlocks;
    this.#inUse = [reserved];
    this.#taken = [reserved];
  }

  /** That its blocks take, also the free ones. */
  get bytes(): number {
    return this.#taken.reduce((sum, blocks) => sum + blocks, 0) * blockBytes;
  }

  /** At least this many adjacent blocks: the number that `sizeFor` returns. Their contents are undefined. */
  allocate(blocks: number): number {
    const size = sizeFor(blocks);
    const known = this.#free.get(size)?.pop();
    const block = known ?? this.#takeNew(size);
    add(this.#inUse, block, size);
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
    for (const { block, size } of gone) {
      this.#put(block, size);
      add(this.#inUse, block, -size);
    }
    this.#retired = kept < 0 ? [] : this.#retired.slice(kept);
    if (this.#isReleasing) this.#release();
  }

  /** Much of what is retired will not be needed again: segments without a used block are given back to the system. */
  release(): void {
    this.#isReleasing = true;
  }

  #release(): void {
    for (let index = 1; index < this.view.segments; index++) {
      if (this.#inUse[index] !== 0 || this.#taken[index] === 0) continue;
      for (const [size, blocks] of this.#free) {
        const others = blocks.filter((block) => block >>> segmentBits !== index);
        this.#free.set(size, others);
      }
      if (this.#next >>> segmentBits === index) this.#next = this.#end;
      this.#taken[index] = 0;
      this.onSegment(newSegment(0), index);
    }
    // The rest of them is pinned.
    this.#isReleasing = this.#retired.length > 0;
  }

  #takeNew(size: number): number {
    if (this.#next + size > this.#end) this.#addSegment(size);
    const block = this.#next;
    this.#next += size;
    add(this.#taken, block, size);
    return block;
  }

  #put(block: number, size: number): void {
    const same = this.#free.get(size);
    if (same === undefined) this.#free.set(size, [block]);
    else same.push(block);
  }

  /** Twice as large as the one before: the garbage collector counts all of a segment, though most of it may be empty. */
  #addSegment(atLeast: number): void {
    const last = this.#next;
    for (; this.#next < this.#end; this.#next++) this.#put(this.#next, 1);
    if (last < this.#end) add(this.#taken, last, this.#end - last);
    const index = this.view.segments;
    const blocks = Math.min(Math.max(firstBlocks * 2 ** index, atLeast), segmentBlocks);
    const segment = newSegment(blocks);
    this.#inUse[index] = 0;
    this.#taken[index] = 0;
    this.onSegment(segment, index);
    this.#next = index * segmentBlocks;
    this.#end = this.#next + blocks;
  }
}

function add(counts: number[], block: number, blocks: number): void {
  const index = block >>> segmentBits;
  counts[index] = (counts[index] ?? 0) + blocks;
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
