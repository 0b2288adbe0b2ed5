/** Waits at startup until the database answers. */
import { StartError } from '../../../domain/errors.ts';
import { DatabaseUnavailable, isPermanent, messageOf } from './errors.ts';

/** Between attempts, in milliseconds. */
const pauses = { first: 100, longest: 1000 };
const leastAttemptMs = 10_000;

export type WaitOptions = {
  readonly waitMs: number;
  readonly timeoutMs: number;
  /** Called at most once. */
  readonly onWaiting: (line: string) => void;
};

/** Retries until `attempt` succeeds. Rejects with a StartError if a retry cannot help, or after `waitMs`. */
export async function retryUntilReady<Result>(
  { waitMs, timeoutMs, onWaiting }: WaitOptions,
  isClosed: () => boolean,
  attempt: (deadline: number) => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + waitMs;
  let isAnnounced = false;
  for (let pause = pauses.first; ; pause = Math.min(pause * 2, pauses.longest)) {
    try {
      return await attempt(performance.now() + Math.max(timeoutMs, leastAttemptMs));
    } catch (error) {
      if (error instanceof StartError) throw error;
      if (isPermanent(error) || performance.now() + pause > deadline || isClosed())
        throw new DatabaseUnavailable(error);
      if (!isAnnounced) onWaiting(`The database does not answer (${messageOf(error)}): waiting for it.`);
      isAnnounced = true;
    }
    await Bun.sleep(pause);
  }
}
