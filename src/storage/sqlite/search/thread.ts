/** The thread that searches, so that nobody who asks for one record waits behind a search of a million. */
import type { Database } from 'bun:sqlite';
import { giveWay } from '../../../threads/give-way.ts';
import { connect } from '../connection.ts';
import { type Identity, requireSame, watchFiles } from '../file/watch.ts';
import { lastChangeIn } from '../sql.ts';
import { type Rows, type Search, searchIn } from './search.ts';
import { type Asked, SearchTurns } from './turns.ts';

declare const self: Worker;

/** With a log of more than `walBytes`, long searches leave gaps. */
export type Setup = { readonly filename: string; readonly opened: Identity; readonly walBytes: number };

export type Question = {
  readonly number: number;
  /** Who asks: clients take turns. */
  readonly client: string;
  readonly search: Search;
  /** In milliseconds from now on. */
  readonly timeoutMs: number;
};
export type Order = Question | { readonly cancel: number };
/** `lastChange` is the last one that the rows include. */
export type Found = Rows & { readonly lastChange: number };
/** `code` is SQLite's, where it was SQLite that failed. */
export type SearchReply = { readonly number: number } & (
  | Found
  | { readonly error: string; readonly code?: string }
  | { readonly timedOut: true }
);

const long = { most: 3, perClient: 2 };
/** In memory a reader keeps the writer waiting, so there is one at a time. */
const longInMemory = { most: 1, perClient: 1 };

/** In milliseconds: when it is looked again whether one of those that wait may go on. */
const idleMs = 10;

giveWay();

/** In one snapshot with the number of its last change. */
function* inSnapshot(db: Database, search: Search): Generator<undefined, Found> {
  db.run('begin');
  try {
    const rows = yield* searchIn(db, search);
    return { ...rows, lastChange: lastChangeIn(db) };
  } finally {
    db.run('rollback');
  }
}

/** First the set-up, answered with null; then orders; null is the last. */
self.onmessage = ({ data }: MessageEvent<Setup>) => {
  const { filename, opened } = data;
  requireSame(filename, opened);
  const look = watchFiles(filename, opened);
  const inMemory = filename.startsWith('file:');
  const { most, perClient } = inMemory ? longInMemory : long;
  const connections = Array.from({ length: inMemory ? 1 : most + 1 }, () => connect(filename));
  const tell = (reply: SearchReply) => self.postMessage(reply);
  const turns = new SearchTurns<Asked & { readonly search: Search }, Database, Found>({
    connections,
    mostLong: most,
    longPerClient: perClient,
    now: () => performance.now(),
    isLogLarge: () => look().walBytes > data.walBytes,
    search: (db, { search }) => inSnapshot(db, search),
    found: ({ number }, found) => tell({ number, ...found }),
    timedOut: ({ number }) => tell({ number, timedOut: true }),
    failed: ({ number }, error) => {
      const { code } = error as { code?: string };
      tell({ number, error: String(error), ...(code === undefined ? {} : { code }) });
    },
  });
  let isComing = false;
  let hasWork = true;

  /** Orders that have arrived meanwhile are read between two turns. */
  function comeAgain(): void {
    if (isComing || turns.isIdle) return;
    isComing = true;
    const next = () => {
      isComing = false;
      hasWork = turns.turn();
      comeAgain();
    };
    if (hasWork) setImmediate(next);
    else setTimeout(next, idleMs);
  }

  function follow(order: Order): void {
    if ('cancel' in order) turns.cancel(({ number }) => number === order.cancel);
    else turns.add({ ...order, deadline: performance.now() + order.timeoutMs });
    comeAgain();
  }

  function close(): void {
    turns.cancel(() => true);
    for (const db of connections) db.close(true);
    self.postMessage(null);
  }

  self.onmessage = ({ data: order }: MessageEvent<Order | null>) => (order === null ? close() : follow(order));
  self.postMessage(null);
};
