/** So many at once, of which no client gets more than its share. */

/** A quarter is given to anybody, and a quarter is out of reach of each single client. */
const parts = 4;
/** Handed back for one that was given out without a look at who asked. */
const anybody = '';

export class Shares<Asking> {
  readonly #byClient = new Map<string, number>();
  readonly #unnamed: number;
  readonly #perClient: number;
  #used = 0;

  /** `clientOf` is called only where the answer depends on who asks. */
  constructor(
    readonly most: number,
    readonly clientOf: (asking: Asking) => string,
  ) {
    this.#unnamed = Math.floor(most / parts);
    this.#perClient = most - 2 * this.#unnamed;
  }

  get used(): number {
    return this.#used;
  }

  hasRoom(asking: Asking): boolean {
    if (this.#used < this.#unnamed) return true;
    return this.#used < this.most && (this.#byClient.get(this.#nameOf(asking)) ?? 0) < this.#perClient;
  }

  /** Answers what to hand back. */
  take(asking: Asking): string {
    if (this.#used++ < this.#unnamed) return anybody;
    const name = this.#nameOf(asking);
    this.#byClient.set(name, (this.#byClient.get(name) ?? 0) + 1);
    return name;
  }

  giveBack(name: string): void {
    this.#used--;
    if (name === anybody) return;
    const left = (this.#byClient.get(name) ?? 0) - 1;
    if (left > 0) this.#byClient.set(name, left);
    else this.#byClient.delete(name);
  }

  #nameOf(asking: Asking): string {
    return this.clientOf(asking) || 'unknown';
  }
}
