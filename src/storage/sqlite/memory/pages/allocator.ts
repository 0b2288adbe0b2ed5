/** Allocates pages of shared memory, and reclaims them once no reader can see them. Only the writer has an allocator. */
import { type Pages, pageBytes, type Segment, segmentBits, segmentPages } from './pages.ts';

/** The first segment has 1 MiB. */
const firstPages = 256;

/** A page, or `size` adjacent pages, that no root from `epoch` on shows. */
type Retired = { readonly page: number; readonly size: number; readonly epoch: number };

export class Allocator {
  /** Free pages, by their number of adjacent pages. */
  readonly #free = new Map<number, number[]>();
  /** In the order of epochs. */
  #retired: Retired[] = [];
  /** Allocated since the last commit: no root shows them, so they may be changed in place. */
  readonly #fresh = new Set<number>();
  #next: number;
  /** The end of the last segment. */
  #end: number;
  /** Per segment: pages in use, and pages that were ever used, which are resident. */
  readonly #inUse: number[];
  readonly #resident: number[];
  #isReleasing = false;
  /** A segment may have become unused since the last `#release`. */
  #hasUnused = false;

  constructor(
    readonly pages: Pages,
    /** Called with each new segment, before a page of it is allocated; an empty segment replaces one that is released. */
    readonly onSegment: (segment: Segment, index: number) => void,
  ) {
    // Page 0 is never allocated: 0 means no page.
    this.#next = 1;
    this.#inUse = [1];
    this.#resident = [1];
    onSegment(newSegment(firstPages), 0);
    this.#end = firstPages;
  }

  /** Resident bytes, including free pages. */
  get bytes(): number {
    return this.#resident.reduce((sum, pages) => sum + pages, 0) * pageBytes;
  }

  /** Whether a release has to wait for readers that still hold retired pages. */
  get isReleasing(): boolean {
    return this.#isReleasing && this.#retired.length > 0;
  }

  isFresh(page: number): boolean {
    return this.#fresh.has(page);
  }

  /** Returns the first of `sizeFor(pages)` adjacent pages. Their contents are undefined. */
  allocate(pages: number): number {
    const size = sizeFor(pages);
    const page = this.#free.get(size)?.pop() ?? this.#takeNew(size);
    add(this.#inUse, page, size);
    this.#fresh.add(page);
    return page;
  }

  /** The root of `epoch` will be the first that does not show the pages. */
  retire(page: number, pages: number, epoch: number): void {
    const size = sizeFor(pages);
    if (this.#fresh.delete(page)) this.#put(page, size);
    else this.#retired.push({ page, size, epoch });
  }

  /** Called when a new root shows the fresh pages. */
  published(): void {
    this.#fresh.clear();
  }

  /** Frees the retired pages that no root from `oldest` on shows. */
  reclaim(oldest: number): void {
    const kept = this.#retired.findIndex(({ epoch }) => epoch > oldest);
    if (kept !== 0) {
      const gone = this.#retired.splice(0, kept < 0 ? this.#retired.length : kept);
      for (const { page, size } of gone) this.#put(page, size);
    }
    if (this.#isReleasing && this.#hasUnused) this.#release();
    else if (this.#retired.length === 0) this.#isReleasing = false;
  }

  /** Most retired pages will not be needed again: segments without a used page are released to the system. */
  release(): void {
    this.#isReleasing = true;
    this.#hasUnused = true;
  }

  #release(): void {
    const isUnused = (index: number) => index > 0 && this.#inUse[index] === 0;
    for (const [size, pages] of this.#free) {
      const others = pages.filter((page) => !isUnused(page >>> segmentBits));
      // Pages of the first segments are reused first, so that the others become empty.
      this.#free.set(
        size,
        others.toSorted((a, b) => b - a),
      );
    }
    if (isUnused(this.#next >>> segmentBits)) this.#next = this.#end;
    for (let index = 1; index < this.pages.segments; index++) {
      if (!isUnused(index) || this.#resident[index] === 0) continue;
      this.#resident[index] = 0;
      this.onSegment(newSegment(0), index);
    }
    this.#hasUnused = false;
  }

  #takeNew(size: number): number {
    if (this.#next + size > this.#end) this.#addSegment(size);
    const page = this.#next;
    this.#next += size;
    add(this.#resident, page, size);
    return page;
  }

  #put(page: number, size: number): void {
    if (add(this.#inUse, page, -size) === 0) this.#hasUnused = true;
    const same = this.#free.get(size);
    if (same === undefined) this.#free.set(size, [page]);
    else same.push(page);
  }

  /** Twice as large as the one before: the garbage collector counts all of a segment, though most of it may be untouched. */
  #addSegment(atLeast: number): void {
    const index = this.pages.segments;
    const pages = Math.max(Math.min(firstPages * 2 ** index, segmentPages), atLeast);
    // Before any change: this throws if there is no memory.
    const segment = newSegment(pages);
    const rest = this.#end - this.#next;
    if (rest > 0) {
      add(this.#resident, this.#next, rest);
      add(this.#inUse, this.#next, rest);
    }
    for (; this.#next < this.#end; this.#next++) this.#put(this.#next, 1);
    // A long segment takes the page numbers of several; empty segments stand for the further ones.
    for (let more = Math.ceil(pages / segmentPages) - 1; more >= 0; more--) {
      this.#inUse[index + more] = 0;
      this.#resident[index + more] = 0;
      this.onSegment(more === 0 ? segment : newSegment(0), index + more);
    }
    this.#next = index * segmentPages;
    this.#end = this.#next + pages;
  }
}

/** Returns the new count of the segment. */
function add(counts: number[], page: number, pages: number): number {
  const index = page >>> segmentBits;
  const count = (counts[index] ?? 0) + pages;
  counts[index] = count;
  return count;
}

/** Untouched pages are not resident. */
function newSegment(pages: number): Segment {
  return new SharedArrayBuffer(pages * pageBytes);
}

/** Four sizes per power of two, so that freed pages fit later requests and little is wasted. */
export function sizeFor(pages: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(pages)) - 2);
  return Math.ceil(pages / step) * step;
}
