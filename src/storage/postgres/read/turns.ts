/**
 * Bounds statements that take PostgreSQL long: each keeps one of its processes busy until it ends. A few run at a time, and the others wait, so that short reads
 * find a connection and a processor. Clients take turns.
 */
import { Failure } from '../../../domain/errors.ts';
import type { Client, Requester } from '../../../domain/store/client.ts';
import { FairQueue } from '../../../threads/fair-queue.ts';

type Waiting = { readonly client: Client; begin(): void };

export class Turns {
  readonly #waiting = new FairQueue<Waiting>();
  /** The clients of the statements that run. */
  readonly #running: Client[] = [];

  /** At most so many run at a time, and so many of one client. */
  constructor(
    readonly most: number,
    readonly mostPerClient: number,
  ) {}

  /**
   * Resolves when the statement may begin, with the function to call when it has ended. Rejects with the signal's reason when the client has disconnected, and
   * with `timed_out` at the deadline.
   */
  async begin(requester: Requester | undefined, deadline: number): Promise<() => void> {
    const { client, signal } = requester ?? {};
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { client, begin: resolve };
    const leave = (reason: unknown) => {
      if (this.#waiting.remove((one) => one === waiting).length > 0) reject(reason);
    };
    const onAbort = () => leave(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    const timer = setTimeout(() => leave(new Failure('timed_out')), Math.max(deadline - performance.now(), 0));
    this.#waiting.add(client, waiting);
    this.#next();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
    return () => {
      this.#running.splice(this.#running.indexOf(client), 1);
      this.#next();
    };
  }

  #next(): void {
    while (this.#running.length < this.most) {
      const next = this.#waiting.take((client) => this.#mayRun(client));
      if (next === undefined) return;
      this.#running.push(next.client);
      next.begin();
    }
  }

  /** Undefined stands for many clients. */
  #mayRun(client: Client): boolean {
    return client === undefined || this.#running.filter((one) => one === client).length < this.mostPerClient;
  }
}
