/** Limits concurrent use to `most` slots over all threads of the process, and each client to its share of them. */
import { newSeed } from './seed.ts';

/** One quarter of the slots is given to any client, and one quarter is out of reach for each single client. */
const parts = 4;
/** Clients are counted by a hash of their name: two clients with the same counter share a share. */
const counters = 2 ** 14;
/** The positions in shared memory before the counters. */
const usedAt = 0;
const seedAt = 1;
const firstCounter = 2;
/** Returned by `take` for a slot that does not count against a client. */
const uncounted = 0;

export function newShares(): SharedArrayBuffer {
  const shared = new SharedArrayBuffer((firstCounter + counters) * Int32Array.BYTES_PER_ELEMENT);
  new Int32Array(shared)[seedAt] = newSeed();
  return shared;
}

export class Shares<Requester> {
  readonly #counts: Int32Array;
  readonly #seed: number;
  readonly #uncounted: number;
  readonly #perClient: number;

  /** `clientOf` is called only if the result depends on the client. Undefined is for many clients, which have no share. */
  constructor(
    readonly most: number,
    readonly clientOf: (requester: Requester) => string | undefined,
    shared = newShares(),
  ) {
    this.#counts = new Int32Array(shared);
    this.#seed = this.#counts[seedAt] ?? 0;
    this.#uncounted = Math.floor(most / parts);
    this.#perClient = most - 2 * this.#uncounted;
  }

  get used(): number {
    return Atomics.load(this.#counts, usedAt);
  }

  hasRoom(requester: Requester): boolean {
    const { used } = this;
    if (used < this.#uncounted) return true;
    if (used >= this.most) return false;
    const counter = this.#counterOf(requester);
    return counter === uncounted || Atomics.load(this.#counts, counter) < this.#perClient;
  }

  /** Takes a slot, also without room. Returns the argument for `giveBack`. */
  take(requester: Requester): number {
    if (Atomics.add(this.#counts, usedAt, 1) < this.#uncounted) return uncounted;
    const counter = this.#counterOf(requester);
    if (counter !== uncounted) Atomics.add(this.#counts, counter, 1);
    return counter;
  }

  /**
   * Takes a slot if there is room. Exact when threads race: never more than `most` slots, nor more than its share for a
   * client. While one thread is being refused, another may be refused the last slot, too.
   */
  tryTake(requester: Requester): number | undefined {
    const used = Atomics.add(this.#counts, usedAt, 1);
    if (used < this.#uncounted) return uncounted;
    const counter = this.#counterOf(requester);
    const ofClient = counter === uncounted ? 0 : Atomics.add(this.#counts, counter, 1);
    if (used < this.most && ofClient < this.#perClient) return counter;
    this.giveBack(counter);
    return undefined;
  }

  giveBack(slot: number): void {
    if (slot !== uncounted) Atomics.sub(this.#counts, slot, 1);
    Atomics.sub(this.#counts, usedAt, 1);
  }

  #counterOf(requester: Requester): number {
    const client = this.clientOf(requester);
    return client === undefined ? uncounted : firstCounter + (Bun.hash.xxHash32(client, this.#seed) & (counters - 1));
  }
}
