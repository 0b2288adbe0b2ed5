/** Which record has an id of the contract: the first one, if there are several. Extendible hashing, so that it grows a page at a time. */
import type { Allocator } from './allocator.ts';
import { idPage, slot, slotsPerPage, slotWords } from './layout.ts';
import type { Root } from './root.ts';
import { blockWords, type View } from './view.ts';

/** Slots that are taken before a page is divided. */
const fullAt = 200;
/** Beyond this many bits, a page gets another one behind it: its ids have the same hash. */
const maxBits = 20;

export type Halves = { readonly low: number; readonly high: number };
/** The page, and the first word of the slot in it. */
type Place = { readonly page: number; readonly at: number };

/** Most ids fit a double exactly, and a double is split faster than a bigint. A number is a safe integer. */
export function halvesOf(id: bigint | number): Halves {
  const number = Number(id);
  if (Number.isSafeInteger(number)) return { low: number >>> 0, high: Math.floor(number / 2 ** 32) >>> 0 };
  const exact = BigInt(id);
  return { low: Number(BigInt.asUintN(32, exact)), high: Number(BigInt.asUintN(32, exact >> 32n)) };
}

export function hash(id: Halves, seed: number): number {
  let mixed = Math.imul(id.low ^ Math.imul(id.high ^ seed, 0x85ebca6b), 0x9e3779b1);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  mixed ^= mixed >>> 13;
  return Math.imul(mixed, 0x27d4eb2f) >>> 0;
}

/** The highest bits choose the page. */
function pageAt(hashed: number, bits: number): number {
  return bits === 0 ? 0 : hashed >>> (32 - bits);
}

/** The slot that a probe starts at; slot 0 is the page's own. */
function home(hashed: number): number {
  return 1 + (((hashed & 0xffff) * (slotsPerPage - 1)) >>> 16);
}

function after(index: number): number {
  return index + 1 === slotsPerPage ? 1 : index + 1;
}

export class Ids {
  constructor(
    readonly view: View,
    readonly of: Root,
  ) {}

  /** The record, and whether others have or had the same id; undefined if there is none. */
  find(id: bigint): { readonly record: number; readonly isShared: boolean } | undefined {
    const found = this.placeOf(halvesOf(id));
    if (found === undefined) return undefined;
    const { page, at } = found;
    const record = this.view.word(page, at + slot.record) - 1;
    return { record, isShared: this.view.word(page, at + slot.shared) === 1 };
  }

  protected placeOf(id: Halves, hashed = hash(id, this.of.seed)): Place | undefined {
    const { view } = this;
    const pages = this.of.idPages;
    if (pages === 0) return undefined;
    let page = view.word(pages, pageAt(hashed, this.of.idBits));
    while (page !== 0) {
      const words = view.wordsAround(page);
      const start = view.wordsStart(page);
      // A page is never full, unless it is read during a change.
      for (let index = home(hashed), left = slotsPerPage; left > 0; index = after(index), left--) {
        const at = start + index * slotWords;
        if (words[at + slot.record] === 0) break;
        if (words[at + slot.low] === id.low && words[at + slot.high] === id.high)
          return { page, at: index * slotWords };
      }
      page = view.word(page, idPage.next);
    }
    return undefined;
  }
}

/** Blocks that a table has taken, in total. */
export type Blocks = { taken: number };

export class IdsWriter extends Ids {
  constructor(
    view: View,
    of: Root,
    readonly allocator: Allocator,
    readonly blocks: Blocks,
    /** Called before anything changes that a reader may be reading. */
    readonly changing: () => void,
  ) {
    super(view, of);
    of.seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  }

  /** Keeps the first of several records with the same id. */
  add(id: bigint | number, record: number): void {
    const halves = halvesOf(id);
    const hashed = hash(halves, this.of.seed);
    const known = this.placeOf(halves, hashed);
    if (known !== undefined) {
      const { page, at } = known;
      const first = this.view.word(page, at + slot.record);
      // A reader that sees only one of both words makes no mistake: "shared" is a reason to look in the file.
      this.view.setWord(page, at + slot.shared, 1);
      if (record + 1 < first) {
        this.changing();
        this.view.setWord(page, at + slot.record, record + 1);
      }
      return;
    }
    this.#insert(halves, hashed, record + 1);
  }

  replace(id: bigint, record: number): void {
    const place = this.placeOf(halvesOf(id));
    if (place === undefined) return;
    this.changing();
    this.view.setWord(place.page, place.at + slot.record, record + 1);
  }

  remove(id: bigint): void {
    const place = this.placeOf(halvesOf(id));
    if (place === undefined) return;
    this.changing();
    const { page, at } = place;
    this.#close(page, at / slotWords);
    this.view.setWord(page, idPage.taken, this.view.word(page, idPage.taken) - 1);
  }

