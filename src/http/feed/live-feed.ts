/**
 * The live feed for all listeners. The last changes are in memory; a listener that is further behind reads the table of
 * changes until it has caught up. A listener is only a position in the order of changes, so switching between the two leaves
 * no gap and no duplicate, and a slow listener has no backlog in memory.
 */

import { Failure } from '../../domain/errors.ts';
import type { Change } from '../../domain/feed/change.ts';
import { type States, statesOf } from '../../domain/feed/change-states.ts';
import type { Feed } from '../../domain/feed/feed.ts';
import { resyncPoint } from '../../domain/feed/feed-history.ts';
import { everyChange, type Matched, matching, type Selection, type Shown } from '../../domain/feed/selection.ts';
import type { Soon } from '../../domain/soon.ts';
import type { Client } from '../../domain/store/client.ts';
import type { Shares } from '../../threads/limits/shares.ts';
import type { Live } from '../../wire/answer/reply.ts';
import { Listener } from './listener.ts';
import { type RecentEvent, RecentEvents } from './recent-events.ts';
import { type Batch, batchLength, batchOf, encode, eventText, resyncText, welcomeText } from './sse.ts';

const readAtOnce = 500;
/** In time for proxies and clients, which drop a connection that is silent for long. */
const heartbeatMs = 15_000;
/** In milliseconds, after a read of the changes that failed: what has woken it may not come again before the heartbeat. */
const retryMs = 1000;

export class LiveFeed {
  readonly #recent = new RecentEvents();
  /** The listeners, each with its share in `slots`. */
  readonly #listeners = new Map<Listener, number>();
  /** Stops following the store; undefined while there is no listener. */
  #unfollow: (() => void) | undefined;
  #reading = false;
  /** The last read of changes for all listeners. */
  #catchingUp: Promise<void> = Promise.resolve();
  #stale = false;
  #retry: Timer | undefined;
  /** Shared by all listeners at the same position that get the same changes. */
  readonly #batches = new Map<string, Batch>();
  /** Shared by all filters: a record is read once. */
  readonly #states = new Map<Change, States>();
  readonly #reads = new Map<string, Promise<Batch>>();

  constructor(
    readonly feed: Feed,
    /** The data of a change's event. */
    readonly encode: (change: Change, shown?: Shown) => string,
    readonly report: (error: unknown) => void,
    /** Limits the listeners of all threads of the process, per client. */
    readonly slots: Shares<Client>,
  ) {}

