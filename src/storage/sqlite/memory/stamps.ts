/**
 * Whether a record has changed, for hot records: one number for each group of records, which grows with every change of one
 * of them. A cache keeps a value with the stamp that it had before the file was read, and uses it as long as that is the stamp.
 *
 * An addition changes no stamp: a seq is never used twice, and an id of the contract leads to the earliest record. So a cache
 * may keep what it has found, and not that there was nothing.
 */
import { type Halves, halvesOf, hash } from './ids.ts';

/** `table` is the place of the collection, and how its records are found. */
export type Key = Halves & { readonly table: number };

export function idKey(place: number, id: bigint | number): Key {
  const { low, high } = halvesOf(id);
  return { table: place * 2, low, high };
}

export function seqKey(place: number, seq: number): Key {
  return { table: place * 2 + 1, low: seq >>> 0, high: Math.floor(seq / 2 ** 32) };
}

/** With a million records in a cache, a change of one makes three others be read again. */
const groups = 2 ** 18;
/** Grows when any record may have changed. */
const all = groups;

export const stampBytes = (groups + 1) * 4;

export class Stamps {
  readonly #words: Int32Array<SharedArrayBuffer>;

  constructor(shared: SharedArrayBuffer, offset: number) {
    this.#words = new Int32Array(shared, offset, groups + 1);
  }

  /** Both numbers only grow, so their sum is the same only if both are. */
  of(key: Key): number {
    return (Atomics.load(this.#words, all) + Atomics.load(this.#words, groupOf(key))) | 0;
  }

  /** By the writer: after the commit is in the file, and before anybody may learn of it. */
  changed(key: Key): void {
    Atomics.add(this.#words, groupOf(key), 1);
  }

  allChanged(): void {
    Atomics.add(this.#words, all, 1);
  }
}

function groupOf(key: Key): number {
  return hash(key, key.table) % groups;
}
