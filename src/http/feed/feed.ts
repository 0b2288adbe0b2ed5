/**
 * The change feed for all who listen at once: what was committed last is kept here, encoded. Whoever is further behind
 * reads the table of changes until they have caught up. A listener is a place in one order and nothing else, so there is
 * no gap and no repeat where one way of reading passes into the other, and nothing piles up for one who is slow.
 */
import type { Collection } from '../../domain/collection.ts';
import { resyncPoint } from '../../domain/history.ts';
import type { Change, Store } from '../../domain/store.ts';
import type { Bytes, Live } from '../../wire/reply.ts';

type Told = { readonly seq: number; readonly collection: string; readonly text: string };
/** What lies behind one place in the order, and the place that lies behind it. */
type Part = { readonly bytes: Bytes; readonly to: number };

/** What is kept at hand. */
const most = { changes: 10_000, length: 8 * 1024 * 1024 };
const readAtOnce = 500;
/** Of a part, which the change that ends it may exceed. */
const partLength = 64 * 1024;
/** Proxies and clients give up on a connection that says nothing for long. */
const beatMs = 15_000;
/** How soon a client should come back. */
const retryMs = 1000;

const encoder = new TextEncoder();

export class Feed {
  /** Everything that lies behind `#from`, up to `#to`. */
  #recent: Told[] = [];
  #length = 0;
  #from = 0;
  #to = 0;
  readonly #listeners = new Set<Listener>();
  #leave: (() => void) | undefined;
  #reading = false;
  #stale = false;
  /** The same for all who are at the same place. */
  readonly #parts = new Map<string, Part>();
  readonly #reads = new Map<string, Promise<Part>>();

  constructor(
    readonly store: Store,
    /** A change as it is told. */
    readonly encode: (change: Change) => string,
    readonly report: (error: unknown) => void,
  ) {}

  get listeners(): number {
    return this.#listeners.size;
  }

