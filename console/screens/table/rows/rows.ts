/**
 * The rows of a long list. They are read page by page as they come into view, and pages far from it are let go. A page keeps
 * its place in the order: it has the rows after its cursor, up to its `end`. So a page that is read again, and a row that
 * appears meanwhile, land where they belong.
 */
import { signal } from '@preact/signals';
import type { Page, Row } from '../../../api/pages.ts';
import { messageOf } from '../../../api/problem.ts';

type Part = {
  readonly cursor: string | undefined;
  /** Undefined if it is not read yet, or let go. */
  rows: readonly Row[] | undefined;
  count: number;
  /** The last row of the page when it was first read; undefined for the last page. */
  end: Row | undefined;
  isKnown: boolean;
};

export type RowSource = {
  read(cursor: string | undefined, limit: number, signal: AbortSignal): Promise<Page>;
  compare(one: Row, other: Row): number;
};

/** A person waits for the first page, so it is little more than a screen. */
const firstPageSize = 50;
const pageSize = 200;
/** The most that the server gives: a page that is read again may have got more rows. */
const mostRows = 1000;
/** Pages on either side of the view that are kept. */
const keptPages = 20;
/** Rows that stand for a page that is being read. */
const rowsAhead = 40;

const newPart = (cursor: string | undefined): Part => ({
  cursor,
  rows: undefined,
  count: 0,
  end: undefined,
  isKnown: false,
});

export class Rows {
  /** Counts the changes. */
  readonly changes = signal(0);
  /** Why the last page could not be read. */
  failure: string | undefined;
  #parts: Part[] = [newPart(undefined)];
  /** The index of the first row of each part. */
  #starts: number[] = [0];
  readonly #partOf = new Map<string, Part>();
  readonly #reading = new Map<Part, Promise<void>>();
  /** What happened while pages were being read: they may have been read before it. */
  #meanwhile: (() => void)[] = [];
  #ended = new AbortController();
  #view: readonly [first: number, last: number] = [0, rowsAhead];
  /** Nothing is read before. */
  isStarted = false;

  constructor(readonly source: RowSource) {}

  /** Begins to read, or reads everything again. */
  start(): void {
    this.#ended.abort();
    this.#ended = new AbortController();
    this.isStarted = true;
    this.failure = undefined;
    this.#parts = [newPart(undefined)];
    this.#partOf.clear();
    this.#reading.clear();
    this.#meanwhile = [];
    this.#changed();
    this.show(...this.#view);
  }

  /** Of the rows that are known, and some for the page that is asked for next. */
  get length(): number {
    const { known } = this;
    return !this.isStarted || this.isComplete || this.failure !== undefined ? known : known + rowsAhead;
  }

  get known(): number {
    return (this.#starts.at(-1) ?? 0) + (this.#parts.at(-1)?.count ?? 0);
  }

  /** The end of the list has been read. */
  get isComplete(): boolean {
    return this.#parts.at(-1)?.isKnown === true;
  }

  get isEmpty(): boolean {
    return this.isComplete && this.known === 0;
  }

  at(index: number): Row | undefined {
    const place = this.#partAt(index);
    return this.#parts[place]?.rows?.[index - (this.#starts[place] ?? 0)];
  }

  has(id: string): boolean {
    return this.#partOf.has(id);
  }

  row(id: string): Row | undefined {
    return this.#partOf.get(id)?.rows?.find((one) => one.id === id);
  }

  /** Undefined if it is not in memory. */
  indexOf(id: string): number | undefined {
    const part = this.#partOf.get(id);
    if (part?.rows === undefined) return undefined;
    return (this.#starts[this.#parts.indexOf(part)] ?? 0) + part.rows.findIndex((one) => one.id === id);
  }

  /** The rows that are in memory. */
  *loaded(): Generator<Row> {
    for (const { rows } of this.#parts) yield* rows ?? [];
  }

  /** These rows are in view: reads what is missing, and lets go of what is far away. */
  show(first: number, last: number): void {
    this.#view = [first, last];
    if (!this.isStarted) return;
    const [from, to] = [this.#partAt(Math.max(0, first - pageSize / 2)), this.#partAt(last + pageSize / 2)];
    for (const part of this.#parts.slice(from, to + 1)) if (part.rows === undefined) this.#read(part);
    this.#parts.forEach((part, place) => {
      if (place < from - keptPages || place > to + keptPages) this.#letGo(part);
    });
  }

  /** Reads again what could not be read. */
  retry(): void {
    this.failure = undefined;
    this.show(...this.#view);
    this.changes.value++;
  }

  /** Adds a row that appeared, or replaces one that changed. False if it belongs to a page that is not in memory. */
  place(row: Row): boolean {
    return this.#do(() => {
      const known = this.row(row.id);
      if (known !== undefined && BigInt(known.version) > BigInt(row.version)) return true;
      this.#take(row.id);
      const part = this.#parts.find(
        ({ end, isKnown }) => !isKnown || end === undefined || this.source.compare(row, end) <= 0,
      );
      if (part?.rows === undefined) return false;
      const before = part.rows.findIndex((one) => this.source.compare(row, one) < 0);
      part.rows = part.rows.toSpliced(before < 0 ? part.rows.length : before, 0, row);
      part.count = part.rows.length;
      this.#partOf.set(row.id, part);
      return true;
    });
  }

  /** False if it was not in memory. */
  remove(id: string): boolean {
    return this.#do(() => this.#take(id));
  }

  close(): void {
    this.#ended.abort();
  }

  #do(action: () => boolean): boolean {
    if (this.#reading.size > 0) this.#meanwhile.push(action);
    const done = action();
    this.#changed();
    return done;
  }

  #take(id: string): boolean {
    const part = this.#partOf.get(id);
    if (part?.rows === undefined) return false;
    part.rows = part.rows.filter((one) => one.id !== id);
    part.count = part.rows.length;
    return this.#partOf.delete(id);
  }

  #letGo(part: Part): void {
    for (const { id } of part.rows ?? []) this.#partOf.delete(id);
    part.rows = undefined;
  }

