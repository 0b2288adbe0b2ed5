/** The searching thread as seen from the one that serves. */
import { Failure } from '../../../domain/errors.ts';
import { Shares } from '../../../domain/shares.ts';
import type { Asker } from '../../../domain/store.ts';
import { startThread } from '../../../threads/start.ts';
import { SupervisedThread } from '../../../threads/supervised.ts';
import type { Search } from './search.ts';
import type { Found, Order, SearchReply, Setup } from './thread.ts';

/** Beyond this a question is refused at once: it would only be kept waiting. */
const maxWaiting = 1000;
/** What the server itself wants to know, as for the live feed. */
const itself: Asker = { client: 'shelf', signal: undefined };

type Waiting = PromiseWithResolvers<Found> & { readonly done: () => void };

export type QueriesOptions = {
  readonly filename: string;
  readonly opened: Setup['opened'];
  readonly walBytes: number;
  /** For one search, from when it is asked for. */
  readonly searchMs: number;
  /** Called when searches work again after the thread had ended. */
  onReturn(): void;
};

export class RemoteQueries {
  readonly #waiting = new Map<number, Waiting>();
  readonly #places = new Shares<Asker>(maxWaiting, ({ client }) => client);
  readonly #thread: SupervisedThread<SearchReply | null>;
  #asked = 0;

  constructor(readonly options: QueriesOptions) {
    this.#thread = new SupervisedThread<SearchReply | null>({
      name: 'the searching thread',
      start: () => startThread('storage/sqlite/search/thread'),
      setup: { filename: options.filename, opened: options.opened, walBytes: options.walBytes } satisfies Setup,
      signal: null,
      onMessage: (reply) => reply !== null && this.#settle(reply),
      onEnd: (cause) => {
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

  /** Rejects with the reason of the signal when the client has left, and with `timed_out` when the time is up. */
  ask(search: Search, asker: Asker = itself): Promise<Found> {
    const { client, signal } = asker;
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (!this.#places.hasRoom(asker)) {
      const busy = new Failure('overloaded');
      return Promise.reject(busy);
    }
    const number = this.#asked++;
    try {
      this.#thread.post({ number, client, search, timeoutMs: this.options.searchMs } satisfies Order);
    } catch (cause) {
      return Promise.reject(notReady(cause));
    }
    const place = this.#places.take(asker);
    const leave = () => {
      this.#take(number)?.reject(signal?.reason);
      try {
        this.#thread.post({ cancel: number } satisfies Order);
      } catch {
        // The thread is gone, and the search with it.
      }
    };
    signal?.addEventListener('abort', leave);
    const done = () => {
      signal?.removeEventListener('abort', leave);
      this.#places.giveBack(place);
    };
    const answer = { ...Promise.withResolvers<Found>(), done };
    this.#waiting.set(number, answer);
    return answer.promise;
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
    const answer = this.#take(reply.number);
    if ('rows' in reply) answer?.resolve(reply);
    else if ('timedOut' in reply) answer?.reject(timedOut());
    else answer?.reject(Object.assign(new Error(reply.error), { code: reply.code }));
  }

  #take(number: number): Waiting | undefined {
    const answer = this.#waiting.get(number);
    this.#waiting.delete(number);
    answer?.done();
    return answer;
  }
}

function timedOut(): Failure {
  return new Failure('timed_out');
}

function notReady(cause: unknown): Failure {
  return new Failure('not_ready', { cause });
}
