/** The live change feed: read with fetch, so that keys work, and continued by itself after every loss. */
import { pause, requireNotAborted } from './abort.ts';
import type { ChangesOptions } from './api.ts';
import { Attempt } from './attempt.ts';
import type { Declarations } from './declarations.ts';
import { eventsIn, type ServerEvent } from './events.ts';
import { ShelfError } from './failure.ts';
import { mayRetry, waitBefore } from './retry.ts';
import { failureOf } from './sender.ts';

type Item = { seq: number; type: string; at?: string; record?: Record<string, unknown> };

/** Milliseconds. The server sends something every 15 seconds. */
const longestSilence = 40_000;

/** A connection that was lost is made again after about half a second: many clients may have lost theirs at once. */
const firstAttempt = 3;

/** `collection` is undefined for all. A connection without a byte for `silence` is lost. */
export async function* follow(
  declarations: Declarations,
  collection: string | undefined,
  { after, signal, onPosition }: ChangesOptions,
  silence = longestSilence,
): AsyncGenerator<Item, void, undefined> {
  let last = after === undefined ? undefined : String(after);
  let position = last;
  /** The caller knows nothing yet, or not what came before `last`. */
  let isBehind = after === undefined;
  for (let attempt = firstAttempt; ; attempt++) {
    let retryAfter: number | undefined;
    try {
      for await (const { id, type, data } of listen(declarations, collection, last, signal, silence)) {
        attempt = firstAttempt;
        const isResync = isBehind || type === 'resync';
        // A change that cannot be read now has to come again.
        const change = isResync || data === '' ? undefined : await decoded(declarations, collection, data, signal);
        last = id ?? last;
        isBehind = false;
        if (change !== undefined) yield change;
        else if (isResync) yield { seq: Number(last), type: 'resync' };
        // The caller has come back, so it has handled everything up to here.
        if (last !== position) onPosition?.(Number(last));
        position = last;
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
    await pause(waitBefore(attempt, retryAfter), signal);
  }
}

/** The events of one connection. It ends with the loop over them. */
async function* listen(
  { sender }: Declarations,
  collection: string | undefined,
  last: string | undefined,
  signal: AbortSignal | undefined,
  silence: number,
): AsyncGenerator<ServerEvent> {
  requireNotAborted(signal);
  const attempt = new Attempt();
  attempt.begin(sender.timeoutOf({}), signal);
  try {
    const path = collection === undefined ? '/events' : `/events?collection=${collection}`;
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

function decoded(
  declarations: Declarations,
  collection: string | undefined,
  data: string,
  signal: AbortSignal | undefined,
): Item | Promise<Item> {
  return declarations.decode(
    data,
    (value, decoder) => {
      const item = value as Item;
      const [singular] = item.type.split('.');
      const name = collection ?? [...decoder.known].find(([, one]) => one.singular === singular)?.[0] ?? '';
      if (item.record !== undefined) decoder.record(name, item.record);
      return item;
    },
    { signal },
  );
}
