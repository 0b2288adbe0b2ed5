/** A serving thread's connection to the writing thread. */
import type { MessagePort } from 'node:worker_threads';
import { Failure } from '../../../../domain/errors.ts';
import type { Seen } from '../../file/watch.ts';
import type { CommitProgress } from '../../memory/atomics.ts';
import { MemoryReader, type SharedMemory } from '../../memory/reader.ts';
import type { CommitReply } from '../committer.ts';
import type { Applied } from './outcome.ts';
import { lineOf, type Write } from './write-message.ts';

export type Committed = Applied & Seen;

/** Commits batches, one at a time, and gives this thread the memory of records. */
export interface WriterClient {
  /** Resolves when the first memory is connected; rejects when the thread cannot start. */
  readonly ready: Promise<void>;
  /** Called with the memory of each run of the writing thread. */
  onMemory: (memory: MemoryReader) => void;
  /** Rejects with `outcome_unknown` if the batch was sent and not answered, and with another error if it was not sent. */
  commit(writes: readonly Write[]): Promise<Committed>;
  /** Throws unless the thread is ready. */
  check(): void;
  close(): Promise<void>;
}

export class WriterConnection implements WriterClient {
  readonly ready: Promise<void>;
  onMemory: (memory: MemoryReader) => void = () => {};
  readonly #first = Promise.withResolvers<void>();
  #port: MessagePort | undefined;
  #memory: MemoryReader | undefined;
  #pending: PromiseWithResolvers<string> | undefined;
  #error = new Error('the writing thread is starting');

  constructor(readonly progress: CommitProgress) {
    this.ready = this.#first.promise;
    this.ready.catch(() => {});
  }

  /** Takes the port to a started writing thread. */
  take(port: MessagePort): void {
    this.#port = port;
    port.on('message', (message: string | SharedMemory) => {
      if (typeof message === 'string') this.#pending?.resolve(message);
      else this.#join(message);
    });
  }

  /** The writing thread has ended, or cannot start. It may have committed the pending batch. */
  lose(cause: Error): void {
    this.#error = cause;
    this.#port?.close();
    this.#port = undefined;
    this.#first.reject(cause);
    this.#pending?.reject(new Failure('outcome_unknown', { cause }));
  }

  check(): void {
    if (this.#port === undefined) throw this.#error;
  }

  async commit(writes: readonly Write[]): Promise<Committed> {
    await this.ready;
    if (this.#port === undefined) throw this.#error;
    this.#pending = Promise.withResolvers();
    this.#port.postMessage(writes.map(lineOf).join('\n'));
    const reply: CommitReply = JSON.parse(await this.#pending.promise);
    // The error may have occurred after the commit.
    if ('error' in reply) throw new Failure('outcome_unknown', { cause: new Error(reply.error) });
    return reply;
  }

  async close(): Promise<void> {
    this.lose(new Error('the writing thread is closed'));
    this.#memory?.close();
  }

  #join(shared: SharedMemory): void {
    this.#memory?.close();
    this.#memory = new MemoryReader(shared);
    this.onMemory(this.#memory);
    this.#first.resolve();
  }
}
