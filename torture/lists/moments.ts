/** When each write was sent and answered, and each list was asked for: in memory that the clients on both threads share. */

const [clock, answers, stopped, first] = [0, 1, 2, 3];

export class Moments {
  readonly #words: Int32Array<SharedArrayBuffer>;

  /** Writes are numbered from 0. */
  static forWrites(count: number): Moments {
    return new Moments(new SharedArrayBuffer(4 * (first + 2 * count)));
  }

  constructor(readonly shared: SharedArrayBuffer) {
    this.#words = new Int32Array(shared);
  }

  /** How many writes there may be. */
  get capacity(): number {
    return (this.#words.length - first) / 2;
  }

  /** A moment after all others: any two have an order. */
  next(): number {
    return Atomics.add(this.#words, clock, 1) + 1;
  }

  /** Before its first byte is sent. */
  send(write: number): void {
    Atomics.store(this.#words, first + 2 * write, this.next());
  }

  /** After its last byte has arrived. */
  answer(write: number): void {
    Atomics.store(this.#words, first + 2 * write + 1, this.next());
    Atomics.add(this.#words, answers, 1);
  }

  /** Infinity until then. */
  sentAt(write: number): number {
    return Atomics.load(this.#words, first + 2 * write) || Number.POSITIVE_INFINITY;
  }

  /** Infinity until then. */
  answeredAt(write: number): number {
    return Atomics.load(this.#words, first + 2 * write + 1) || Number.POSITIVE_INFINITY;
  }

  get answered(): number {
    return Atomics.load(this.#words, answers);
  }

  get isStopped(): boolean {
    return Atomics.load(this.#words, stopped) === 1;
  }

  /** No further write is sent. */
  stop(): void {
    Atomics.store(this.#words, stopped, 1);
  }
}
