/**
 * Runs the garbage collector of this thread after a segment was released: the memory is freed once every thread has collected it. The
 * runtime would collect late, because its threshold grows with the memory in use.
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
