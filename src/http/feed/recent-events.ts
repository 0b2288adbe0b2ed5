/** The last changes, as events in memory. */
import { type Batch, batchOf, type Event } from './sse.ts';

const most = { events: 10_000, length: 8 * 1024 * 1024 };

export class RecentEvents {
  /** Every event after `from`, up to `to`. */
  #events: Event[] = [];
  #length = 0;
  #from = 0;
  #to = 0;

  get from(): number {
    return this.#from;
  }

  get to(): number {
    return this.#to;
  }

  startAt(position: number): void {
    this.#events = [];
    this.#length = 0;
    this.#from = position;
    this.#to = position;
  }

  /** `events` must be all events up to `to`. */
  add(events: readonly Event[], to: number): void {
    for (const event of events) {
      this.#events.push(event);
      this.#length += event.text.length;
    }
    this.#to = to;
    let old = 0;
    while (this.#events.length - old > most.events || this.#length > most.length) {
      this.#from = this.#events[old]?.changeNumber ?? this.#to;
      this.#length -= this.#events[old]?.text.length ?? 0;
      old++;
    }
    this.#events.splice(0, old);
  }

  /** `collection` is a name; undefined for all. */
  after(position: number, collection: string | undefined): Batch {
    const events = this.#events.slice(this.#indexAfter(position));
    return batchOf(
      collection === undefined ? events : events.filter((event) => event.collection === collection),
      this.#to,
    );
  }

  #indexAfter(position: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.changeNumber ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
