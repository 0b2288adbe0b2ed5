/**
 * When names were last seen, for all threads of the process. A place has the hash of a name and the time; a name belongs to a
 * set of places, in which it takes the place of the one that was seen the longest time ago. There is no lock: a name that is added while
 * another takes its place may be forgotten, or count as seen with the other one. So nothing may rely on it but the work that it saves.
 */
import { newSeed } from './seed.ts';

const ways = 8;
/** Room for 16,384 names. */
const sets = 2 ** 11;
const places = sets * ways;

/** The hashes as 64-bit words after the seed, then the times as 32-bit words, in seconds. */
const timesOffset = (1 + places) * BigInt64Array.BYTES_PER_ELEMENT;

export function newLastSeen(): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(timesOffset + places * Int32Array.BYTES_PER_ELEMENT);
  new BigInt64Array(shared)[0] = BigInt(newSeed());
  return shared;
}

export class LastSeen {
  readonly #hashes: BigInt64Array;
  /** 0 for none. */
  readonly #times: Int32Array;
  readonly #seed: bigint;

  constructor(shared = newLastSeen()) {
    this.#seed = BigInt.asUintN(64, new BigInt64Array(shared)[0] ?? 0n);
    this.#hashes = new BigInt64Array(shared, BigInt64Array.BYTES_PER_ELEMENT, places);
    this.#times = new Int32Array(shared, timesOffset);
  }

  /** When the name was last seen, in the milliseconds of the clock that `see` was called with; undefined if that is not known. */
  seenAt(name: string): number | undefined {
    const at = this.#find(this.#hashOf(name));
    const seconds = at === undefined ? 0 : Atomics.load(this.#times, at);
    return seconds === 0 ? undefined : seconds * 1000;
  }

  /** `now` is in milliseconds of a clock that all threads share. */
  see(name: string, now: number): void {
    const hash = this.#hashOf(name);
    const seconds = Math.max(1, Math.floor(now / 1000));
    const at = this.#find(hash) ?? this.#oldest(hash);
    if (Atomics.load(this.#hashes, at) !== hash) {
      // No other thread may find the hash with the time of the name before it.
      Atomics.store(this.#times, at, 0);
      Atomics.store(this.#hashes, at, hash);
    }
    Atomics.store(this.#times, at, seconds);
  }

  forget(name: string): void {
    const at = this.#find(this.#hashOf(name));
    if (at !== undefined) Atomics.store(this.#times, at, 0);
  }

  #hashOf(name: string): bigint {
    return BigInt.asIntN(64, Bun.hash.xxHash64(name, this.#seed));
  }

  #setOf(hash: bigint): number {
    return Number(BigInt.asUintN(32, hash) % BigInt(sets)) * ways;
  }

  #find(hash: bigint): number | undefined {
    const set = this.#setOf(hash);
    for (let at = set; at < set + ways; at++) if (Atomics.load(this.#hashes, at) === hash) return at;
    return undefined;
  }

  #oldest(hash: bigint): number {
    const set = this.#setOf(hash);
    let oldest = set;
    for (let at = set; at < set + ways; at++)
      if (Atomics.load(this.#times, at) < Atomics.load(this.#times, oldest)) oldest = at;
    return oldest;
  }
}
