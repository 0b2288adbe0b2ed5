/** Follows the live feed with the client, and rests while nobody looks. */

import { type FeedOptions, feedOf } from '../../src/client/feed.ts';
import { ShelfError } from '../../src/client/send/failure.ts';
import type { JsonText } from '../../src/exact/json-text.ts';
import { clientOfTab, tokenOfPage } from './client.ts';
import { members } from './json.ts';
import { isRenewed, noticed } from './request.ts';

export type Change = {
  readonly seq: string;
  /** Such as `book.created`. */
  readonly type: string;
  readonly at: string;
  /** The name of the key that made it; null without authentication. */
  readonly by: string | null;
  /** Of the request that made it; undefined if it had none. */
  readonly traceId?: string | undefined;
  readonly record: ReadonlyMap<string, JsonText>;
  /** Of an update, what it changed, as it was before; undefined if the server did not store it then. */
  readonly before: ReadonlyMap<string, JsonText> | undefined;
  /** What it does to the list of a filtered feed; undefined in another feed. */
  readonly match: 'entered' | 'stayed' | 'left' | undefined;
};

/** `paused`: the page is hidden. `lost`: the connection is, and is tried again. `refused`: it is not. */
export type FeedState = 'connecting' | 'live' | 'paused' | 'lost' | 'refused';

export type Follower = {
  /** All if absent. */
  readonly collection?: string | undefined;
  /** Filters of the collection without paths, as in a query string. */
  readonly filter?: string | undefined;
  onChange(change: Change): void;
  /** Read the lists again: the feed starts now, or changes were missed that the server no longer has. */
  onResync(isStart: boolean): void;
  onState(state: FeedState): void;
};

/** Browsers open six connections to a server, for all tabs together: a hidden tab gives its own back. */
const restAfterMs = 10_000;
/** After an answer that the client does not retry, such as the page of a proxy. */
const retryMs = 15_000;

export function changeOf(text: JsonText): Change {
  const change = members(text);
  const before = change.get('before');
  const string = (name: string) => JSON.parse(change.get(name) ?? 'null');
  return {
    seq: change.get('seq') ?? '',
    type: string('type'),
    at: string('at'),
    by: string('by'),
    traceId: string('trace_id') ?? undefined,
    record: members(change.get('record') ?? '{}'),
    before: before === undefined ? undefined : members(before),
    match: string('match') ?? undefined,
  };
}

/** The items of the client's feed, with every digit. It goes on when a token has expired and there is another one. */
export async function* changesOf({ after, onPosition, ...options }: Omit<FeedOptions<Change>, 'read'>) {
  let last = after;
  function keep(position: number): void {
    last = position;
    onPosition?.(position);
  }
  for (;;) {
    const token = tokenOfPage.get();
    try {
      yield* feedOf(clientOfTab(), { ...options, after: last, onPosition: keep, read: changeOf });
      return;
    } catch (error) {
      if (!(await isRenewed(error, token, false))) throw noticed(error);
    }
  }
}

/** Returns a function that ends it. */
export function follow(follower: Follower): () => void {
  const { collection, filter } = follower;
  let after: number | undefined;
  let connection = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function listen(signal: AbortSignal): Promise<void> {
    const onPosition = (position: number) => {
      after = position;
    };
    const onConnection = (isOpen: boolean) => {
      if (signal.aborted) return;
      if (!isOpen && document.hidden) rest();
      else follower.onState(isOpen ? 'live' : 'lost');
    };
    for await (const item of changesOf({ collection, filter, after, signal, onPosition, onConnection })) {
      if (signal.aborted) return;
      if ('record' in item) follower.onChange(item);
      else follower.onResync(after === undefined);
    }
  }

  function connect(): void {
    clearTimeout(timer);
    connection.abort();
    const own = new AbortController();
    connection = own;
    follower.onState('connecting');
    listen(own.signal).catch((error) => {
      // A later connection, the end, or a rest has taken over.
      if (own.signal.aborted) return;
      own.abort();
      const isRefused = error instanceof ShelfError && (error.status === 401 || error.status === 403);
      follower.onState(isRefused ? 'refused' : 'lost');
      if (!isRefused && !document.hidden) timer = setTimeout(connect, retryMs);
    });
  }

  function rest(): void {
    connection.abort();
    follower.onState('paused');
  }

  function onVisibility(): void {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(rest, restAfterMs);
    else if (connection.signal.aborted) connect();
  }

  // An open connection does not notice that the network is gone.
  const onOffline = () => (document.hidden ? rest() : connect());
  const onOnline = () => (document.hidden ? undefined : connect());
  document.addEventListener('visibilitychange', onVisibility);
  window.addEventListener('offline', onOffline);
  window.addEventListener('online', onOnline);
  connect();
  return () => {
    clearTimeout(timer);
    connection.abort();
    document.removeEventListener('visibilitychange', onVisibility);
    window.removeEventListener('offline', onOffline);
    window.removeEventListener('online', onOnline);
  };
}
