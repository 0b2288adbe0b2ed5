/**
 * Collects the garbage of this thread when memory was given back: a segment is freed when every thread has collected it. The runtime alone
 * would collect late, because its threshold grows with the memory in use.
 */
export class Collector {
  #isDue = false;

  collectSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      Bun.gc(true);
    });
  }
}
