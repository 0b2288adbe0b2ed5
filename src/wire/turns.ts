/**
 * Streams take turns: so many of them go on in one round of the loop, and the others in the next. However many there are,
 * whoever asks for something small waits behind a few of them and not behind all.
 */

/** Of one round: how many go on, and about how many milliseconds they take. */
const most = { streams: 32, ms: 1 };

type Waiting = { readonly ms: number; goOn(): void };

export class Turns {
  #waiting: Waiting[] = [];
  #coming = false;

  /** `ms` is how long its last turn took, and so about how long the next will. */
  take(ms: number, goOn: () => void): void {
    this.#waiting.push({ ms, goOn });
    if (!this.#coming) this.#next();
  }

  #next(): void {
    this.#coming = true;
    setImmediate(() => this.#round());
  }

  #round(): void {
    let ms = 0;
    const last = this.#waiting.findIndex((one, index) => {
      ms += one.ms;
      return ms >= most.ms || index + 1 === most.streams;
    });
    const these = this.#waiting.splice(0, last < 0 ? this.#waiting.length : last + 1);
    this.#coming = false;
    if (this.#waiting.length > 0) this.#next();
    for (const { goOn } of these) goOn();
  }
}
