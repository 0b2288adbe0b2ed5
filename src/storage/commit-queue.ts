/** Group commit: writes that arrive while one commit is under way share the next. */
import { Failure } from '../domain/errors.ts';

/** Bounds how long one commit can take, and so how long its first write waits. */
const maxBatch = { writes: 512, weight: 8 * 1024 * 1024 };
/** Beyond this a write is refused at once: it would only be kept waiting. */
const maxWaiting = 10_000;

/** How many writes it had, how many milliseconds it took, and whether they were stored. */
export type CommitObserver = (writes: number, ms: number, stored: boolean) => void;

type Watch<Outcome> = {
  /** Told of every commit, where somebody wants to know. */
  readonly onCommit?: CommitObserver | undefined;
  /** Where outcomes tell of failures, which they are. */
  readonly isFailure?: (outcome: Outcome) => boolean;
};

type Waiting<Write, Outcome> = {
  readonly write: Write;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
};

export class CommitQueue<Write, Outcome> {
  #waiting: Waiting<Write, Outcome>[] = [];
  #running: Promise<void> | undefined;
  #ending = false;

  /** `commit` answers one outcome for each write, in order, or rejects when none of them was kept. */
  constructor(
    readonly commit: (writes: Write[]) => Promise<Outcome[]>,
    /** About how many bytes it is. */
    readonly weigh: (write: Write) => number,
    readonly watch: Watch<Outcome> = {},
  ) {}

  get waiting(): number {
    return this.#waiting.length;
  }

  /** A lone write waits for nobody; outcomes are told in the order in which the writes were submitted. */
  submit(write: Write): Promise<Outcome> {
    if (this.#waiting.length >= maxWaiting || this.#ending) {
      return Promise.reject(new Failure('overloaded', undefined, { headers: { 'Retry-After': '1' } }));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    this.#waiting.push({ write, resolve, reject });
    this.#running ??= this.#run();
    return promise;
  }

  /** Takes nothing more, and resolves when nothing is waiting any more. */
  async end(): Promise<void> {
    this.#ending = true;
    while (this.#running !== undefined) await this.#running;
  }

  #takeBatch(): Waiting<Write, Outcome>[] {
    let weight = 0;
    const tooMany = this.#waiting.findIndex(({ write }, index) => {
      weight += this.weigh(write);
      return index === maxBatch.writes || (index > 0 && weight > maxBatch.weight);
    });
    const batch = tooMany < 0 ? this.#waiting : this.#waiting.slice(0, tooMany);
    this.#waiting = tooMany < 0 ? [] : this.#waiting.slice(tooMany);
    return batch;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Writes that have arrived already, behind this one, are read first: a batch of one costs as much as a full one.
      await new Promise(setImmediate);
      const batch = this.#takeBatch();
      const { onCommit, isFailure } = this.watch;
      const start = onCommit === undefined ? 0 : performance.now();
      let stored = true;
      try {
        const outcomes = await this.commit(batch.map(({ write }) => write));
        if (onCommit !== undefined && isFailure !== undefined) stored = !outcomes.some(isFailure);
        if (outcomes.length !== batch.length) throw new Error('a commit must answer one outcome for each write');
        for (const [index, outcome] of outcomes.entries()) batch[index]?.resolve(outcome);
      } catch (error) {
        stored = false;
        for (const { reject } of batch) reject(error);
      }
      onCommit?.(batch.length, performance.now() - start, stored);
    }
    this.#running = undefined;
  }
}
