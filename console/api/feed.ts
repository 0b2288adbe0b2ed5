/** Follows the live feed: resumes after the last change it has seen, and rests while nobody looks. */
import { eventsOf } from './events.ts';
import { type JsonText, members } from './json.ts';
import { Problem } from './problem.ts';
import { open } from './request.ts';

export type Change = {
  readonly seq: string;
  /** Such as `book.created`. */
  readonly type: string;
  readonly at: string;
  /** The name of the key that made it; null without authentication. */
  readonly by: string | null;
  readonly record: ReadonlyMap<string, JsonText>;
};

/** `paused`: the page is hidden. `lost`: the connection is, and is tried again. `refused`: it is not. */
export type FeedState = 'connecting' | 'live' | 'paused' | 'lost' | 'refused';

export type Follower = {
  readonly collection?: string;
  /** Changes after this one; from now on if absent. */
  readonly after?: string;
  /** The feed begins now: what was read before this may lack the latest changes. A feed that resumes does not begin. */
  onStart?(): void;
  onChange(change: Change): void;
  /** Changes were missed that the server no longer has: read the lists again. */
  onResync(): void;
  onState(state: FeedState): void;
};

/** Browsers open six connections to a server, for all tabs together: a hidden tab gives its own back. */
const restAfterMs = 10_000;
/** The server sends something every 15 seconds. */
const silenceMs = 40_000;
const retryMs = { first: 1000, most: 15_000 };

export function changeOf(text: JsonText): Change {
  const change = members(text);
  const string = (name: string) => JSON.parse(change.get(name) ?? 'null');
  return {
    seq: change.get('seq') ?? '',
    type: string('type'),
    at: string('at'),
    by: string('by'),
    record: members(change.get('record') ?? '{}'),
  };
}

/** Returns a function that ends it. */
export function follow(follower: Follower): () => void {
  let position = follower.after;
  let connection = new AbortController();
  let ended = false;
  let isOpen = false;
  let wait = retryMs.first;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  function heard(): void {
    clearTimeout(silence);
    silence = setTimeout(() => connection.abort(), silenceMs);
  }

  async function listen(signal: AbortSignal): Promise<void> {
    const query = new URLSearchParams();
    if (follower.collection !== undefined) query.set('collection', follower.collection);
    if (position !== undefined) query.set('after', position);
    heard();
    const { body } = await open({ path: `/api/v2/events?${query}`, signal });
    if (body === null) return;
    for await (const { id, event, data } of eventsOf(body)) {
      if (signal.aborted) return;
      heard();
      const isStart = position === undefined;
      position = id;
      isOpen = true;
      wait = retryMs.first;
      follower.onState('live');
      if (isStart) follower.onStart?.();
      if (event === 'resync') follower.onResync();
      else if (data !== '') follower.onChange(changeOf(data));
    }
  }

  async function connect(): Promise<void> {
    clearTimeout(timer);
    connection.abort();
    const own = new AbortController();
    connection = own;
    follower.onState('connecting');
    try {
      await listen(own.signal);
    } catch (error) {
      if (error instanceof Problem && (error.status === 401 || error.status === 403)) {
        clearTimeout(silence);
        follower.onState('refused');
        return;
      }
    }
    // A later connection, the end, or a rest has taken over.
    if (ended || own !== connection) return;
    isOpen = false;
    if (document.hidden) return;
    follower.onState('lost');
    timer = setTimeout(connect, wait);
    wait = Math.min(wait * 2, retryMs.most);
  }

  function rest(): void {
    clearTimeout(silence);
    connection.abort();
    follower.onState('paused');
  }

  function onVisibility(): void {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(rest, restAfterMs);
    else if (!isOpen || connection.signal.aborted) connect();
  }

  // An open connection does not notice that the network is gone.
  const onOffline = () => connection.abort();
  document.addEventListener('visibilitychange', onVisibility);
  window.addEventListener('offline', onOffline);
  window.addEventListener('online', connect);
  connect();
  return () => {
    ended = true;
    clearTimeout(timer);
    clearTimeout(silence);
    connection.abort();
    document.removeEventListener('visibilitychange', onVisibility);
    window.removeEventListener('offline', onOffline);
    window.removeEventListener('online', connect);
  };
}
