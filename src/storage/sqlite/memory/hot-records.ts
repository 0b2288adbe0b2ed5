/**
 * A cache of single records of collections that are not in memory, on one serving thread. A record is cached when it is read for the second time. There
 * are two generations: when the young one reaches half of the budget, it becomes the old one, and the previous old generation is dropped. A
 * read moves a record to the young generation.
 */
import type { EncodedRecord } from '../../../domain/store/page.ts';
import type { Key } from './atomics.ts';
import { hash } from './hash.ts';

type Hot = EncodedRecord & { readonly stamp: number };

/** The overhead of a record on the heap, in bytes. */
const around = 256;
/** A longer record, in bytes, is not cached: it would displace hundreds of others. */
const longest = 16 * 1024;
/** The size of the table of hashes of records that were read once. A later hash overwrites an earlier one. */
const mostSeen = 2 ** 18;

export class HotRecords {
  #young = new Map<number | string, Hot>();
  #old = new Map<number | string, Hot>();
  #youngBytes = 0;
  #oldBytes = 0;
  #seen: Uint32Array | undefined;

  /** `budget` returns the current limit in bytes. */
  constructor(readonly budget: () => number) {}

  get bytes(): number {
    return this.#youngBytes + this.#oldBytes;
  }

  /** Undefined unless the record is cached with the same stamp. */
  get(key: Key, stamp: number): EncodedRecord | undefined {
    const name = nameOf(key);
    const young = this.#young.get(name);
    if (young !== undefined) return young.stamp === stamp ? young : undefined;
    const old = this.#old.get(name);
    if (old?.stamp !== stamp) return undefined;
    this.#add(name, old);
    return old;
  }

  /** Caches a record at its second read: most records are read only once, and caching one costs more than reading it. */
  keep(key: Key, stamp: number, { bytes, version }: EncodedRecord): void {
    if (bytes.length <= longest && this.#wasSeen(key)) this.#add(nameOf(key), { bytes, version, stamp });
  }

  #wasSeen(key: Key): boolean {
    this.#seen ??= new Uint32Array(mostSeen);
    const hashed = hash(key, key.table);
    const at = hashed % mostSeen;
    const isKnown = this.#seen[at] === hashed;
    this.#seen[at] = hashed;
    return isKnown;
  }

  #add(name: number | string, hot: Hot): void {
    const most = this.budget() / 2;
    if (this.#youngBytes + hot.bytes.length + around > most) {
      this.#old = this.#young;
      this.#oldBytes = this.#youngBytes;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    if (hot.bytes.length + around > most) return;
    const before = this.#young.get(name);
    this.#youngBytes += hot.bytes.length - (before === undefined ? -around : before.bytes.length);
    this.#young.set(name, hot);
  }
}

/** A number if it is exact, because a map finds it faster than a string. */
function nameOf({ table, low, high }: Key): number | string {
  return high < 2 ** 12 && table < 2 ** 9 ? (high * 2 ** 32 + low) * 2 ** 9 + table : `${table} ${high} ${low}`;
}
