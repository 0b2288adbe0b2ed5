/** The serving thread's client of the writing thread. */
import { Failure } from '../../../domain/errors.ts';
import { startThread } from '../../../threads/start.ts';
import { SupervisedThread } from '../../../threads/supervised.ts';
import type { Seen } from '../file/watch.ts';
import type { Applied } from './outcome.ts';
import type { CommitReply, Setup } from './thread.ts';
import type { WriteLine } from './write-line.ts';

export type WriterClient = {
  /** Rejects when the thread cannot start. */
  readonly ready: Promise<void>;
  /** Rejects with `outcome_unknown` if the batch was sent and not answered, and with another error if it was not sent. */
  commit(lines: readonly WriteLine[]): Promise<Applied & Seen>;
  /** Throws unless the thread is ready. */
  check(): void;
  close(): Promise<void>;
};

/** The commit queue ensures that one batch is in flight at a time. */
export function startWriter(setup: Setup): WriterClient {
  let pending: PromiseWithResolvers<string> | undefined;
  const thread = new SupervisedThread<string>({
    name: 'the writing thread',
    start: () => startThread('storage/sqlite/writer/thread'),
    setup,
    signal: '',
    onMessage: (reply) => pending?.resolve(reply),
    // The thread may have committed before it ended.
    onEnd: (cause) => pending?.reject(new Failure('outcome_unknown', { cause })),
  });

  return {
    ready: thread.ready,
    check: () => thread.check(),
    async commit(lines) {
      await thread.ready;
      thread.post(lines.join('\n'));
      pending = Promise.withResolvers();
      const reply: CommitReply = JSON.parse(await pending.promise);
      // The error may have occurred after the commit.
      if ('error' in reply) throw new Failure('outcome_unknown', { cause: new Error(reply.error) });
      return reply;
    },
    close: () => thread.close(),
  };
}
