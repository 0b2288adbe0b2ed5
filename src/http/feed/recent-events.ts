/** The last changes, as events in memory. */
import type { Change } from '../../domain/feed/change.ts';
import type { Event } from './sse.ts';

/** An event with its change, for filters. */
export type RecentEvent = Event & { readonly change: Change };

const most = { events: 10_000, length: 8 * 1024 * 1024 };

export class RecentEvents {
  /** Every event after `from`, up to `to`. */
  #events: RecentEvent[] = [];
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
  add(events: readonly RecentEvent[], to: number): void {
    for (const event of events) {
      this.#events.push(event);
      this.#length += lengthOf(event);
    }
    this.#to = to;
    let old = 0;
    while (this.#events.length - old > most.events || this.#length > most.length) {
      const event = this.#events[old];
      this.#from = event?.changeNumber ?? this.#to;
      this.#length -= event === undefined ? 0 : lengthOf(event);
      old++;
    }
    this.#events.splice(0, old);
  }

  /** In their order. */
  after(position: number): readonly RecentEvent[] {
    return this.#events.slice(this.#indexAfter(position));
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

/** The text has the record a second time. */
function lengthOf({ text, change }: RecentEvent): number {
  return text.length + change.record.json.length;
}
