/** Allocates, copies and retires the pages of one collection, for its writer. */
import { type Allocator, sizeFor } from './pages/allocator.ts';
import { type Pages, pageBytes } from './pages/pages.ts';

export class TablePages {
  #taken = 0;

  constructor(
    readonly pages: Pages,
    readonly allocator: Allocator,
    /** The epoch of the next root. */
    readonly epoch: () => number,
  ) {}

  /** Bytes in use. */
  get bytes(): number {
    return this.#taken * pageBytes;
  }

  take(pages = 1): number {
    const page = this.allocator.allocate(pages);
    this.#taken += sizeFor(pages);
    return page;
  }

  retire(page: number, pages = 1): void {
    this.#taken -= sizeFor(pages);
    this.allocator.retire(page, pages, this.epoch());
  }

  /** No root shows the page: it may be changed in place. */
  isFresh(page: number): boolean {
    return this.allocator.isFresh(page);
  }

  /** The page itself if it is fresh; otherwise a copy that replaces it from the next root on. */
  writable(page: number): number {
    if (this.isFresh(page)) return page;
    const copy = this.take();
    this.pages.copy(page, 0, copy, 0, pageBytes);
    this.retire(page);
    return copy;
  }
}
