/** An array of words in a tree of pages: a change copies the pages on the path to the word, and an append copies nothing. */

import type { TablePages } from '../table-pages.ts';
import { type Pages, pageWords } from './pages.ts';

/** The binary logarithm of `pageWords`. */
const bits = 10;

export class PageArray {
  /** The root page of the tree; 0 if the array is empty. */
  top = 0;
  length = 0;
  /** The number of low bits of an index that do not select a word in the top page; 0 if the top page is the only level. */
  protected shift = 0;

  constructor(readonly pages: Pages) {}

  load(top: number, length: number): void {
    this.top = top;
    this.length = length;
    this.shift = shiftFor(length);
  }

  get(index: number): number {
    let page = this.top;
    for (let shift = this.shift; shift > 0; shift -= bits)
      page = this.pages.word(page, (index >>> shift) & (pageWords - 1));
    return this.pages.word(page, index & (pageWords - 1));
  }
}

export class WritablePageArray extends PageArray {
  constructor(readonly own: TablePages) {
    super(own.pages);
  }

  /** In place: no root shows an index beyond its length. */
  append(value: number): void {
    const { pages, own } = this;
    const index = this.length++;
    if (index === 0) this.top = own.take();
    if (shiftFor(this.length) > this.shift) {
      const top = own.take();
      pages.setWord(top, 0, this.top);
      this.top = top;
      this.shift += bits;
    }
    let page = this.top;
    for (let shift = this.shift; shift > 0; shift -= bits) {
      const at = (index >>> shift) & (pageWords - 1);
      if (index % 2 ** shift === 0) pages.setWord(page, at, own.take());
      page = pages.word(page, at);
    }
    pages.setWord(page, index & (pageWords - 1), value);
  }

  set(index: number, value: number): void {
    this.top = this.#set(this.top, this.shift, index, value);
  }

  /** Retires all pages. */
  clear(): void {
    if (this.length > 0) this.#retire(this.top, this.shift, this.length);
    this.load(0, 0);
  }

  #set(old: number, shift: number, index: number, value: number): number {
    const page = this.own.writable(old);
    const at = (index >>> shift) & (pageWords - 1);
    const below = shift === 0 ? value : this.#set(this.pages.word(page, at), shift - bits, index, value);
    this.pages.setWord(page, at, below);
    return page;
  }

  #retire(page: number, shift: number, length: number): void {
    const each = 2 ** shift;
    for (let at = 0; shift > 0 && at * each < length; at++)
      this.#retire(this.pages.word(page, at), shift - bits, Math.min(each, length - at * each));
    this.own.retire(page);
  }
}

function shiftFor(length: number): number {
  let shift = 0;
  while (length > 2 ** (shift + bits)) shift += bits;
  return shift;
}