  /** Reads on until the row is in memory; false if it is further away than the pages that are kept. */
  async seek(row: Row): Promise<boolean> {
    const { signal } = this.#ended;
    while (!this.has(row.id)) {
      const last = this.#parts.at(-1);
      const end = this.#parts.at(-2)?.end;
      const isPassed = end !== undefined && this.source.compare(end, row) > 0;
      if (last === undefined || last.isKnown || isPassed || this.#parts.length > keptPages) return false;
      await this.#read(last);
      if (signal.aborted || this.failure !== undefined) return false;
    }
    return true;
  }

  #read(part: Part): Promise<void> {
    const current = this.#reading.get(part);
    if (current !== undefined || this.failure !== undefined) return current ?? Promise.resolve();
    const reading = this.#readNow(part);
    this.#reading.set(part, reading);
    return reading;
  }

  async #readNow(part: Part): Promise<void> {
    const { signal } = this.#ended;
    try {
      const size = part.cursor === undefined ? firstPageSize : pageSize;
      const page = await this.source.read(part.cursor, part.isKnown ? mostRows : size, signal);
      if (!signal.aborted) this.#keep(part, page);
    } catch (error) {
      if (!signal.aborted) this.failure = messageOf(error);
    }
    if (signal.aborted) return;
    this.#reading.delete(part);
    const missed = this.#meanwhile;
    if (this.#reading.size === 0) this.#meanwhile = [];
    for (const action of missed) action();
    this.#changed();
    this.show(...this.#view);
  }

  #keep(part: Part, { rows, next }: Page): void {
    const { end } = part;
    part.rows = end === undefined ? rows : rows.filter((one) => this.source.compare(one, end) <= 0);
    part.count = part.rows.length;
    for (const { id } of part.rows) this.#partOf.set(id, part);
    if (next !== undefined && part === this.#parts.at(-1)) {
      part.end = rows.at(-1);
      this.#parts.push(newPart(next));
    }
    part.isKnown = true;
  }

  #changed(): void {
    let start = 0;
    this.#starts = this.#parts.map(({ count }) => {
      start += count;
      return start - count;
    });
    this.changes.value++;
  }

  /** The last part that starts at or before this row. */
  #partAt(index: number): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
