/**
 * What readers of one table start from. Reading it in shared memory takes as long as all the rest of a look-up, so each thread has a
 * copy of it: it changes with the version only. The number of records changes without the version, and is loaded at the start of each read:
 * size, tag and parts of a list must come from the same number.
 */
import { blockWords } from './view.ts';

/** Words of a table, from block 1 on: the number of its records, and the fields below in this order. */
const rootWords = 16;
const addedAt = 0;
const fields = ['removed', 'entryPages', 'chunks', 'idPages', 'idBits', 'seed', 'changes', 'state'] as const;

/** Whether all records of the collection are in memory: not yet, or not any more because they are too many. */
export const state = { filling: 0, ready: 1, off: 2 } as const;
export type State = (typeof state)[keyof typeof state];

export class Root {
  /** Records that readers see, also removed ones. A plain field: one read has one number, also if records are added meanwhile. */
  added = 0;
  /** Removed records. */
  removed = 0;
  /** Blocks of arrays: of pages of entries, of chunks, and of pages of ids. 0 as long as there is none. */
  entryPages = 0;
  chunks = 0;
  idPages = 0;
  /** The number of pages of ids in the array, as a power of two. */
  idBits = 0;
  /** Makes the places of ids different in each run: a client cannot choose ids that are in one place. */
  seed = 0;
  /** How often records were changed or removed, or all were dropped. */
  changes = 0;
  state: State = state.filling;
  readonly #words: Int32Array<SharedArrayBuffer>;
  #version = 0;

  /** `first` is the segment with block 0. */
  constructor(first: SharedArrayBuffer, table: number) {
    this.#words = new Int32Array(first, (blockWords + table * rootWords) * 4, rootWords);
  }

  /** By a reader, at the start of `Version.read`. */
  load(version: number): void {
    this.added = Atomics.load(this.#words, addedAt);
    if (version === this.#version) return;
    fields.forEach((field, index) => {
      (this[field] as number) = (this.#words[index + 1] ?? 0) >>> 0;
    });
    this.#version = version;
  }

  /** By the writer: whatever it wrote before is seen by a reader that loads this number. */
  publishAdded(count: number): void {
    this.added = count;
    Atomics.store(this.#words, addedAt, count);
  }

  /** By the writer, during a change. */
  store(): void {
    fields.forEach((field, index) => {
      this.#words[index + 1] = this[field];
    });
  }
}

/** Blocks for the roots of this many tables, and for the version. */
export function reservedBlocks(tables: number): number {
  return 1 + Math.ceil((tables * rootWords) / blockWords);
}
