/** A queue that is fair to clients: they take turns, however many items one of them has added. Undefined is one of them. */
export class FairQueue<Item> {
  /** In order of turns: the first client is next. */
  readonly #byClient = new Map<string | undefined, Item[]>();

  get isEmpty(): boolean {
    return this.#byClient.size === 0;
  }

  add(client: string | undefined, item: Item): void {
    const waiting = this.#byClient.get(client);
    if (waiting === undefined) this.#byClient.set(client, [item]);
    else waiting.push(item);
  }

  /** Removes the oldest item of the next client that `may` accepts. */
  take(may: (client: string | undefined) => boolean = () => true): Item | undefined {
    for (const [client, waiting] of this.#byClient) {
      if (!may(client)) continue;
      const item = waiting.shift();
      // Moves the client to the end.
      this.#byClient.delete(client);
      if (waiting.length > 0) this.#byClient.set(client, waiting);
      return item;
    }
    return undefined;
  }

  /** Removes and returns the matching items. */
  remove(matches: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const [client, waiting] of [...this.#byClient]) {
      const left = waiting.filter((item) => !matches(item));
      removed.push(...waiting.filter(matches));
      if (left.length > 0) this.#byClient.set(client, left);
      else this.#byClient.delete(client);
    }
    return removed;
  }
}
