/** The live change feed: read with fetch, so that keys work, and continued by itself after every loss. */
import type { ChangesOptions } from './api.ts';
import { eventsIn, type ServerEvent } from './events.ts';
import { pause, requireNotAborted } from './send/abort.ts';
import { Attempt } from './send/attempt.ts';
import { ShelfError } from './send/failure.ts';
import { mayRetry, waitBefore } from './send/retry.ts';
import { api, failureOf, type Sender } from './send/sender.ts';
import type { Resync } from './shape.ts';

export type FeedOptions<Change> = ChangesOptions & {
  /** All if absent. */
  readonly collection?: string | undefined;
  /** Filters of the collection, as in a query string; none if absent. */
  readonly filter?: string | undefined;
  /** Reads the JSON of a change. One that cannot be read now comes again. */
  readonly read: (data: string) => Change | Promise<Change>;
  /** Called when something has arrived, and when the connection is lost. */
  readonly onConnection?: (isOpen: boolean) => void;
  /** Milliseconds: a connection without a byte for this long is lost. The server sends something every 15 seconds. */
  readonly silence?: number;
};

/** How far the feed is, and what has come with that. */
export type Move<Change> = {
  /** Everything up to this change has come. */
  readonly position: number;
  readonly item: Change | Resync | undefined;
  /** Whether further ones have arrived with it. */
  readonly more: boolean;
  /** The first one of a connection. */
  readonly isFirst: boolean;
};

/** A feed answers at once, however long other requests may take. */
const connectMs = 30_000;

/** A connection that was lost is made again after about half a second: many clients may have lost theirs at once. */
const firstAttempt = 3;

export async function* feedOf<Change>(
  sender: Sender,
  { onPosition, ...options }: FeedOptions<Change>,
): AsyncGenerator<Change | Resync, void, undefined> {
  let last = options.after;
  for await (const { item, position } of movesOf(sender, options)) {
    if (item !== undefined) yield item;
    // The caller has come back, so it has handled everything up to here.
    if (last !== position) onPosition?.(position);
    last = position;
  }
}

export async function* movesOf<Change>(
  sender: Sender,
  { read, after, onConnection, ...options }: Omit<FeedOptions<Change>, 'onPosition'>,
): AsyncGenerator<Move<Change>, void, undefined> {
  const { signal } = options;
  let last = after === undefined ? undefined : String(after);
  /** The caller knows nothing yet, or not what came before `last`. */
  let isBehind = after === undefined;
  for (let attempt = firstAttempt; ; attempt++) {
    let retryAfter: number | undefined;
    let isFirst = true;
    try {
      for await (const { id, type, data, more } of listen(sender, last, options)) {
        attempt = firstAttempt;
        onConnection?.(true);
        const isResync = isBehind || type === 'resync';
        const change = isResync || data === '' ? undefined : await read(data);
        last = id ?? last;
        isBehind = false;
        const position = Number(last);
        yield { position, item: change ?? (isResync ? { seq: position, type: 'resync' } : undefined), more, isFirst };
        isFirst = false;
      }
      // A server that stops ends its streams, and so does one that found this client too slow.
    } catch (error) {
      if (!(error instanceof ShelfError)) throw error;
      if (error.status === 410) {
        last = undefined;
        isBehind = true;
      } else if (!mayRetry('read', error)) throw error;
      retryAfter = error.retryAfter;
    }
    onConnection?.(false);
    await pause(waitBefore(attempt, retryAfter), signal);
  }
}

/** The events of one connection. It ends with the loop over them. */
async function* listen(
  sender: Sender,
  last: string | undefined,
  { collection, filter, signal, silence = 40_000 }: Omit<FeedOptions<unknown>, 'read'>,
): AsyncGenerator<ServerEvent> {
  requireNotAborted(signal);
  const attempt = new Attempt();
  attempt.begin(Math.min(sender.timeoutOf({}), connectMs), signal);
  try {
    const search = collection === undefined ? '' : `?${searchOfFeed(collection, filter)}`;
    const path = `${api}/events${search}`;
    const headers = last === undefined ? {} : { 'Last-Event-ID': last };
    const response = await sender.fetch({ method: 'GET', path, safety: 'read', headers }, attempt.signal);
    if (!response.ok || response.body === null) throw failureOf(response, await response.text());
    const reader = response.body.getReader();
    yield* eventsIn(async () => {
      attempt.restart(silence);
      const { value } = await reader.read();
      // The caller may take its time for the changes.
      attempt.hold();
      return value;
    });
  } catch (error) {
    throw attempt.failure(error);
  } finally {
    attempt.end();
    attempt.abort();
  }
}

/** `filter` is as in a list. */
export function searchOfFeed(collection: string, filter: string | undefined): string {
  return filter === undefined ? `collection=${collection}` : `collection=${collection}&${filter}`;
}
