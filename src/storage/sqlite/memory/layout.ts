/** The layout of pages: the offsets of words and doubles in them. */

/** The members that the server adds to a record. Times are in milliseconds. */
export type Meta = {
  readonly recordId: number;
  readonly version: number;
  readonly created: number;
  readonly updated: number;
};

/** A root: doubles, then one header for each collection. */
export const root = { epoch: 0, lastChange: 1 } as const;
export const rootWords = 8;
export const headerWords = 16;

/** An entry locates a record: its record id as a double, then the number of its leaf as a word. It never changes. */
export const entryBits = 8;
export const entriesPerPage = 1 << entryBits;
export const entryWords = 4;
export const entryDoubles = 2;
export const entry = {
  recordId: 0,
  /** The number of the leaf; in words. */
  leaf: 2,
} as const;

/**
 * A leaf has the JSON of its records, each followed by a comma, from `leafBytes` on, and one slot per record, from its end backwards. It is
 * one page, or several adjacent pages if it has a long record.
 */
export const leaf = {
  /** The number of its pages. */
  pages: 0,
  /** The number of its first record. */
  first: 1,
  /** Bytes of JSON, written when the next leaf begins. For the last leaf, the header has them in `tailUsed`. */
  used: 2,
} as const;
export const leafBytes = 16;
export const slotBytes = 32;
/** Three doubles, then words. */
export const slot = {
  version: 0,
  created: 1,
  updated: 2,
  /** The offset in the JSON of the leaf. */
  start: 6,
  /** 0 is a tombstone: the record was removed. */
  length: 7,
} as const;

/** A page of ids has one cell of four words per id; the first cell is the header of the page. */
export const cellWords = 4;
export const cellsPerPage = 256;
export const cell = {
  low: 0,
  high: 1,
  /** The number of the record, from 1 on; 0 for an empty cell. */
  record: 2,
  /** 1 if other records have or had the same id. */
  shared: 3,
} as const;
export const idPage = {
  /** The number of leading hash bits that all its ids share. */
  bits: 0,
  /** The number of cells in use. Only the writer reads it. */
  taken: 1,
  /** The overflow page with more ids of the same bits; 0 if there is none. */
  next: 2,
} as const;
