/**
 * Collects the garbage of a thread when memory was given back: the system has it only when every thread has done that. By itself the
 * runtime would do it late, because it waits for as much garbage as there was memory in use.
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
