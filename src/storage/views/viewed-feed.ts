/** The feed of an engine, for followers: each gets the changes that its selection shows. */
import type { Changes } from '../../domain/feed/change.ts';
import type { Feed } from '../../domain/feed/feed.ts';
import type { History } from '../../domain/feed/feed-history.ts';
import {
  type ChangeView,
  type Followed,
  type Matched,
  matching,
  matchingPage,
  type Selection,
  type Unknown,
} from '../../domain/feed/selection.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Requester } from '../../domain/store/client.ts';
import { bytesAtOnce } from '../bytes-at-once.ts';
import type { EngineFeed } from '../engine-feed.ts';

/** A filter looks at as many changes at a time, however few are asked for. */
const lookedAt = 1000;
/** In milliseconds: for how long changes that are not shown are passed over. */
const patience = 2000;

export class ViewedFeed implements Feed {
  /** After a restart, listeners of many filters are behind at the same positions. */
  readonly #reads = new Map<string, Promise<Changes>>();

  constructor(readonly engine: EngineFeed) {}

  history() {
    return this.engine.history();
  }

  watch(wake: () => void) {
    return this.engine.watch(wake);
  }

  trim(keptMs: number) {
    return this.engine.trim(keptMs);
  }

  async changes(
    selection: Selection,
    after: number,
    limit: number,
    bytes = bytesAtOnce,
    requester?: Requester,
  ): Promise<Followed> {
    const { of, filter, isPart } = selection;
    if (filter === undefined) {
      const { changes, ...read } = await this.#read(after, limit, of, bytes, requester);
      return { ...read, found: changes.map((change) => ({ change, shown: {} })) };
    }
    if (isPart) return this.#part(selection, filter, after, limit, bytes, requester);
    const read = await this.#read(after, lookedAt, of, bytes, requester);
    const page = matchingPage(read, filter, limit);
    return 'unknown' in page ? unjudged(page, read.history) : { ...page, history: read.history };
  }

  /** Shared by reads of the same changes that run at the same time. A request reads alone: it may be given up. */
  #read(after: number, limit: number, of: Collection | undefined, bytes: number, requester: Requester | undefined) {
    if (requester !== undefined) return this.engine.changes(after, limit, of, bytes, requester);
    const key = `${after} ${limit} ${bytes} ${of?.name ?? ''}`;
    const running = this.#reads.get(key);
    if (running !== undefined) return running;
    const reading = this.engine.changes(after, limit, of, bytes).finally(() => this.#reads.delete(key));
    this.#reads.set(key, reading);
    return reading;
  }

  /** How many changes are hidden, and how large they are, must not decide where a page ends. */
  async #part(
    { of }: Selection,
    filter: ChangeView,
    after: number,
    limit: number,
    bytes: number,
    requester?: Requester,
  ): Promise<Followed> {
    const until = performance.now() + patience;
    const found: Matched[] = [];
    for (let from = after; ; ) {
      const { changes, more, to, history } = await this.#read(from, lookedAt, of, bytes, requester);
      const some = matching(changes, filter);
      if ('unknown' in some) return unjudged(some, history);
      found.push(...some);
      const end = endOf(found, limit, bytes);
      // One change after these shows that there are more.
      if (end < found.length) return cut(found, end, history);
      if (!more || performance.now() > until) return { found, to, more, isPartial: false, history };
      from = to;
    }
  }
}

function unjudged(unknown: Unknown, history: History): Followed {
  return { ...unknown, found: [], to: history.last, more: false, isPartial: false, history };
}

/** How many of these are a page. */
function endOf(found: readonly Matched[], limit: number, bytes: number): number {
  let size = 0;
  const large = found.findIndex(({ change }) => {
    size += change.record.json.length;
    return size > bytes;
  });
  return Math.min(limit, large < 0 ? found.length : large + 1);
}

function cut(found: readonly Matched[], end: number, history: History): Followed {
  const kept = found.slice(0, end);
  return { found: kept, to: kept.at(-1)?.change.changeNumber ?? 0, more: true, isPartial: false, history };
}
