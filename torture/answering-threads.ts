/** Which serving threads of a server have answered: the ids that each of them makes for requests begin with the same part. */
const commonLength = 13;

export class AnsweringThreads {
  readonly #seen = new Set<string>();

  /** `requestId` is from an answer to a request that had none. */
  add(requestId: string | null | undefined): void {
    if (requestId) this.#seen.add(requestId.slice(0, commonLength));
  }

  get count(): number {
    return this.#seen.size;
  }

  clear(): void {
    this.#seen.clear();
  }

  /** For one server. The system distributes connections at random, so sixteen of them reach each of two threads. */
  complaints(expected: number): string[] {
    return this.count >= expected ? [] : [`${this.count} of ${expected} serving threads have answered`];
  }
}
