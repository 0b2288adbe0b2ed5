/**
 * Limits how many threads of the process do long work at the same time, so that the others find a free core: the system lets even a
 * thread with a low priority finish its time slice of milliseconds. A thread that waits for its turn is blocked, and turns are in order.
 */

/**
 * Positions in shared memory. A turn is a number: those given out, those that have ended, and how many may run. Then the number of threads
 * that have more to do in short turns.
 */
const givenAt = 0;
const endedAt = 1;
const mostAt = 2;
const busyAt = 3;

export function newLongWork(most: number): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT);
  new Int32Array(shared)[mostAt] = most;
  return shared;
}

/** Positions in the memory of one thread: 1 while it has a turn, and 1 while it has more to do in short turns. */
const turnAt = 0;
const isBusyAt = 1;

/** What a thread gets from its owner: the memory of all threads, and that of its own. */
export type LongWorkMemory = { readonly shared: SharedArrayBuffer; readonly own: SharedArrayBuffer };

/** For one thread that works alone if `shared` is absent. */
export function longWorkFor(shared = newLongWork(1)): LongWork {
  return new LongWork({ shared, own: new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT) });
}

/** Of one thread, in that thread and in its owner. */
export class LongWork {
  readonly #all: Int32Array;
  readonly #own: Int32Array;
  /** By `performance.now()`. */
  #restUntil = 0;

  constructor(readonly memory: LongWorkMemory) {
    this.#all = new Int32Array(memory.shared);
    this.#own = new Int32Array(memory.own);
  }

  /** Waits for a turn, and calls `work` in it. */
  run<Result>(work: () => Result): Result {
    const turn = Atomics.add(this.#all, givenAt, 1);
    Atomics.store(this.#own, turnAt, 1);
    for (;;) {
      const ended = Atomics.load(this.#all, endedAt);
      // Both numbers wrap around after 2^32 turns, and their difference does not.
      if (((turn - ended) | 0) < Atomics.load(this.#all, mostAt)) break;
      Atomics.wait(this.#all, endedAt, ended);
    }
    try {
      return work();
    } finally {
      this.#end();
    }
  }

  /**
   * For work that cannot be divided into short turns. The thread then leaves the threads that are busy with short turns as much time as it
   * took: otherwise each would get one short turn for each of its long ones.
   */
  runWhole<Result>(work: () => Result): Result {
    this.#rest();
    return this.run(() => {
      const begun = performance.now();
      try {
        return work();
      } finally {
        const ended = performance.now();
        this.#restUntil = ended + (ended - begun);
      }
    });
  }

  /** Whether this thread has more to do in short turns. */
  setBusy(isBusy: boolean): void {
    const now = Number(isBusy);
    const change = now - Atomics.exchange(this.#own, isBusyAt, now);
    if (change === 0) return;
    Atomics.add(this.#all, busyAt, change);
    Atomics.notify(this.#all, busyAt);
  }

  /** The owner calls it when the thread has ended. */
  leave(): void {
    this.setBusy(false);
    this.#end();
  }

  #rest(): void {
    for (;;) {
      const busy = Atomics.load(this.#all, busyAt);
      const left = this.#restUntil - performance.now();
      if (busy === 0 || left <= 0) return;
      Atomics.wait(this.#all, busyAt, busy, left);
    }
  }

  /** Ends the turn, if there is one. */
  #end(): void {
    if (Atomics.exchange(this.#own, turnAt, 0) === 0) return;
    Atomics.add(this.#all, endedAt, 1);
    Atomics.notify(this.#all, endedAt);
  }
}
