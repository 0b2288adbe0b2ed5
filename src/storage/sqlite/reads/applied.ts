/**
 * Tracks the last change that the caches have applied. A commit is visible in the file before the caches have it, so an
 * answer from the file waits until the caches have caught up. This makes reads consistent: a change that one answer has
 * shown is in every later answer, from the file or from a cache.
 */

export class Applied {
  #waiting: { readonly change: number; readonly resolve: () => void }[] = [];

  /** `last` is the number of the last change that all caches have applied. */
  constructor(public last: number) {}

  /** Undefined if the caches already have this change; otherwise resolves before any later change is applied. */
  reached(change: number): Promise<void> | undefined {
    if (change <= this.last) return undefined;
    return new Promise((resolve) => this.#waiting.push({ change, resolve }));
  }

  advance(change: number): void {
    this.last = change;
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = waiting.filter((one) => one.change > change);
    for (const one of waiting) if (one.change <= change) one.resolve();
  }
}
