/** The writing thread as seen from the one that serves. */
import { startThread } from '../../threads/start.ts';
import type { Seen } from './files.ts';
import type { Applied } from './outcome.ts';
import type { WriteLine } from './write-line.ts';
import type { Reply, Setup } from './writer-thread.ts';

export type RemoteWriter = {
  commit(lines: readonly WriteLine[]): Promise<Applied & Seen>;
  /** Throws when the thread has ended. */
  check(): void;
  close(): Promise<void>;
};

/** One batch is under way at a time; the commit queue sees to that. */
export function startWriter(setup: Setup): RemoteWriter {
  const worker = startThread('storage/sqlite/writer-thread');
  let pending = Promise.withResolvers<string>();
  let broken: Error | undefined;
  worker.onmessage = ({ data }: MessageEvent<string>) => pending.resolve(data);
  worker.onerror = ({ message }) => {
    broken = new Error(`the writing thread ended: ${message}`);
    pending.reject(broken);
  };
  worker.postMessage(setup);
  const ready = pending.promise;

  function check(): void {
    if (broken !== undefined) throw broken;
  }

  async function ask(message: string): Promise<string> {
    await ready;
    check();
    pending = Promise.withResolvers();
    worker.postMessage(message);
    return pending.promise;
  }

  return {
    check,
    async commit(lines) {
      const reply: Reply = JSON.parse(await ask(lines.join('\n')));
      if ('error' in reply) throw new Error(reply.error);
      return reply;
    },
    async close() {
      await ask('');
      broken = new Error('the writing thread is closed');
      worker.terminate();
    },
  };
}
