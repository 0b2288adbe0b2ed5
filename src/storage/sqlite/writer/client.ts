/** The writing thread as seen from the one that serves. */
import { Failure } from '../../../domain/errors.ts';
import { startThread } from '../../../threads/start.ts';
import { SupervisedThread } from '../../../threads/supervised.ts';
import type { Seen } from '../file/watch.ts';
import type { Applied } from './outcome.ts';
import type { CommitReply, Setup } from './thread.ts';
import type { WriteLine } from './write-line.ts';

export type RemoteWriter = {
  /** Rejects when the thread cannot start. */
  readonly ready: Promise<void>;
  /** Rejects with `outcome_unknown` where the thread did not say what became of the batch, and else when nothing was sent. */
  commit(lines: readonly WriteLine[]): Promise<Applied & Seen>;
  /** Throws unless the thread is ready. */
  check(): void;
  close(): Promise<void>;
};

/** One batch is under way at a time; the commit queue sees to that. */
export function startWriter(setup: Setup): RemoteWriter {
  let pending: PromiseWithResolvers<string> | undefined;
  const thread = new SupervisedThread<string>({
    name: 'the writing thread',
    start: () => startThread('storage/sqlite/writer/thread'),
    setup,
    signal: '',
    onMessage: (reply) => pending?.resolve(reply),
    // Its last act may have been the commit.
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
      // Wherever it went wrong, that may have been behind the commit.
      if ('error' in reply) throw new Failure('outcome_unknown', { cause: new Error(reply.error) });
      return reply;
    },
    close: () => thread.close(),
  };
}
