/**
 * Limits what is in use at once to `most` over all threads of the process, and each client to its share of it: slots, such as
 * connections, or KiB.
 */
import { newSeed } from './seed.ts';

/** One quarter is out of reach for each single client. Clients are not told apart while less than a quarter is in use. */
const parts = 4;
/** Clients are counted by a hash of their name: two clients with the same counter share a share. */
const counters = 2 ** 14;
/** The positions in shared memory. */
const usedAt = 0;
const seedAt = 1;
/** Of slots that were taken while clients were not told apart: for each client they count as its own. */
const unnamed = 2;
/** Of all who have no share. */
const shareless = 3;
const firstCounter = 4;

export function newShares(): SharedArrayBuffer {
  const shared = new SharedArrayBuffer((firstCounter + counters) * Int32Array.BYTES_PER_ELEMENT);
  new Int32Array(shared)[seedAt] = newSeed();
  return shared;
}

/** Bytes as they are counted: in 32 bits, bytes would end at 2 GiB. */
export function kibibytes(bytes: number): number {
  return Math.ceil(bytes / 1024);
}

export class Shares<Requester> {
  readonly #counts: Int32Array;
  readonly #seed: number;
  readonly #quarter: number;

  /** `clientOf` is called only if the result depends on the client. Undefined is for many clients, which have no share. */
  constructor(
    readonly most: number,
    readonly clientOf: (requester: Requester) => string | undefined,
    shared = newShares(),
  ) {
    this.#counts = new Int32Array(shared);
    this.#seed = this.#counts[seedAt] ?? 0;
    this.#quarter = Math.floor(most / parts);
  }

  get used(): number {
    return Atomics.load(this.#counts, usedAt);
  }

  hasRoom(requester: Requester): boolean {
    const { used } = this;
    return used < this.#quarter || (used < this.most && this.isBelowShare(this.counterOf(requester)));
  }

  /** Takes a slot, also without room. Returns the argument for `giveBack`. */
  take(requester: Requester): number {
    const slot = this.#slotFor(requester);
    this.add(slot, 1);
    return slot;
  }

  tryTake(requester: Requester): number | undefined {
    const slot = this.#slotFor(requester);
    return this.tryAdd(slot, 1) ? slot : undefined;
  }

  giveBack(slot: number): void {
    this.add(slot, -1);
  }

  /** For an amount that changes: the argument for the methods below. */
  counterOf(requester: Requester): number {
    const client = this.clientOf(requester);
    return client === undefined ? shareless : firstCounter + (Bun.hash.xxHash32(client, this.#seed) & (counters - 1));
  }

  /** Whether the client has less than its share, apart from `own`. */
  isBelowShare(counter: number, own = 0): boolean {
    return this.#isShort(counter, Atomics.load(this.#counts, counter) - own);
  }

  /**
   * Whether `own`, a part of what the client has, may grow: the rest is less than its share, and there is no rest while more than `most` is in use. So one
   * part alone may be larger than the share.
   */
  mayGrow(counter: number, own: number): boolean {
    const rest = Atomics.load(this.#counts, counter) - own;
    if (rest > 0 && this.used > this.most && counter >= firstCounter) return false;
    return this.#isShort(counter, rest);
  }

  /** Also without room. A negative amount is given back. */
  add(counter: number, amount: number): void {
    Atomics.add(this.#counts, counter, amount);
    Atomics.add(this.#counts, usedAt, amount);
  }

  /**
   * Returns false, and adds nothing, beyond `most`, or if the client has its share apart from `own`. Exact when threads race. While one
   * thread is being refused, another may be refused what is left, too.
   */
  tryAdd(counter: number, amount: number, own = 0): boolean {
    const ofClient = Atomics.add(this.#counts, counter, amount);
    const used = Atomics.add(this.#counts, usedAt, amount);
    if (used + amount <= this.most && this.#isShort(counter, ofClient - own)) return true;
    this.add(counter, -amount);
    return false;
  }

  #isShort(counter: number, amount: number): boolean {
    if (counter < firstCounter) return true;
    return amount + Atomics.load(this.#counts, unnamed) < this.most - this.#quarter;
  }

  #slotFor(requester: Requester): number {
    return this.used < this.#quarter ? unnamed : this.counterOf(requester);
  }
}
