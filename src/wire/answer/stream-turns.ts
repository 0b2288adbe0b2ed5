/**
 * Streams take turns: each turn of the event loop resumes a limited number of them, and the next turn the others.
 * A small request waits behind a few streams, however many there are.
 */

/** Limits of one round: the number of streams, and about how many milliseconds they take together. Shorter rounds do not slow them down. */
const perRound = { streams: 32, ms: 0.5 };

type Waiting = { readonly ms: number; resume(): void };

export class StreamTurns {
  #waiting: Waiting[] = [];
  #scheduled = false;

  /** `ms` is how long the last turn of this stream took: the estimate for its next one. */
  take(ms: number, resume: () => void): void {
    this.#waiting.push({ ms, resume });
    if (!this.#scheduled) this.#next();
  }

  #next(): void {
    this.#scheduled = true;
    setImmediate(() => this.#round());
  }

  #round(): void {
    let ms = 0;
    const last = this.#waiting.findIndex((one, index) => {
      ms += one.ms;
      return ms >= perRound.ms || index + 1 === perRound.streams;
    });
    const resumed = this.#waiting.splice(0, last < 0 ? this.#waiting.length : last + 1);
    this.#scheduled = false;
    if (this.#waiting.length > 0) this.#next();
    for (const { resume } of resumed) resume();
  }
}
