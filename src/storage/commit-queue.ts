/** Group commit: writes that arrive during a commit share the next one. */
import { availableParallelism } from 'node:os';
import { Failure } from '../domain/errors.ts';
import type { Trace } from '../domain/trace.ts';

/** Limits the duration of a commit, and so the wait of its first write. `weight` is in bytes. */
const maxBatch = { writes: 512, weight: 1024 * 1024 };
/** In bytes. A heavier write takes noticeable time to sync, so heavy and light writes never share a batch. */
export const maxLight = 64 * 1024;
/**
 * A large batch costs little more than a small one, so a commit waits while further writes arrive: until `enough` writes wait, or for `ms`
 * milliseconds. On several cores requests are served during a commit, so a full batch is not worth waiting for; on one core the threads take turns.
 */
const usualWait = { enough: availableParallelism() > 1 ? 32 : maxBatch.writes, ms: 2 };
/** The most writes in the queue. Over the limit a write is refused at once with `overloaded`, because it would wait too long. */
const maxWaiting = 10_000;

/** Called after each commit: the writes in it, its duration in milliseconds, and whether all of them were stored. */
export type CommitObserver = (writes: number, ms: number, stored: boolean) => void;

type Waiting<Write, Outcome> = {
  readonly write: Write;
  readonly weight: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
  readonly traced: Traced | undefined;
};

/** A write whose trace is recorded, and when it came. */
type Traced = { readonly trace: Trace; readonly since: number };

export class CommitQueue<Write, Outcome> {
  #light: Waiting<Write, Outcome>[] = [];
  #heavy: Waiting<Write, Outcome>[] = [];
  /** Light and heavy batches take turns while both wait. */
  #lightNext = true;
  #running: Promise<void> | undefined;
  #ending = false;

  /** `commit` returns one outcome or error per write, in order; it rejects if the whole batch failed. */
  constructor(
    readonly commit: (writes: Write[]) => Promise<readonly (Outcome | Error)[]>,
    /** The approximate size of a write in bytes. */
    readonly weigh: (write: Write) => number,
    readonly onCommit: CommitObserver | undefined = undefined,
    readonly wait = usualWait,
  ) {}

  get waiting(): number {
    return this.#light.length + this.#heavy.length;
  }

  /**
   * A lone write is committed without delay. Promises settle in commit order, which is the order of submission except
   * that light and heavy writes can overtake each other. Rejects with `overloaded` when the queue is full or ending.
   */
  submit(write: Write, trace?: Trace): Promise<Outcome> {
    if (this.waiting >= maxWaiting || this.#ending) {
      return Promise.reject(new Failure('overloaded'));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const weight = this.weigh(write);
    const traced = trace?.isRecorded ? { trace, since: performance.now() } : undefined;
    (weight > maxLight ? this.#heavy : this.#light).push({ write, weight, resolve, reject, traced });
    this.#running ??= this.#run();
    return promise;
  }

  /** Refuses new writes; resolves when the queue is empty. */
  async end(): Promise<void> {
    this.#ending = true;
    while (this.#running !== undefined) await this.#running;
  }

  /** Lets the event loop read the writes that have already arrived; clients that were just answered often send the next one at once. */
  async #gather(): Promise<void> {
    const { enough, ms } = this.wait;
    // Measured from before the first turn: if that turn takes long, the event loop is busy, and the writes wait no longer.
    const end = performance.now() + ms;
    await turn();
    // A lone write does not wait.
    for (let known = 1; this.waiting > known && this.waiting < enough && performance.now() < end; ) {
      known = this.waiting;
      // One turn may end before the event loop has read from the sockets; after two turns it has.
      await turn();
      await turn();
    }
  }

  #takeBatch(): Waiting<Write, Outcome>[] {
    const light = this.#heavy.length === 0 || (this.#lightNext && this.#light.length > 0);
    this.#lightNext = !light;
    const waiting = light ? this.#light : this.#heavy;
    let weight = 0;
    const overLimit = waiting.findIndex((one, index) => {
      weight += one.weight;
      return index === maxBatch.writes || (index > 0 && weight > maxBatch.weight);
    });
    return waiting.splice(0, overLimit < 0 ? waiting.length : overLimit);
  }

  async #run(): Promise<void> {
    while (this.waiting > 0) {
      await this.#gather();
      const batch = this.#takeBatch();
      const { onCommit } = this;
      const start = performance.now();
      let stored = true;
      try {
        const outcomes = await this.commit(batch.map(({ write }) => write));
        tellTraces(batch, start, outcomes);
        if (outcomes.length !== batch.length) {
          throw new Error(`commit returned ${outcomes.length} outcomes for ${batch.length} writes`);
        }
        outcomes.forEach((outcome, index) => {
          if (outcome instanceof Error) {
            stored = false;
            batch[index]?.reject(outcome);
          } else batch[index]?.resolve(outcome);
        });
      } catch (error) {
        stored = false;
        tellTraces(batch, start, []);
        for (const { reject } of batch) reject(error);
      }
      onCommit?.(batch.length, performance.now() - start, stored);
    }
    this.#running = undefined;
  }
}

/** Before the writes are answered, which ends their requests. A write without an outcome was not stored. */
function tellTraces(batch: readonly Waiting<unknown, never>[], start: number, outcomes: readonly unknown[]): void {
  let end: number | undefined;
  for (const [index, { traced }] of batch.entries()) {
    if (traced === undefined) continue;
    end ??= performance.now();
    const isStored = index in outcomes && !(outcomes[index] instanceof Error);
    traced.trace.took('queue', traced.since, start);
    traced.trace.took('commit', start, end, isStored ? undefined : 'commit_failed');
  }
}

/** One turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
