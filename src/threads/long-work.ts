/**
 * Limits how many threads of the process do long work at the same time, so that the others find a free core: the system lets even a
 * thread with a low priority finish its time slice of milliseconds. A thread that waits for its turn is blocked, and turns are in order.
 */

/** Positions in shared memory. A turn is a number: those given out, those that have ended, and how many may run. */
const givenAt = 0;
const endedAt = 1;
const mostAt = 2;

export function newLongWork(most: number): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT);
  new Int32Array(shared)[mostAt] = most;
  return shared;
}

/** What a thread gets from its owner: the memory of all threads, and one cell of its own, 1 while it has a turn. */
export type LongWorkMemory = { readonly shared: SharedArrayBuffer; readonly own: SharedArrayBuffer };

/** For one thread that works alone if `shared` is absent. */
export function longWorkFor(shared = newLongWork(1)): LongWork {
  return new LongWork({ shared, own: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) });
}

/** Of one thread, in that thread and in its owner. */
export class LongWork {
  readonly #all: Int32Array;
  readonly #own: Int32Array;

  constructor(readonly memory: LongWorkMemory) {
    this.#all = new Int32Array(memory.shared);
    this.#own = new Int32Array(memory.own);
  }

  /** Waits for a turn, and calls `work` in it. */
  run<Result>(work: () => Result): Result {
    const turn = Atomics.add(this.#all, givenAt, 1);
    Atomics.store(this.#own, 0, 1);
    for (;;) {
      const ended = Atomics.load(this.#all, endedAt);
      // Both numbers wrap around after 2^32 turns, and their difference does not.
      if (((turn - ended) | 0) < Atomics.load(this.#all, mostAt)) break;
      Atomics.wait(this.#all, endedAt, ended);
    }
    try {
      return work();
    } finally {
      this.end();
    }
  }

  /** Ends the turn, if there is one. The owner calls it when the thread has ended. */
  end(): void {
    if (Atomics.exchange(this.#own, 0, 0) === 0) return;
    Atomics.add(this.#all, endedAt, 1);
    Atomics.notify(this.#all, endedAt);
  }
}
