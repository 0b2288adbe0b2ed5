/** The searching thread: it keeps long searches off the serving thread. */

import type { Database } from 'bun:sqlite';
import { Failure } from '../../../domain/errors.ts';
import type { Client } from '../../../domain/store/client.ts';
import { LongWork, type LongWorkMemory } from '../../../threads/long-work.ts';
import { lowerPriority } from '../../../threads/lower-priority.ts';
import { type Thrown, thrownBy } from '../../../threads/thrown.ts';
import { type Identity, requireSame, watchFiles } from '../file/watch.ts';
import { connect } from '../statements/connection.ts';
import { type Asked, SearchSchedule } from './schedule.ts';
import { type Rows, type Search, searchIn } from './search.ts';
import { type InSnapshot, inSnapshot, KeptSnapshots } from './snapshot.ts';
import { type SummarySearch, type SummaryText, summaryIn } from './summary.ts';
import { withWordSets } from './word-sets.ts';

declare const self: Worker;

/** While the WAL is larger than `walBytes`, long searches leave gaps. */
export type Setup = {
  readonly filename: string;
  readonly opened: Identity;
  readonly walBytes: number;
  readonly longWork: LongWorkMemory;
};

export type Question = {
  readonly number: number;
  /** Searches of different clients take turns. */
  readonly client: Client;
  readonly search: AnySearch;
  /** In milliseconds, from when the thread receives it. */
  readonly timeoutMs: number;
  readonly snapshot?: InSnapshot | undefined;
};
/** For rows, or for a summary. */
export type AnySearch = Search | SummarySearch;
export type SearchMessage = Question | { readonly cancel: number } | { readonly release: number };
/** `lastChange` is the last change that the result includes. */
export type SearchResult = Rows & { readonly lastChange: number };
export type SummaryResult = SummaryText & { readonly lastChange: number };
/** `code` is SQLite's error code, if SQLite failed. */
export type SearchReply = { readonly number: number } & (
  | SearchResult
  | SummaryResult
  | { readonly error: string; readonly code?: string }
  | { readonly refused: Thrown }
  | { readonly timedOut: true }
);

/** Limits on long searches at once. */
const long = { most: 3, perClient: 2 };
/** In memory a reader blocks the writer, so there is one at a time. */
const longInMemory = { most: 1, perClient: 1 };

/** In milliseconds: the delay before the next turn if no waiting search may run yet. */
const idleMs = 10;

lowerPriority();

/** Runs each slice as long work, which takes turns with the other threads that search and parse. */
function* inTurns<Found>(work: LongWork, slices: Generator<unknown, Found>): Generator<unknown, Found> {
  try {
    for (;;) {
      const { done, value } = work.run(() => slices.next());
      if (done) return value;
      yield;
    }
  } finally {
    slices.return(undefined as never);
  }
}

function slicesOf(db: Database, search: AnySearch): Generator<unknown, Rows | SummaryText> {
  return withWordSets<unknown, Rows | SummaryText>(db, search.sets, () =>
    'finish' in search ? summaryIn(db, search) : searchIn(db, search),
  );
}

/** Messages: the set-up, answered with null; then orders; null closes the thread, and is answered with null. */
self.onmessage = ({ data }: MessageEvent<Setup>) => {
  const { filename, opened, longWork } = data;
  requireSame(filename, opened);
  const look = watchFiles(filename, opened);
  const inMemory = filename.startsWith('file:');
  const { most, perClient } = inMemory ? longInMemory : long;
  const connections = Array.from({ length: inMemory ? 1 : most + 1 }, () => connect(filename));
  const work = new LongWork(longWork);
  const kept = new KeptSnapshots(() => connect(filename));
  const send = (reply: SearchReply) => self.postMessage(reply);
  const turns = new SearchSchedule<
    Asked & Pick<Question, 'search' | 'snapshot'>,
    Database,
    SearchResult | SummaryResult
  >({
    connections,
    mostLong: most,
    longPerClient: perClient,
    now: () => performance.now(),
    isLogLarge: () => look().walBytes > data.walBytes,
    search: (own, { search, snapshot }) => {
      const slices = (db: Database) => slicesOf(db, search);
      return inTurns(work, snapshot === undefined ? inSnapshot(own, slices(own)) : kept.search(snapshot, slices));
    },
    found: ({ number }, found) => send({ number, ...found }),
    timedOut: ({ number }) => send({ number, timedOut: true }),
    failed: ({ number }, error) => {
      if (error instanceof Failure) return send({ number, refused: thrownBy(error) });
      const { code } = error as { code?: string };
      send({ number, error: String(error), ...(code === undefined ? {} : { code }) });
    },
  });
  let isScheduled = false;
  let hasWork = true;

  /** Returns to the event loop between two turns, so that new orders are received. */
  function schedule(): void {
    work.setBusy(!turns.isIdle);
    if (isScheduled || turns.isIdle) return;
    isScheduled = true;
    const next = () => {
      isScheduled = false;
      hasWork = turns.turn();
      schedule();
    };
    if (hasWork) setImmediate(next);
    else setTimeout(next, idleMs);
  }

  function handle(order: SearchMessage): void {
    if ('cancel' in order) turns.cancel(({ number }) => number === order.cancel);
    else if ('release' in order) {
      turns.cancel(({ snapshot }) => snapshot?.number === order.release);
      kept.release(order.release);
    } else turns.add({ ...order, deadline: performance.now() + order.timeoutMs });
    schedule();
  }

  function close(): void {
    turns.cancel(() => true);
    kept.close();
    for (const db of connections) db.close(true);
    self.postMessage(null);
  }

  self.onmessage = ({ data: order }: MessageEvent<SearchMessage | null>) => (order === null ? close() : handle(order));
  self.postMessage(null);
};
