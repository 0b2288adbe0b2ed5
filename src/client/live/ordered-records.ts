/** The records of a list in their order. */
import { orderOf, type Row } from './order.ts';

export type Stored = Row & { readonly id: number; readonly version: number };

export class OrderedRecords {
  /** Changed in place: there is one list, however often it changes. */
  readonly list: Stored[] = [];
  readonly #byId = new Map<number, Stored>();
  #compare = orderOf([], new Map());

  /** Without records, in another order. */
  clear(compare: ReturnType<typeof orderOf>): void {
    this.list.length = 0;
    this.#byId.clear();
    this.#compare = compare;
  }

  /** Adds a record, or replaces it. One that is older than that in the list is ignored. */
  put(record: Stored): void {
    if (this.#isOlder(record)) return;
    this.#take(record.id);
    this.#byId.set(record.id, record);
    this.list.splice(this.#placeOf(record), 0, record);
  }

  /** `record` is its last state. One that is older than that in the list is ignored. */
  remove(record: Stored): void {
    if (!this.#isOlder(record)) this.#take(record.id);
  }

  #isOlder({ id, version }: Stored): boolean {
    return (this.#byId.get(id)?.version ?? 0) > version;
  }

  #take(id: number): void {
    const known = this.#byId.get(id);
    if (known === undefined) return;
    this.#byId.delete(id);
    this.list.splice(this.#placeOf(known), 1);
  }

  /** The index of the first record that is not before this one. */
  #placeOf(record: Stored): number {
    let [low, high] = [0, this.list.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.list[middle] as Stored, record) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