  /** From the change behind `after` on, or from now on; of one collection, or of all. */
  async listen(
    after: number | undefined,
    of: Collection | undefined,
    stillMay: () => Promise<boolean> = async () => true,
  ): Promise<Live> {
    const history = await this.store.history();
    const { last } = history;
    const moved = after === undefined ? undefined : resyncPoint(history, after);
    const place = moved ?? after ?? last;
    const listener = new Listener(
      this,
      of,
      stillMay,
      place,
      moved === undefined ? `retry: ${retryMs}\nid: ${place}\n\n` : resync(place),
    );
    this.#listeners.add(listener);
    if (this.#leave === undefined) this.#begin(last);
    return listener;
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    this.#leave?.();
    this.#leave = undefined;
    this.#recent = [];
    this.#length = 0;
  }

  /** At once where it is at hand; undefined where there is nothing yet. */
  after(place: number, of: Collection | undefined): Part | undefined | Promise<Part> {
    if (place >= this.#to) return undefined;
    const key = `${place} ${of?.name ?? ''}`;
    if (place >= this.#from) {
      // Of use to those who are woken together, and to nobody later.
      if (this.#parts.size === 0) setImmediate(() => this.#parts.clear());
      return kept(this.#parts, key, () => this.#partAt(place, of));
    }
    return kept(this.#reads, key, () => {
      const part = this.#readPart(place, of);
      part.catch(this.report).finally(() => this.#reads.delete(key));
      return part;
    });
  }

  #begin(last: number): void {
    this.#from = last;
    this.#to = last;
    const unwatch = this.store.watch(() => this.#read());
    const beat = setInterval(() => {
      // Should nobody have told of a change, it is found here.
      this.#read();
      this.#requireSameHistory().catch(this.report);
      for (const listener of this.#listeners) {
        listener.wake(true);
        listener.check().catch(this.report);
      }
    }, beatMs);
    this.#leave = () => {
      unwatch();
      clearInterval(beat);
    };
    this.#read();
  }

  /** A database that has lost its last changes will give their numbers to others: whoever has heard them begins anew. */
  async #requireSameHistory(): Promise<void> {
    const heard = this.#to;
    if ((await this.store.history()).last >= heard) return;
    for (const listener of this.#listeners) listener.return();
  }

  /** Brings what is kept up to date. One reads at a time, and whoever comes meanwhile makes it look again. */
  async #read(): Promise<void> {
    this.#stale = true;
    if (this.#reading) return;
    this.#reading = true;
    try {
      while (this.#stale && this.#leave !== undefined) {
        this.#stale = false;
        const from = this.#to;
        const { changes, more, history } = await this.store.changes(from, readAtOnce);
        if (more) this.#stale = true;
        const resyncAt = resyncPoint(history, from);
        // All may have left meanwhile, and others have come at another place.
        if (from !== this.#to) this.#stale = true;
        else if (resyncAt === undefined) this.#keep(changes);
        // A database that has lost changes is looked at again with the next beat.
        else if (resyncAt > from) this.#skipTo(resyncAt);
      }
    } catch (error) {
      this.report(error);
    } finally {
      this.#reading = false;
    }
  }

  /** What lies before is gone; whoever has not come so far is told so. */
  #skipTo(place: number): void {
    this.#recent = [];
    this.#length = 0;
    this.#from = place;
    this.#to = place;
    this.#stale = true;
    this.#parts.clear();
    for (const listener of this.#listeners) listener.wake(false);
  }

  #keep(changes: readonly Change[]): void {
    const last = changes.at(-1);
    if (last === undefined) return;
    for (const change of changes) {
      const told = this.#tell(change);
      this.#recent.push(told);
      this.#length += told.text.length;
    }
    this.#to = last.seq;
    let old = 0;
    while (this.#recent.length - old > most.changes || this.#length > most.length) {
      this.#from = this.#recent[old]?.seq ?? this.#to;
      this.#length -= this.#recent[old]?.text.length ?? 0;
      old++;
    }
    this.#recent.splice(0, old);
    this.#parts.clear();
    for (const listener of this.#listeners) listener.wake(false);
  }

  #tell(change: Change): Told {
    const { seq, type, collection } = change;
    const text = `id: ${seq}\nevent: ${collection.singular}.${type}\ndata: ${this.encode(change)}\n\n`;
    return { seq, collection: collection.name, text };
  }

  #partAt(place: number, of: Collection | undefined): Part {
    const behind = this.#recent.slice(this.#indexBehind(place));
    return partOf(of === undefined ? behind : behind.filter(({ collection }) => collection === of.name), this.#to);
  }

  async #readPart(place: number, of: Collection | undefined): Promise<Part> {
    // Whatever was committed up to here is found by what is read from now on.
    const known = this.#to;
    const { changes, more, history } = await this.store.changes(place, readAtOnce, of, partLength);
    const resyncAt = resyncPoint(history, place);
    if (resyncAt !== undefined) return { bytes: encoder.encode(resync(resyncAt)), to: resyncAt };
    const last = changes.at(-1)?.seq ?? place;
    return partOf(
      changes.map((change) => this.#tell(change)),
      more ? last : Math.max(last, known),
    );
  }

  /** Numbers only grow, so they can be searched by halves. */
  #indexBehind(place: number): number {
    let low = 0;
    let high = this.#recent.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#recent[middle]?.seq ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** One who listens: pulled from when there is room for more, and waits when there is nothing. */
class Listener implements Live {
  readonly live = true;
  #place: number;
  #first: string | undefined;
  #waiting: ((beat: boolean) => void) | undefined;
  #ended = false;

  constructor(
    readonly feed: Feed,
    readonly of: Collection | undefined,
    readonly stillMay: () => Promise<boolean>,
    place: number,
    first: string,
  ) {
    this.#place = place;
    this.#first = first;
  }

  wake(beat: boolean): void {
    this.#waiting?.(beat);
    this.#waiting = undefined;
  }

  async check(): Promise<void> {
    if (!(await this.stillMay())) this.return();
  }

  async next(): Promise<IteratorResult<Bytes>> {
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined && !this.#ended) return told(encoder.encode(first));
    while (!this.#ended) {
      const behind = this.feed.after(this.#place, this.of);
      if (behind === undefined) {
        const beat = await new Promise<boolean>((resolve) => (this.#waiting = resolve));
        // It says the place as well, which a client that hears of few changes would not learn otherwise.
        if (beat && !this.#ended) return told(encoder.encode(`: still here\nid: ${this.#place}\n\n`));
        continue;
      }
      const { bytes, to } = await behind;
      this.#place = to;
      if (bytes.length > 0 && !this.#ended) return told(bytes);
    }
    return { done: true, value: undefined };
  }

  return(): void {
    this.#ended = true;
    this.feed.leave(this);
    this.wake(false);
  }
}

/** As much as is sent at a time; where that is all, the place behind it is `end`. */
function partOf(changes: readonly Told[], end: number): Part {
  let text = '';
  for (const told of changes) {
    text += told.text;
    if (text.length >= partLength) return { bytes: encoder.encode(text), to: told.seq };
  }
  return { bytes: encoder.encode(text), to: end };
}

function told(value: Bytes): IteratorResult<Bytes> {
  return { done: false, value };
}

/** What lies between is gone: the lists have to be read anew. */
function resync(place: number): string {
  return `retry: ${retryMs}\nid: ${place}\nevent: resync\ndata: {"after":${place}}\n\n`;
}

function kept<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}
