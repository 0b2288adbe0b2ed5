/** Group commit: writes that arrive while one commit is under way share the next. */
import { Failure } from '../domain/errors.ts';

/** Bounds how long one commit can take, and so how long its first write waits. */
const maxBatch = { writes: 512, weight: 1024 * 1024 };
/** What weighs more takes its own time on the disk, and does not share it with what weighs less. */
const maxLight = 64 * 1024;
/** Beyond this a write is refused at once: it would only be kept waiting. */
const maxWaiting = 10_000;

/** How many writes it had, how many milliseconds it took, and whether they were stored. */
export type CommitObserver = (writes: number, ms: number, stored: boolean) => void;

type Waiting<Write, Outcome> = {
  readonly write: Write;
  readonly weight: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
};

export class CommitQueue<Write, Outcome> {
  #light: Waiting<Write, Outcome>[] = [];
  #heavy: Waiting<Write, Outcome>[] = [];
  /** Whose turn it is, where some of both wait. */
  #lightNext = true;
  #running: Promise<void> | undefined;
  #ending = false;

  /** `commit` returns one outcome or error per write, in order; it rejects if the whole batch failed. */
  constructor(
    readonly commit: (writes: Write[]) => Promise<readonly (Outcome | Error)[]>,
    /** About how many bytes it is. */
    readonly weigh: (write: Write) => number,
    readonly onCommit: CommitObserver | undefined = undefined,
  ) {}

  get waiting(): number {
    return this.#light.length + this.#heavy.length;
  }

  /**
   * A lone write waits for nobody. Outcomes are told in the order in which the writes were made: that in which they were
   * submitted, but that a light one may go before a heavy one.
   */
  submit(write: Write): Promise<Outcome> {
    if (this.waiting >= maxWaiting || this.#ending) {
      return Promise.reject(new Failure('overloaded'));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const weight = this.weigh(write);
    (weight > maxLight ? this.#heavy : this.#light).push({ write, weight, resolve, reject });
    this.#running ??= this.#run();
    return promise;
  }

  /** Takes nothing more, and resolves when nothing is waiting any more. */
  async end(): Promise<void> {
    this.#ending = true;
    while (this.#running !== undefined) await this.#running;
  }

  #takeBatch(): Waiting<Write, Outcome>[] {
    const light = this.#heavy.length === 0 || (this.#lightNext && this.#light.length > 0);
    this.#lightNext = !light;
    const waiting = light ? this.#light : this.#heavy;
    let weight = 0;
    const tooMany = waiting.findIndex((one, index) => {
      weight += one.weight;
      return index === maxBatch.writes || (index > 0 && weight > maxBatch.weight);
    });
    return waiting.splice(0, tooMany < 0 ? waiting.length : tooMany);
  }

  async #run(): Promise<void> {
    while (this.waiting > 0) {
      // Writes that have arrived already, behind this one, are read first: a batch of one costs as much as a full one.
      await new Promise(setImmediate);
      const batch = this.#takeBatch();
      const { onCommit } = this;
      const start = onCommit === undefined ? 0 : performance.now();
      let stored = true;
      try {
        const outcomes = await this.commit(batch.map(({ write }) => write));
        if (outcomes.length !== batch.length) throw new Error('a commit must answer one outcome for each write');
        outcomes.forEach((outcome, index) => {
          if (outcome instanceof Error) {
            stored = false;
            batch[index]?.reject(outcome);
          } else batch[index]?.resolve(outcome);
        });
      } catch (error) {
        stored = false;
        for (const { reject } of batch) reject(error);
      }
      onCommit?.(batch.length, performance.now() - start, stored);
    }
    this.#running = undefined;
  }
}