  /** Gives all pages back. */
  clear(): void {
    const pages = this.of.idPages;
    if (pages === 0) return;
    const count = 2 ** this.of.idBits;
    const dropped = new Set<number>();
    for (let at = 0; at < count; at++)
      for (let page = this.view.word(pages, at); page !== 0; page = this.view.word(page, idPage.next))
        dropped.add(page);
    for (const page of dropped) this.#retire(page, 1);
    this.#retire(pages, blocksFor(count));
    this.of.idPages = 0;
    this.of.idBits = 0;
  }

  #insert(id: Halves, hashed: number, record: number): void {
    const { view } = this;
    if (this.of.idPages === 0) this.#begin();
    for (;;) {
      let page = view.word(this.of.idPages, pageAt(hashed, this.of.idBits));
      while (view.word(page, idPage.taken) >= fullAt && view.word(page, idPage.next) !== 0)
        page = view.word(page, idPage.next);
      if (view.word(page, idPage.taken) < fullAt) {
        this.#put(page, hashed, id, record, 0);
        return;
      }
      this.changing();
      if (view.word(page, idPage.bits) < maxBits) this.#divide(page, hashed);
      else view.setWord(page, idPage.next, this.#newPage(maxBits));
    }
  }

  /** The word for the record is the last: with it, a reader sees the slot. */
  #put(page: number, hashed: number, id: Halves, record: number, shared: number): void {
    const words = this.view.wordsAround(page);
    const start = this.view.wordsStart(page);
    let index = home(hashed);
    while (words[start + index * slotWords + slot.record] !== 0) index = after(index);
    const at = start + index * slotWords;
    words[at + slot.low] = id.low;
    words[at + slot.high] = id.high;
    words[at + slot.shared] = shared;
    words[at + slot.record] = record;
    words[start + idPage.taken] = (words[start + idPage.taken] ?? 0) + 1;
  }

  /** Moves the slots behind an empty one forward, so that a probe still finds them. */
  #close(page: number, empty: number): void {
    const { view } = this;
    const seed = this.of.seed;
    let hole = empty;
    for (let index = after(hole); ; index = after(index)) {
      const at = index * slotWords;
      if (view.word(page, at + slot.record) === 0) break;
      const wanted = home(hash({ low: view.word(page, at + slot.low), high: view.word(page, at + slot.high) }, seed));
      // It stays if its probe starts behind the hole.
      const isBetween = hole < index ? hole < wanted && wanted <= index : hole < wanted || wanted <= index;
      if (isBetween) continue;
      for (let word = 0; word < slotWords; word++)
        view.setWord(page, hole * slotWords + word, view.word(page, at + word));
      hole = index;
    }
    view.setWord(page, hole * slotWords + slot.record, 0);
  }

  /** Half of the ids move to a new page: those with the next bit of the hash. */
  #divide(page: number, hashed: number): void {
    const { view } = this;
    const bits = view.word(page, idPage.bits) + 1;
    if (bits > this.of.idBits) this.#double();
    const start = view.wordsStart(page);
    const slots = view.wordsAround(page).slice(start, start + blockWords);
    const upper = this.#newPage(bits);
    this.#clear(page, bits);
    const { seed, idPages } = this.of;
    for (let at = slotWords; at < blockWords; at += slotWords) {
      const record = slots[at + slot.record] ?? 0;
      if (record === 0) continue;
      const id = { low: slots[at + slot.low] ?? 0, high: slots[at + slot.high] ?? 0 };
      const own = hash(id, seed);
      const target = pageAt(own, bits) % 2 === 1 ? upper : page;
      this.#put(target, own, id, record, slots[at + slot.shared] ?? 0);
    }
    // Half of the places that lead to this page, which are adjacent.
    const each = 2 ** (this.of.idBits - bits);
    const first = (Math.floor(pageAt(hashed, bits) / 2) * 2 + 1) * each;
    for (let at = 0; at < each; at++) view.setWord(idPages, first + at, upper);
  }

  #double(): void {
    const { view } = this;
    const old = this.of.idPages;
    const count = 2 ** this.of.idBits;
    const doubled = this.#take(blocksFor(count * 2));
    for (let at = 0; at < count; at++) {
      view.setWord(doubled, at * 2, view.word(old, at));
      view.setWord(doubled, at * 2 + 1, view.word(old, at));
    }
    this.of.idPages = doubled;
    this.of.idBits = this.of.idBits + 1;
    this.#retire(old, blocksFor(count));
  }

  #begin(): void {
    this.changing();
    const pages = this.#take(1);
    this.view.setWord(pages, 0, this.#newPage(0));
    this.of.idPages = pages;
  }

  #newPage(bits: number): number {
    const page = this.#take(1);
    this.#clear(page, bits);
    return page;
  }

  #clear(page: number, bits: number): void {
    this.view.clear(page);
    this.view.setWord(page, idPage.bits, bits);
  }

  #take(blocks: number): number {
    this.blocks.taken += blocks;
    return this.allocator.allocate(blocks);
  }

  #retire(block: number, blocks: number): void {
    this.blocks.taken -= blocks;
    this.allocator.retire(block, blocks);
  }
}

function blocksFor(words: number): number {
  return Math.ceil(words / blockWords);
}
