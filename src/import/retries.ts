/** Repeats what failed for a reason that may pass, with longer and longer pauses. */
import { type FailureOf, mayPass } from './failure.ts';

export type Persistence = {
  readonly failureOf: FailureOf;
  /** Milliseconds after which it gives up. */
  readonly forMs: number;
  /** Ends a pause. */
  readonly signal: AbortSignal;
  /** Called before each pause; `tries` counts them from 1. */
  onWait(why: unknown, tries: number): void;
  /** Both in milliseconds. */
  now?(): number;
  pause?(ms: number, signal: AbortSignal): Promise<void>;
};

const pauseMs = { first: 200, longest: 5000 };

/** Each batch of a file is added once, so an attempt whose outcome is unknown can be repeated, too. */
export async function persistently<Result>(
  attempt: () => Promise<Result>,
  { failureOf, forMs, signal, onWait, now = () => performance.now(), pause = sleep }: Persistence,
): Promise<Result> {
  const until = now() + forMs;
  for (let ms: number = pauseMs.first, tries = 1; ; ms = Math.min(ms * 2, pauseMs.longest), tries++) {
    try {
      return await attempt();
    } catch (error) {
      const failure = failureOf(error);
      if (failure === undefined || !mayPass(failure) || signal.aborted) throw error;
      // Many clients that wait for one server must not return at the same moment.
      const wait = Math.max(ms, (failure.retryAfter ?? 0) * 1000) * (1 + Math.random() / 4);
      if (now() + wait > until) throw error;
      onWait(error, tries);
      await pause(wait, signal);
    }
  }
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
