/** Limits concurrent use to `most` slots, and each client to its share of them. */

/** One quarter of the slots is given to any client, and one quarter is out of reach for each single client. */
const parts = 4;
/** Returned by `take` for a slot that does not count against a client. */
const uncounted = '';

export class Shares<Requester> {
  readonly #byClient = new Map<string, number>();
  readonly #uncounted: number;
  readonly #perClient: number;
  #used = 0;

  /** `clientOf` is called only if the result depends on the client. */
  constructor(
    readonly most: number,
    readonly clientOf: (requester: Requester) => string,
  ) {
    this.#uncounted = Math.floor(most / parts);
    this.#perClient = most - 2 * this.#uncounted;
  }

  get used(): number {
    return this.#used;
  }

  hasRoom(requester: Requester): boolean {
    if (this.#used < this.#uncounted) return true;
    return this.#used < this.most && (this.#byClient.get(this.#clientName(requester)) ?? 0) < this.#perClient;
  }

  /** Takes a slot, also without room. Returns the argument for `giveBack`. */
  take(requester: Requester): string {
    if (this.#used++ < this.#uncounted) return uncounted;
    const name = this.#clientName(requester);
    this.#byClient.set(name, (this.#byClient.get(name) ?? 0) + 1);
    return name;
  }

  giveBack(name: string): void {
    this.#used--;
    if (name === uncounted) return;
    const left = (this.#byClient.get(name) ?? 0) - 1;
    if (left > 0) this.#byClient.set(name, left);
    else this.#byClient.delete(name);
  }

  #clientName(requester: Requester): string {
    return this.clientOf(requester) || 'unknown';
  }
}
