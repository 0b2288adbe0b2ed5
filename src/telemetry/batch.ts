/** Collects what is sent together. */

/** Enough that a request costs little for each. */
const most = 512;
const waitMs = 1000;

export class Batch<Item> {
  #items: Item[] = [];
  #timer: Timer | undefined;

  constructor(readonly take: (items: readonly Item[]) => void) {}

  add(item: Item): void {
    this.#items.push(item);
    if (this.#items.length >= most) this.flush();
    else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => this.flush(), waitMs);
      this.#timer.unref();
    }
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const items = this.#items;
    if (items.length === 0) return;
    this.#items = [];
    this.take(items);
  }
}
