/** The searching thread as seen from the one that serves. */
import { Failure } from '../../domain/errors.ts';
import { startThread } from '../../threads/start.ts';
import { SupervisedThread } from '../../threads/supervised.ts';
import { bytesAtOnce } from '../bounds.ts';
import type { Bindings, Found, Question, Reply, Setup } from './query-thread.ts';

/** Beyond this a question is refused at once: it would only be kept waiting. */
const maxWaiting = 1000;

export class RemoteQueries {
  readonly #waiting = new Map<number, PromiseWithResolvers<Found>>();
  readonly #thread: SupervisedThread<Reply | null>;
  #asked = 0;

  /** `onReturn` is called when searches work again after the thread had ended. */
  constructor({ filename, opened }: Setup, onReturn: () => void) {
    this.#thread = new SupervisedThread<Reply | null>({
      name: 'the searching thread',
      start: () => startThread('storage/sqlite/query-thread'),
      setup: { filename, opened } satisfies Setup,
      signal: null,
      onMessage: (reply) => reply !== null && this.#settle(reply),
      onEnd: (cause) => {
        for (const answer of this.#waiting.values()) answer.reject(notReady(cause));
        this.#waiting.clear();
      },
      onReturn,
    });
  }

  /** Rejects when the thread cannot start. */
  get ready(): Promise<void> {
    return this.#thread.ready;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Not all of the rows where they are large, but one at least. */
  ask(sql: string, parameters: Bindings, bytes = bytesAtOnce): Promise<Found> {
    if (this.#waiting.size >= maxWaiting) {
      const busy = new Failure('overloaded', undefined, { headers: { 'Retry-After': '1' } });
      return Promise.reject(busy);
    }
    const number = this.#asked++;
    try {
      this.#thread.post({ number, sql, parameters, bytes } satisfies Question);
    } catch (cause) {
      return Promise.reject(notReady(cause));
    }
    const answer = Promise.withResolvers<Found>();
    this.#waiting.set(number, answer);
    return answer.promise;
  }

  /** Throws unless the thread is ready. */
  check(): void {
    this.#thread.check();
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  #settle(reply: Reply): void {
    const answer = this.#waiting.get(reply.number);
    this.#waiting.delete(reply.number);
    if ('rows' in reply) answer?.resolve(reply);
    else answer?.reject(Object.assign(new Error(reply.error), { code: reply.code }));
  }
}

function notReady(cause: unknown): Failure {
  return new Failure('not_ready', undefined, { cause, headers: { 'Retry-After': '1' } });
}
