/** The header of one collection in a root. */
import { headerWords, rootWords } from './layout.ts';
import type { Pages } from './pages/pages.ts';

/** `ready`: all records of the collection are in memory. `filling`: not yet. `off`: they do not fit, or cannot be read. */
export const state = { filling: 0, ready: 1, off: 2 } as const;
export type State = (typeof state)[keyof typeof state];

/** In the order of their words in a root. */
const words = [
  'state',
  'records',
  'removed',
  'leaves',
  'tailUsed',
  'entriesTop',
  'leavesTop',
  'idsTop',
  'idBits',
  'seed',
] as const;
const doubles = ['changes', 'bytes'] as const;

export class Header {
  state: State = state.filling;
  /** Including tombstones. */
  records = 0;
  removed = 0;
  leaves = 0;
  /** Bytes of JSON in the last leaf. */
  tailUsed = 0;
  /** The top pages of the arrays of entries, leaves and pages of ids. */
  entriesTop = 0;
  leavesTop = 0;
  idsTop = 0;
  /** The number of words in the array of pages of ids, as a power of two. */
  idBits = 0;
  /** Random per run, so that a client cannot choose ids with colliding hashes. */
  seed = 0;
  /** Counts changes and removals of records, and clears of the table. */
  changes = 0;
  /** The length of all JSON, with a comma after each record. */
  bytes = 0;

  load(pages: Pages, root: number, table: number): void {
    const at = rootWords + table * headerWords;
    words.forEach((field, index) => {
      (this[field] as number) = pages.word(root, at + index);
    });
    doubles.forEach((field, index) => {
      this[field] = pages.double(root, (at + words.length) / 2 + index);
    });
  }

  store(pages: Pages, root: number, table: number): void {
    const at = rootWords + table * headerWords;
    words.forEach((field, index) => {
      pages.setWord(root, at + index, this[field]);
    });
    doubles.forEach((field, index) => {
      pages.setDouble(root, (at + words.length) / 2 + index, this[field]);
    });
  }
}