  /** Streams the changes after `after`, or from now on. Rejects with `overloaded`. */
  async listen(
    after: number | undefined,
    selection: Selection,
    client: Client,
    stillMay: () => Promise<boolean> = async () => true,
  ): Promise<Live> {
    const slot = this.slots.tryTake(client);
    if (slot === undefined) {
      throw new Failure('overloaded', {
        detail: 'Too many listeners, or too many of this client: close some, retry shortly, or use another instance.',
        retryAfter: 5,
      });
    }
    const history = await this.feed.history().catch((error) => {
      this.slots.giveBack(slot);
      throw error;
    });
    const moved = after === undefined ? undefined : resyncPoint(history, after);
    const position = moved ?? after ?? history.last;
    const first = moved === undefined ? welcomeText(position) : resyncText(position);
    const listener = new Listener(this, selection, stillMay, position, first);
    this.#listeners.set(listener, slot);
    if (this.#unfollow === undefined) this.#follow(history.last);
    return listener;
  }

  leave(listener: Listener): void {
    const slot = this.#listeners.get(listener);
    if (slot === undefined) return;
    this.#listeners.delete(listener);
    this.slots.giveBack(slot);
    if (this.#listeners.size > 0) return;
    this.#unfollow?.();
    this.#unfollow = undefined;
    this.#recent.startAt(this.#recent.to);
  }

  after(position: number, selection: Selection): Soon<Batch> | undefined {
    if (position >= this.#recent.to) return undefined;
    const key = `${position} ${selection.key}`;
    if (position >= this.#recent.from) {
      // Listeners that are woken together share batches and states; these are dropped after that.
      if (this.#batches.size === 0) setImmediate(() => this.#forget());
      return once(this.#batches, key, () => this.#recentBatch(position, selection));
    }
    return once(this.#reads, key, () => {
      const batch = this.#read(position, selection);
      batch.catch(this.report).finally(() => this.#reads.delete(key));
      return batch;
    });
  }

  #follow(last: number): void {
    this.#recent.startAt(last);
    const unwatch = this.feed.watch(() => this.#catchUp());
    const heartbeat = setInterval(() => {
      // Finds changes whose notification was lost.
      this.#catchUp();
      this.#requireSameHistory().catch(this.report);
      for (const listener of this.#listeners.keys()) {
        listener.wake(true);
        listener.check().catch(this.report);
      }
    }, heartbeatMs);
    this.#unfollow = () => {
      unwatch();
      clearInterval(heartbeat);
      clearTimeout(this.#retry);
      this.#retry = undefined;
    };
    this.#catchUp();
  }

  /** A database that has lost its last changes may assign their numbers again, so all listeners are disconnected and resume. */
  async #requireSameHistory(): Promise<void> {
    const shown = this.#recent.to;
    if ((await this.feed.history()).last >= shown) return;
    this.#endAll();
  }

  /** Ends all answers; clients resume by themselves. Resolves when nothing is read for them any more. */
  async end(): Promise<void> {
    this.#endAll();
    await Promise.allSettled([...this.#reads.values(), this.#catchingUp]);
  }

  #endAll(): void {
    for (const listener of this.#listeners.keys()) listener.return();
  }

  /** Reads the changes since the last one in memory. Only one read runs at a time; a call during a read causes another read. */
  #catchUp(): void {
    this.#stale = true;
    if (this.#reading) return;
    this.#reading = true;
    this.#catchingUp = this.#readOn();
  }

  async #readOn(): Promise<void> {
    try {
      while (this.#stale && this.#unfollow !== undefined) {
        this.#stale = false;
        const from = this.#recent.to;
        const { found, more, history, to } = await this.feed.changes(everyChange, from, readAtOnce);
        if (more) this.#stale = true;
        const resyncAt = resyncPoint(history, from);
        // During the read, all listeners may have left, and new ones may have started at another position.
        if (from !== this.#recent.to) this.#stale = true;
        else if (resyncAt === undefined) this.#add(found, to);
        // If the database has lost changes, the next heartbeat handles it.
        else if (resyncAt > from) this.#skipTo(resyncAt);
      }
    } catch (error) {
      this.report(error);
      this.#retrySoon();
    } finally {
      this.#reading = false;
    }
  }

  #retrySoon(): void {
    if (this.#unfollow === undefined) return;
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.#catchUp();
    }, retryMs);
  }

  /** The changes before `position` are trimmed: listeners that have not reached it get a resync. */
  #skipTo(position: number): void {
    this.#recent.startAt(position);
    this.#stale = true;
    this.#wakeAll();
  }

  #add(found: readonly Matched[], to: number): void {
    if (to === this.#recent.to) return;
    this.#recent.add(
      found.map(({ change }) => this.#eventOf(change)),
      to,
    );
    this.#wakeAll();
  }

  #forget(): void {
    this.#batches.clear();
    this.#states.clear();
  }

  #wakeAll(): void {
    this.#forget();
    for (const listener of this.#listeners.keys()) listener.wake(false);
  }

  #recentBatch(position: number, { of, filter }: Selection): Batch {
    const { to } = this.#recent;
    const events = this.#recent.after(position);
    const own = of === undefined ? events : events.filter(({ change }) => change.collection.name === of.name);
    if (filter === undefined) return batchOf(own, to);
    const found = matching(
      own.map(({ change }) => change),
      filter,
      (change) => once(this.#states, change, () => statesOf(change)),
    );
    if ('unknown' in found) return resyncBatch(to);
    // Filters that find the same share its bytes: a record can have a megabyte, and be in the lists of a thousand listeners.
    const same = found.map(({ change, shown }) => `${change.changeNumber}${shownKey(shown)}`).join();
    return once(this.#batches, `found ${to} ${same}`, () => this.#batchOf(found, to));
  }

  async #read(position: number, selection: Selection): Promise<Batch> {
    const { found, unknown, history, to } = await this.feed.changes(selection, position, readAtOnce, batchLength);
    const resyncAt = resyncPoint(history, position);
    if (resyncAt !== undefined) return resyncBatch(resyncAt);
    return unknown === undefined ? this.#batchOf(found, to) : resyncBatch(history.last);
  }

  #batchOf(found: readonly Matched[], end: number): Batch {
    return batchOf(
      found.map(({ change, shown }) => this.#eventOf(change, shown)),
      end,
    );
  }

  #eventOf(change: Change, shown: Shown = {}): RecentEvent {
    const { changeNumber, transaction, type, singular } = change;
    const { part } = shown;
    const text = eventText(changeNumber, `${singular}.${part?.type ?? type}`, this.encode(change, shown));
    // Other changes of the transaction can be those of hidden records.
    return { changeNumber, transaction: part === undefined ? transaction : undefined, change, text };
  }
}

/** The same for changes that are shown alike: callers that see other fields do not share bytes. */
function shownKey({ match, part }: Shown): string {
  return `${match}${part === undefined ? '' : ` ${part.type} ${part.sight.key}`}`;
}

function resyncBatch(position: number): Batch {
  return { bytes: encode(resyncText(position)), to: position };
}

function once<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}
