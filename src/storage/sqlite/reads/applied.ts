/**
 * How far the memory has followed the file. A commit can be read from the file before the thread that serves memory has
 * heard of it, so an answer from the file waits until the memory has followed: whatever one answer has shown, every later
 * answer includes, wherever it is read.
 */

export class Applied {
  #waiting: { readonly change: number; readonly resolve: () => void }[] = [];

  /** `last` is the number of the last change that all of the memory has applied. */
  constructor(public last: number) {}

  /** Undefined where the memory has this change already; else resolves before any later change is applied. */
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
