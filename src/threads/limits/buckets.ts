/**
 * The buckets of a rate limit for all threads of the process, by client: each is one number, when it is full again, in
 * milliseconds of a clock that all threads share.
 *
 * A client belongs to a set of buckets, by a hash of its name. Within the set it has the bucket with its key, another
 * hash of the name. A full bucket needs no place: a new client takes one from a client whose bucket is full again. A
 * client that finds no place uses the one bucket that all such clients share, so that memory is bounded and no client
 * escapes the limit.
 *
 * The numbers of one place only ever rise, also from one client to the next. So a compare-and-exchange that succeeds
 * proves that the key has not changed since the number was read. The key changes only while the number is `moving`,
 * and only under the lock of the set, so that a client never has two buckets.
 */
import { newSeed } from './seed.ts';

/** Buckets in a set. With 100,000 clients no set of 2^13 is full. */
const ways = 32;
const defaultSets = 2 ** 13;
/** In 32-bit numbers: the seeds of the two hashes, and the number of sets. */
const headLength = 4;
const moving = -1;

export function newBuckets(sets = defaultSets): SharedArrayBuffer {
  const { fullAtOffset } = layout(sets);
  const shared = new SharedArrayBuffer(fullAtOffset + (sets * ways + 1) * Float64Array.BYTES_PER_ELEMENT);
  new Int32Array(shared).set([newSeed(), newSeed(), sets]);
  return shared;
}

/** Head, lock of each set, keys, numbers. */
function layout(sets: number) {
  const locksAt = headLength;
  const keysAt = locksAt + sets;
  const bytes = (keysAt + sets * ways) * Int32Array.BYTES_PER_ELEMENT;
  return { locksAt, keysAt, fullAtOffset: Math.ceil(bytes / 8) * 8 };
}

export class Buckets {
  readonly #words: Int32Array;
  readonly #locksAt: number;
  readonly #keysAt: number;
  /** Doubles, as the 64-bit integers that a compare-and-exchange takes. */
  readonly #fullAt: BigInt64Array;
  readonly #sets: number;
  readonly #shared: number;
  readonly #double = new Float64Array(1);
  readonly #bits = new BigInt64Array(this.#double.buffer);

  constructor(shared = newBuckets()) {
    this.#words = new Int32Array(shared, 0);
    this.#sets = this.#words[2] ?? 0;
    const { locksAt, keysAt, fullAtOffset } = layout(this.#sets);
    this.#locksAt = locksAt;
    this.#keysAt = keysAt;
    this.#fullAt = new BigInt64Array(shared, fullAtOffset);
    this.#shared = this.#sets * ways;
  }

  /**
   * Adds `interval` to the time until the client's bucket is full, unless that exceeds `window`. Returns when the bucket
   * is full again; if that is later than `now + window`, nothing was added.
   */
  take(client: string, now: number, interval: number, window: number): number {
    const key = this.#keyOf(client);
    const set = this.#setOf(client);
    for (;;) {
      const at = this.#find(set, key) ?? this.#claim(set, key, now);
      const before = Atomics.load(this.#fullAt, at);
      const known = this.#number(before);
      // The key is read after the number.
      if (known === moving || !this.#isOf(at, key)) continue;
      const full = Math.max(known, now) + interval;
      if (full - window - now > 0) return full;
      if (Atomics.compareExchange(this.#fullAt, at, before, this.#integer(full)) === before) return full;
    }
  }

  /** When the client's bucket is full; in the past if it is. */
  fullAt(client: string, now: number): number {
    const key = this.#keyOf(client);
    const set = this.#setOf(client);
    for (;;) {
      const at = this.#find(set, key) ?? (this.#free(set, now) === undefined ? this.#shared : undefined);
      if (at === undefined) return 0;
      const full = this.#number(Atomics.load(this.#fullAt, at));
      if (full !== moving && this.#isOf(at, key)) return full;
    }
  }

  #keyOf(client: string): number {
    // 0 is the key of a place that was never used.
    return Bun.hash.xxHash32(client, this.#words[0]) | 1;
  }

  /** The first place of the client's set. */
  #setOf(client: string): number {
    return (Bun.hash.xxHash32(client, this.#words[1]) % this.#sets) * ways;
  }

  #isOf(at: number, key: number): boolean {
    return at === this.#shared || Atomics.load(this.#words, this.#keysAt + at) === key;
  }

  #find(set: number, key: number): number | undefined {
    for (let at = set; at < set + ways; at++) if (this.#isOf(at, key)) return at;
    return undefined;
  }

  /** A place whose bucket is full. Earlier than `now`, so that the number rises when another client takes the place. */
  #free(set: number, now: number): number | undefined {
    for (let at = set; at < set + ways; at++) {
      const full = this.#number(Atomics.load(this.#fullAt, at));
      if (full < now && full !== moving) return at;
    }
    return undefined;
  }

  /** Gives the client a place in its set; returns the shared bucket if there is none. */
  #claim(set: number, key: number, now: number): number {
    const lock = this.#locksAt + set / ways;
    // The other thread holds it for less than a microsecond.
    while (Atomics.compareExchange(this.#words, lock, 0, 1) !== 0);
    try {
      const found = this.#find(set, key);
      if (found !== undefined) return found;
      for (let at = this.#free(set, now); at !== undefined; at = this.#free(set, now)) {
        const before = Atomics.load(this.#fullAt, at);
        if (this.#number(before) >= now) continue;
        if (Atomics.compareExchange(this.#fullAt, at, before, this.#integer(moving)) !== before) continue;
        Atomics.store(this.#words, this.#keysAt + at, key);
        Atomics.store(this.#fullAt, at, this.#integer(now));
        return at;
      }
      return this.#shared;
    } finally {
      Atomics.store(this.#words, lock, 0);
    }
  }

  #number(bits: bigint): number {
    this.#bits[0] = bits;
    return this.#double[0] ?? 0;
  }

  #integer(number: number): bigint {
    this.#double[0] = number;
    return this.#bits[0] ?? 0n;
  }
}
