/**
 * Streams take turns: so many of them go on in one round of the loop, and the others in the next. However many there are,
 * whoever asks for something small waits behind a few of them and not behind all.
 */

/** Of one round: how many go on, and about how many bytes they send. */
const most = { streams: 32, bytes: 512 * 1024 };

type Waiting = { readonly bytes: number; goOn(): void };

export class Turns {
  #waiting: Waiting[] = [];
  #coming = false;

  /** `bytes` is what it sent last, and so about what it will send next. */
  take(bytes: number, goOn: () => void): void {
    this.#waiting.push({ bytes, goOn });
    if (!this.#coming) this.#next();
  }

  #next(): void {
    this.#coming = true;
    setImmediate(() => this.#round());
  }

  #round(): void {
    let bytes = 0;
    const last = this.#waiting.findIndex((one, index) => {
      bytes += one.bytes;
      return bytes >= most.bytes || index + 1 === most.streams;
    });
    const these = this.#waiting.splice(0, last < 0 ? this.#waiting.length : last + 1);
    this.#coming = false;
    if (this.#waiting.length > 0) this.#next();
    for (const { goOn } of these) goOn();
  }
}
