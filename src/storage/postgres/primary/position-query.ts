/** Asks one server for its position. One query serves all callers that wait: those that call meanwhile share the next one. */
import type { Seen } from './position.ts';

type Waiting = { readonly wanted: Set<number>; readonly answer: PromiseWithResolvers<Seen> };

export class PositionQuery {
  /** The last answer. */
  latest: Seen | undefined;
  #waiting: Waiting | undefined;
  #isAsking = false;

  constructor(readonly send: (wanted: Iterable<number>) => Promise<Seen>) {}

  /** The position after this call; `change` is looked up in the same snapshot. */
  ask(change?: number): Promise<Seen> {
    this.#waiting ??= { wanted: new Set(), answer: Promise.withResolvers() };
    if (change !== undefined) this.#waiting.wanted.add(change);
    const { promise } = this.#waiting.answer;
    if (!this.#isAsking) void this.#askWhileAwaited();
    return promise;
  }

  async #askWhileAwaited(): Promise<void> {
    this.#isAsking = true;
    // The requests that arrived together have all been read from their sockets by then.
    await new Promise((resolve) => setImmediate(resolve));
    for (let waiting = this.#take(); waiting !== undefined; waiting = this.#take()) {
      try {
        this.latest = await this.send(waiting.wanted);
        waiting.answer.resolve(this.latest);
      } catch (error) {
        waiting.answer.reject(error);
      }
    }
    this.#isAsking = false;
  }

  #take(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}
