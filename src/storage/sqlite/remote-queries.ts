/** The reading thread as seen from the one that serves; started by the first question. */

import { Failure } from '../../domain/errors.ts';
import { startThread } from '../../threads/start.ts';
import { bytesAtOnce } from '../bounds.ts';
import type { Bindings, Found, Question, Reply } from './query-thread.ts';

/** Beyond this a question is refused at once: it would only be kept waiting. */
const maxWaiting = 1000;

export class RemoteQueries {
  readonly #waiting = new Map<number, PromiseWithResolvers<Found>>();
  #worker: Worker | undefined;
  #closed = Promise.withResolvers<void>();
  #asked = 0;

  constructor(readonly filename: string) {}

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Not all of the rows where they are large, but one at least. */
  ask(sql: string, parameters: Bindings, bytes = bytesAtOnce): Promise<Found> {
    if (this.#waiting.size >= maxWaiting) {
      const busy = new Failure('overloaded', undefined, { headers: { 'Retry-After': '1' } });
      return Promise.reject(busy);
    }
    this.#worker ??= this.#start();
    const number = this.#asked++;
    const answer = Promise.withResolvers<Found>();
    this.#waiting.set(number, answer);
    this.#worker.postMessage({ number, sql, parameters, bytes } satisfies Question);
    return answer.promise;
  }

  async close(): Promise<void> {
    if (this.#worker === undefined) return;
    this.#worker.postMessage(null);
    await this.#closed.promise;
    this.#worker.terminate();
  }

  #start(): Worker {
    const worker = startThread('storage/sqlite/query-thread');
    worker.onmessage = ({ data }: MessageEvent<Reply | null>) => {
      if (data === null) this.#closed.resolve();
      else this.#settle(data);
    };
    // Whoever asks next starts another.
    worker.onerror = ({ message }) => {
      this.#worker = undefined;
      this.#closed.resolve();
      for (const [number] of this.#waiting) this.#settle({ number, error: `the reading thread ended: ${message}` });
    };
    worker.postMessage(this.filename);
    return worker;
  }

  #settle(reply: Reply): void {
    const answer = this.#waiting.get(reply.number);
    this.#waiting.delete(reply.number);
    if ('rows' in reply) answer?.resolve(reply);
    else answer?.reject(Object.assign(new Error(reply.error), { code: reply.code }));
  }
}
