/**
 * The changes of one record, the latest first. The feed is read forward, so it is searched backward in windows of change
 * numbers, which grow where they find little.
 */
import type { Change } from '../../api/feed.ts';

/** A page of the feed, in order. */
export type FeedPage = { readonly changes: readonly Change[]; readonly last: number };
/** Changes before this one are no longer kept. */
export type Trimmed = { readonly startsAfter: number };

export type FeedSource = {
  /** The number of the latest change. */
  latest(signal: AbortSignal): Promise<number>;
  read(after: number, signal: AbortSignal): Promise<FeedPage | Trimmed>;
};

const firstWindow = 1000;
const widest = 1_000_000_000;
/** Fewer changes in a window make the next one wider. */
const few = 200;
/** Windows that are searched before a person is asked to go on. */
const atOnce = 12;

export class HistorySearch {
  readonly changes: Change[] = [];
  /** Nothing older is kept, or the record began here. */
  isComplete = false;
  /** All changes up to this one are still to be searched; undefined before the first search. */
  #before: number | undefined;
  #window = firstWindow;
  /** The feed starts behind this change. */
  #start = 0;

  constructor(
    readonly source: FeedSource,
    readonly id: string,
  ) {}

  /** Goes further back, by some windows. */
  async continue(signal: AbortSignal): Promise<void> {
    this.#before ??= await this.source.latest(signal);
    for (let round = 0; round < atOnce && !this.isComplete; round++) {
      const after = Math.max(this.#start, this.#before - this.#window);
      const found = await this.#read(after, this.#before, signal);
      if (found === undefined) continue;
      this.changes.push(...found.own.reverse());
      this.#before = after;
      if (found.seen < few) this.#window = Math.min(this.#window * 4, widest);
      this.isComplete = after <= this.#start || this.changes.at(-1)?.type.endsWith('.created') === true;
    }
  }

  /** The changes of the record in a window; undefined if the window begins before the feed does. */
  async #read(after: number, upTo: number, signal: AbortSignal): Promise<{ own: Change[]; seen: number } | undefined> {
    const own: Change[] = [];
    let seen = 0;
    let position = after;
    while (position < upTo) {
      const page = await this.source.read(position, signal);
      if ('startsAfter' in page) {
        this.#start = page.startsAfter;
        return undefined;
      }
      const within = page.changes.filter(({ seq }) => Number(seq) <= upTo);
      own.push(...within.filter(({ record }) => record.get('id') === this.id));
      seen += within.length;
      if (within.length < page.changes.length || page.changes.length === 0) break;
      position = page.last;
    }
    return { own, seen };
  }
}
