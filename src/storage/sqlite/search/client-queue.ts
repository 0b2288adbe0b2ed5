/** What waits, by client: they take turns, however much one of them has sent. */
export class ClientQueue<Item> {
  /** The client whose turn is next comes first. */
  readonly #byClient = new Map<string, Item[]>();

  get isEmpty(): boolean {
    return this.#byClient.size === 0;
  }

  add(client: string, item: Item): void {
    const waiting = this.#byClient.get(client);
    if (waiting === undefined) this.#byClient.set(client, [item]);
    else waiting.push(item);
  }

  /** The oldest of the next client that may have another one. */
  take(may: (client: string) => boolean = () => true): Item | undefined {
    for (const [client, waiting] of this.#byClient) {
      if (!may(client)) continue;
      const item = waiting.shift();
      // Behind all others now.
      this.#byClient.delete(client);
      if (waiting.length > 0) this.#byClient.set(client, waiting);
      return item;
    }
    return undefined;
  }

  /** Takes out those that fit. */
  remove(fits: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const [client, waiting] of [...this.#byClient]) {
      const left = waiting.filter((item) => !fits(item));
      removed.push(...waiting.filter(fits));
      if (left.length > 0) this.#byClient.set(client, left);
      else this.#byClient.delete(client);
    }
    return removed;
  }
}
