/**
 * Collects the garbage of this thread when memory was given back: a segment is freed when every thread has collected it. The runtime alone
 * would collect late, because its threshold grows with the memory in use.
 */
import { givesBack, type MemoryChange } from './change.ts';

export class Collector {
  #isDue = false;

  follow(change: MemoryChange): void {
    if (this.#isDue || !givesBack(change)) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      Bun.gc(true);
    });
  }
}
