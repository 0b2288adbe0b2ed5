/** Starts the writing thread, restarts it when it ends, and connects the serving threads to it. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { startThread } from '../../../../threads/start.ts';
import { SupervisedThread } from '../../../../threads/supervised.ts';
import { type CommitProgress, Roots } from '../../memory/atomics.ts';
import type { Connect, Setup } from '../thread.ts';

/** A serving thread. */
export type Served = {
  take(port: MessagePort): void;
  lose(cause: Error): void;
};

export class WriterThread {
  readonly #served = new Set<Served>();
  readonly #thread: SupervisedThread<string>;
  /** The roots of the current run. */
  #roots = new Roots();

  /** `lastChange` reads the last change in the file; undefined if it cannot be read. */
  constructor(
    setup: Omit<Setup, 'roots' | 'progress'>,
    progress: CommitProgress,
    lastChange: () => number | undefined,
  ) {
    this.#thread = new SupervisedThread<string>({
      name: 'the writing thread',
      start: () => startThread('storage/sqlite/writer/thread'),
      setup: () => {
        this.#roots = new Roots();
        return { ...setup, progress: progress.shared, roots: this.#roots.shared } satisfies Setup;
      },
      signal: '',
      onMessage: () => {},
      onEnd: (cause) => {
        // Its memory and its stamps may lack a commit: from now on threads read the file, without waiting for memory.
        this.#roots.end();
        progress.stamps.allChanged();
        progress.end(lastChange() ?? progress.lastChange);
        for (const one of this.#served) one.lose(cause);
      },
      onReturn: () => {
        for (const one of this.#served) this.#connect(one);
      },
    });
    this.#thread.ready.catch((cause) => {
      for (const one of this.#served) one.lose(cause);
    });
  }

  /** Connects a serving thread, now and after each restart of the writing thread. */
  serve(one: Served): void {
    this.#served.add(one);
    this.#connect(one);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  #connect(one: Served): void {
    const { port1, port2 } = new MessageChannel();
    try {
      this.#thread.post({ port: port1 } satisfies Connect, [port1]);
      one.take(port2);
    } catch (error) {
      // `onReturn` connects it when the thread is back.
      one.lose(error as Error);
    }
  }
}
