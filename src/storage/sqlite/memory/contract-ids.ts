/** Index from contract id to record: the earliest one, if several have the id. Extendible hashing, so that it grows a page at a time. */
import { type Halves, halvesOf, hash } from './hash.ts';
import type { Header } from './header.ts';
import { cell, cellsPerPage, cellWords, idPage } from './layout.ts';
import { PageArray, WritablePageArray } from './pages/page-array.ts';
import { type Pages, pageWords } from './pages/pages.ts';
import type { TablePages } from './table-pages.ts';

/** A page with this many used cells is split. */
const fullAt = 200;
/** A page with this many bits is not split but chained to an overflow page: its ids have nearly the same hash. */
const maxBits = 20;

/** A page, and the first word of a cell in it. */
type CellPlace = { readonly page: number; readonly at: number };

/** The highest bits of the hash select the page. */
function prefixOf(hashed: number, bits: number): number {
  return bits === 0 ? 0 : hashed >>> (32 - bits);
}

/** The cell at which probing starts; cell 0 is the header of the page. */
function home(hashed: number): number {
  return 1 + (((hashed & 0xffff) * (cellsPerPage - 1)) >>> 16);
}

function after(index: number): number {
  return index + 1 === cellsPerPage ? 1 : index + 1;
}

export class ContractIds {
  constructor(
    readonly pages: Pages,
    readonly header: Header,
    /** Pages of ids by the highest bits of the hash. */
    readonly directory = new PageArray(pages),
  ) {}

  load(): void {
    this.directory.load(this.header.idsTop, 2 ** this.header.idBits);
  }

  /** The earliest record with this id; undefined if there is none. */
  find(contractId: bigint): number | undefined {
    const found = this.#cellWith(contractId);
    return found && this.pages.word(found.page, found.at + cell.record) - 1;
  }

  /** Whether several records have or had this id. */
  isShared(contractId: bigint): boolean {
    const found = this.#cellWith(contractId);
    return found !== undefined && this.pages.word(found.page, found.at + cell.shared) === 1;
  }

  #cellWith(contractId: bigint): CellPlace | undefined {
    const halves = halvesOf(contractId);
    return this.cellOf(halves, hash(halves, this.header.seed));
  }

  protected cellOf(id: Halves, hashed: number): CellPlace | undefined {
    let page = this.directory.top === 0 ? 0 : this.directory.get(prefixOf(hashed, this.header.idBits));
    for (; page !== 0; page = this.pages.word(page, idPage.next)) {
      const at = this.cellIn(page, id, hashed);
      if (at !== 0) return { page, at };
    }
    return undefined;
  }

  /**
   * The first word of the cell; 0 if the page does not have the id. A cell whose record is beyond the root counts as empty: the writer
   * has filled it since.
   */
  protected cellIn(page: number, id: Halves, hashed: number): number {
    const { records } = this.header;
    const words = this.pages.wordsAround(page);
    const start = this.pages.wordsStart(page);
    for (let index = home(hashed); ; index = after(index)) {
      const at = start + index * cellWords;
      const record = words[at + cell.record] ?? 0;
      if (record === 0 || record > records) return 0;
      if (words[at + cell.low] === id.low && words[at + cell.high] === id.high) return index * cellWords;
    }
  }
}

export class ContractIdsWriter extends ContractIds {
  /** The number of records that the current root shows. */
  published = 0;
  readonly #directory: WritablePageArray;

  constructor(
    header: Header,
    readonly own: TablePages,
  ) {
    const directory = new WritablePageArray(own);
    super(own.pages, header, directory);
    this.#directory = directory;
    header.seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  }

