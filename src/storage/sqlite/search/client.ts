/** The serving thread's client of the searching thread. */
import { Failure } from '../../../domain/errors.ts';
import type { Requester } from '../../../domain/store/client.ts';
import { Shares } from '../../../threads/limits/shares.ts';
import { longWorkFor } from '../../../threads/long-work.ts';
import { startThread } from '../../../threads/start.ts';
import { SupervisedThread } from '../../../threads/supervised.ts';
import { errorOf } from '../../../threads/thrown.ts';
import type { Search } from './search.ts';
import type { InSnapshot } from './snapshot.ts';
import type { SummarySearch } from './summary.ts';
import type { AnySearch, SearchMessage, SearchReply, SearchResult, Setup, SummaryResult } from './thread.ts';

/** Searches in flight. Beyond this a search is refused at once with `overloaded`, because it would wait too long. */
const maxWaiting = 1000;
/** For reads by the server itself, such as those of the live feed. */
const server: Requester = { client: 'shelf', signal: undefined };

type Pending = PromiseWithResolvers<SearchResult | SummaryResult> & { readonly release: () => void };

export type SearchClientOptions = {
  readonly filename: string;
  readonly opened: Setup['opened'];
  readonly walBytes: number;
  /** The time limit of one search in milliseconds, from when the thread receives it. */
  readonly searchMs: number;
  /** Shared with the other threads that search and parse. */
  readonly longWork?: SharedArrayBuffer | undefined;
  /** Starts the thread with the first search. */
  readonly searchWhenNeeded?: boolean | undefined;
  /** Called when searches work again after the thread had ended. */
  onReturn(): void;
};

export class SearchClient {
  readonly #waiting = new Map<number, Pending>();
  readonly #shares = new Shares<Requester>(maxWaiting, ({ client }) => client);
  readonly #thread: SupervisedThread<SearchReply | null>;
  #nextNumber = 0;

  constructor(readonly options: SearchClientOptions) {
    const { filename, opened, walBytes } = options;
    // In memory, a search that waits would keep the writer waiting, and the writer other searches.
    const work = longWorkFor(filename.startsWith('file:') ? undefined : options.longWork);
    this.#thread = new SupervisedThread<SearchReply | null>({
      name: 'the searching thread',
      start: () => startThread('storage/sqlite/search/thread'),
      whenNeeded: options.searchWhenNeeded,
      setup: (): Setup => ({ filename, opened, walBytes, longWork: work.memory }),
      signal: null,
      onMessage: (reply) => reply !== null && this.#settle(reply),
      onEnd: (cause) => {
        work.leave();
        for (const number of [...this.#waiting.keys()]) this.#take(number)?.reject(notReady(cause));
      },
      onReturn: () => options.onReturn(),
    });
  }

  /** Rejects when the thread cannot start. */
  get ready(): Promise<void> {
    return this.#thread.ready;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Rejects with the signal's reason when the client has disconnected, with `timed_out` after `searchMs`, with
   * `overloaded` at the limit, and with `not_ready` while the thread is down.
   */
  ask(search: Search, requester?: Requester, snapshot?: InSnapshot): Promise<SearchResult> {
    return this.#ask(search, requester, snapshot) as Promise<SearchResult>;
  }

  /** Rejects like `ask`, and with `invalid_query` beyond the bounds of a summary. */
  summary(search: SummarySearch, requester?: Requester): Promise<SummaryResult> {
    return this.#ask(search, requester, undefined) as Promise<SummaryResult>;
  }

  /** The thread answers a search with what it looks for. */
  #ask(
    search: AnySearch,
    requester: Requester = server,
    snapshot: InSnapshot | undefined,
  ): Promise<SearchResult | SummaryResult> {
    const { client, signal } = requester;
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (!this.#shares.hasRoom(requester)) {
      const busy = new Failure('overloaded');
      return Promise.reject(busy);
    }
    const number = this.#nextNumber++;
    try {
      this.#thread.post({ number, client, search, timeoutMs: this.options.searchMs, snapshot } satisfies SearchMessage);
    } catch (cause) {
      return Promise.reject(notReady(cause));
    }
    const share = this.#shares.take(requester);
    const cancel = () => {
      this.#take(number)?.reject(signal?.reason);
      try {
        this.#thread.post({ cancel: number } satisfies SearchMessage);
      } catch {
        // The thread is gone, and the search with it.
      }
    };
    signal?.addEventListener('abort', cancel);
    const release = () => {
      signal?.removeEventListener('abort', cancel);
      this.#shares.giveBack(share);
    };
    const pending = { ...Promise.withResolvers<SearchResult | SummaryResult>(), release };
    this.#waiting.set(number, pending);
    return pending.promise;
  }

  /** The number of a new snapshot. */
  newSnapshot(): number {
    return this.#nextNumber++;
  }

  /** Ends a snapshot that searches have read. */
  release(snapshot: number): void {
    try {
      this.#thread.post({ release: snapshot } satisfies SearchMessage);
    } catch {
      // The thread is gone, and its snapshots with it.
    }
  }

  /** Throws unless the thread is ready. */
  check(): void {
    this.#thread.check();
  }

  async close(): Promise<void> {
    await this.#thread.close();
    for (const number of [...this.#waiting.keys()]) this.#take(number)?.reject(notReady(new Error('closed')));
  }

  #settle(reply: SearchReply): void {
    const pending = this.#take(reply.number);
    if ('lastChange' in reply) pending?.resolve(reply);
    else if ('timedOut' in reply) pending?.reject(timedOut());
    else if ('refused' in reply) pending?.reject(errorOf(reply.refused));
    else pending?.reject(Object.assign(new Error(reply.error), { code: reply.code }));
  }

  #take(number: number): Pending | undefined {
    const pending = this.#waiting.get(number);
    this.#waiting.delete(number);
    pending?.release();
    return pending;
  }
}

function timedOut(): Failure {
  return new Failure('timed_out');
}

function notReady(cause: unknown): Failure {
  return new Failure('not_ready', { cause });
}
