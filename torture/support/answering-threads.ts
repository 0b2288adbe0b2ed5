/** Which serving threads have answered: the ids that each of them makes for requests begin with the same part. */
const commonLength = 13;

export class AnsweringThreads {
  readonly #seen = new Set<string>();
  #last = '';
  /** A thread has answered before and after another one, so both are of the same run of a server. */
  together = false;

  /** `requestId` is from an answer to a request that had none. */
  add(requestId: string | null | undefined): void {
    const thread = requestId?.slice(0, commonLength) ?? this.#last;
    if (thread === this.#last) return;
    if (this.#seen.has(thread)) this.together = true;
    this.#seen.add(thread);
    this.#last = thread;
  }

  get count(): number {
    return this.#seen.size;
  }

  clear(): void {
    this.#seen.clear();
    this.#last = '';
  }

  /** For one run of a server. The system distributes connections at random, so sixteen of them reach each of two threads. */
  complaints(expected: number): string[] {
    return this.count >= expected ? [] : [`${this.count} of ${expected} serving threads have answered`];
  }
}
