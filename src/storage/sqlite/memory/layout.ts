/** Where the parts of a table are in shared memory. */

/** What the server adds to a record. Times are in milliseconds. */
export type Meta = {
  readonly seq: number;
  readonly version: number;
  readonly created: number;
  readonly updated: number;
};

/** A record has an entry of 48 bytes: four doubles, then words. */
export const entryBits = 8;
export const entriesPerPage = 1 << entryBits;
export const pageBlocks = 3;
export const entryWords = 12;
export const entryDoubles = 6;
export const entry = {
  seq: 0,
  version: 1,
  created: 2,
  updated: 3,
  /** From here on in words. */
  chunk: 8,
  /** The offset in the chunk. */
  start: 9,
  /** 0 once it is removed. */
  length: 10,
} as const;

/** A chunk has encoded records, each followed by a comma; here are its place and its contents. */
export const chunkWords = 4;
export const chunk = { block: 0, blocks: 1, used: 2, firstRecord: 3 } as const;

/** A page of ids is a block: a slot of four words for each, and the first one for the page. */
export const slotWords = 4;
export const slotsPerPage = 256;
export const slot = {
  low: 0,
  high: 1,
  /** From 1 on; 0 for an empty slot. */
  record: 2,
  /** 1 if other records have or had the same id. */
  shared: 3,
} as const;
export const idPage = {
  /** The number of bits of the hash that all its ids have in common. */
  bits: 0,
  taken: 1,
  /** The block of a page with more ids; 0 if there is none. */
  next: 2,
} as const;
