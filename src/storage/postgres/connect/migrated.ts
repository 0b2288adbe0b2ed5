/** Whether the database is migrated. Requests that arrive before wait for it: a proxy sends some as soon as the port is open. */
import { Unanswered } from './errors.ts';
import { withDeadline } from './pool.ts';

export class Migrated {
  #writeFunction: string | undefined;
  readonly #done = Promise.withResolvers<void>();

  constructor() {
    // A failed start without requests must not be an unhandled rejection.
    this.#done.promise.catch(() => {});
  }

  /** Name of the write function; undefined until the database is migrated. */
  get writeFunction(): string | undefined {
    return this.#writeFunction;
  }

  succeed(writeFunction: string): void {
    this.#writeFunction = writeFunction;
    this.#done.resolve();
  }

  fail(): void {
    this.#done.reject(new Unanswered('the database could not be migrated'));
  }

  /** Undefined if the database is migrated. Rejects with Unanswered at the deadline, and when the start has failed. */
  wait(deadline: number): Promise<void> | undefined {
    return this.#writeFunction === undefined ? withDeadline(this.#done.promise, deadline) : undefined;
  }
}
