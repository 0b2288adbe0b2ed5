/** A number for each client, over all threads of the process, changed atomically. */
import { newSeed } from './seed.ts';

/** Clients are counted by a hash of their name: two clients with the same counter count as one. */
const counters = 2 ** 14;
/** The first number is the seed of the hash. */
const firstCounter = 1;

export function newClientTotals(): SharedArrayBuffer {
  const shared = new SharedArrayBuffer((firstCounter + counters) * BigInt64Array.BYTES_PER_ELEMENT);
  new BigInt64Array(shared)[0] = BigInt(newSeed());
  return shared;
}

export class ClientTotals {
  /** 64 bits, because a total of bytes exceeds 2 GiB. */
  readonly #totals: BigInt64Array;
  readonly #seed: number;

  constructor(shared = newClientTotals()) {
    this.#totals = new BigInt64Array(shared);
    this.#seed = Number(this.#totals[0] ?? 0n);
  }

  /** The client's counter, for the other methods. */
  counterOf(client: string): number {
    return firstCounter + (Bun.hash.xxHash32(client, this.#seed) & (counters - 1));
  }

  valueOf(counter: number): number {
    return Number(Atomics.load(this.#totals, counter));
  }

  add(counter: number, amount: number): void {
    Atomics.add(this.#totals, counter, BigInt(amount));
  }
}