  /** If several records have the id, it leads to the first of them. */
  add(contractId: bigint | number, record: number): void {
    const halves = halvesOf(contractId);
    const hashed = hash(halves, this.header.seed);
    const known = this.cellOf(halves, hashed);
    if (known === undefined) {
      this.#insert(halves, hashed, record + 1);
      return;
    }
    const { page, at } = known;
    const first = this.pages.word(page, at + cell.record);
    if (this.pages.word(page, at + cell.shared) === 1 && first <= record) return;
    this.#change(halves, hashed, ({ page, at }) => {
      this.pages.setWord(page, at + cell.shared, 1);
      this.pages.setWord(page, at + cell.record, Math.min(first, record + 1));
    });
  }

  /** From now on the id leads to this record. */
  move(contractId: bigint, record: number): void {
    const halves = halvesOf(contractId);
    this.#change(halves, hash(halves, this.header.seed), ({ page, at }) =>
      this.pages.setWord(page, at + cell.record, record + 1),
    );
  }

  remove(contractId: bigint): void {
    const halves = halvesOf(contractId);
    this.#change(halves, hash(halves, this.header.seed), ({ page, at }) => {
      this.#close(page, at / cellWords);
      this.pages.setWord(page, idPage.taken, this.pages.word(page, idPage.taken) - 1);
    });
  }

  /** Retires all pages. */
  clear(): void {
    const heads = new Set(this.#words());
    for (const head of heads) for (const page of this.#chain(head)) this.own.retire(page);
    this.#directory.clear();
    this.header.idBits = 0;
    this.published = 0;
  }

  #insert(id: Halves, hashed: number, record: number): void {
    const { pages, header } = this;
    if (this.directory.length === 0) this.#directory.append(this.#newPage(0));
    for (;;) {
      const head = this.directory.get(prefixOf(hashed, header.idBits));
      if (pages.word(head, idPage.taken) < fullAt) {
        // In place: for the readers of every published root, the cell is empty.
        const page = record > this.published ? head : this.#writable(head, hashed);
        this.#put(page, hashed, id, record, 0);
        return;
      }
      if (pages.word(head, idPage.bits) < maxBits) this.#divide(head, hashed);
      else {
        const page = this.#newPage(maxBits);
        pages.setWord(page, idPage.next, head);
        this.#lead(page, prefixOf(hashed, maxBits), maxBits);
      }
    }
  }

  #put(page: number, hashed: number, id: Halves, record: number, shared: number): void {
    const words = this.pages.wordsAround(page);
    const start = this.pages.wordsStart(page);
    let index = home(hashed);
    while (words[start + index * cellWords + cell.record] !== 0) index = after(index);
    const at = start + index * cellWords;
    words[at + cell.low] = id.low;
    words[at + cell.high] = id.high;
    words[at + cell.shared] = shared;
    words[at + cell.record] = record;
    words[start + idPage.taken] = (words[start + idPage.taken] ?? 0) + 1;
  }

  /** Changes the cell of an id, if it exists, in copies of the pages on the path to it. */
  #change(id: Halves, hashed: number, change: (place: CellPlace) => void): void {
    if (this.cellOf(id, hashed) === undefined) return;
    let page = this.#writable(this.directory.get(prefixOf(hashed, this.header.idBits)), hashed);
    while (this.cellIn(page, id, hashed) === 0) {
      const next = this.own.writable(this.pages.word(page, idPage.next));
      this.pages.setWord(page, idPage.next, next);
      page = next;
    }
    change({ page, at: this.cellIn(page, id, hashed) });
  }

  /** Removes a cell: moves later cells of the probe sequence into the gap, so that probing still finds them. */
  #close(page: number, empty: number): void {
    const { pages } = this;
    let hole = empty;
    for (let index = after(hole); ; index = after(index)) {
      const at = index * cellWords;
      if (pages.word(page, at + cell.record) === 0) break;
      const id = { low: pages.word(page, at + cell.low), high: pages.word(page, at + cell.high) };
      const wanted = home(hash(id, this.header.seed));
      // It stays if its probing starts after the hole.
      const isBetween = hole < index ? hole < wanted && wanted <= index : hole < wanted || wanted <= index;
      if (isBetween) continue;
      for (let word = 0; word < cellWords; word++)
        pages.setWord(page, hole * cellWords + word, pages.word(page, at + word));
      hole = index;
    }
    pages.setWord(page, hole * cellWords + cell.record, 0);
  }

  /** Splits a page into two: the next bit of the hash selects one of them. */
  #divide(old: number, hashed: number): void {
    const { pages, header } = this;
    const bits = pages.word(old, idPage.bits) + 1;
    if (bits > header.idBits) this.#double();
    const halves = [this.#newPage(bits), this.#newPage(bits)] as const;
    for (let at = cellWords; at < pageWords; at += cellWords) {
      const record = pages.word(old, at + cell.record);
      if (record === 0) continue;
      const id = { low: pages.word(old, at + cell.low), high: pages.word(old, at + cell.high) };
      const own = hash(id, header.seed);
      const half = halves[prefixOf(own, bits) % 2 === 1 ? 1 : 0];
      this.#put(half, own, id, record, pages.word(old, at + cell.shared));
    }
    const prefix = prefixOf(hashed, bits - 1) * 2;
    for (const [bit, page] of halves.entries()) this.#lead(page, prefix + bit, bits);
    this.own.retire(old);
  }

  #double(): void {
    const words = [...this.#words()];
    this.#directory.clear();
    for (const word of words) {
      this.#directory.append(word);
      this.#directory.append(word);
    }
    this.header.idBits++;
  }

  /** The page if it is fresh; otherwise a copy that replaces it in the directory. */
  #writable(head: number, hashed: number): number {
    const page = this.own.writable(head);
    const bits = this.pages.word(page, idPage.bits);
    if (page !== head) this.#lead(page, prefixOf(hashed, bits), bits);
    return page;
  }

  /** Sets all words of the directory for hashes with this prefix, which are adjacent, to the page. */
  #lead(page: number, prefix: number, bits: number): void {
    const count = 2 ** (this.header.idBits - bits);
    for (let at = 0; at < count; at++) this.#directory.set(prefix * count + at, page);
  }

  *#words(): Generator<number, void> {
    for (let at = 0; at < this.directory.length; at++) yield this.directory.get(at);
  }

  *#chain(head: number): Generator<number, void> {
    for (let page = head; page !== 0; page = this.pages.word(page, idPage.next)) yield page;
  }

  #newPage(bits: number): number {
    const page = this.own.take();
    this.pages.clear(page);
    this.pages.setWord(page, idPage.bits, bits);
    return page;
  }
}
