/** Repeats what failed for a reason that may pass, with longer and longer pauses. */
import { Failure } from '../../domain/errors.ts';
import { Unreachable } from './target/import-target.ts';

export type Persistence = {
  /** Milliseconds after which it gives up. */
  readonly forMs: number;
  /** Ends a pause. */
  readonly signal: AbortSignal;
  /** Called before the first pause. */
  onWait(why: Failure | Unreachable): void;
  /** Both in milliseconds. */
  now?(): number;
  pause?(ms: number, signal: AbortSignal): Promise<void>;
};

const pauseMs = { first: 200, longest: 5000 };

/** Each batch of a file is added once, so an attempt whose outcome is unknown can be repeated, too. */
function mayPass(error: unknown): error is Failure | Unreachable {
  if (error instanceof Unreachable) return true;
  return error instanceof Failure && (error.retryAfter !== undefined || error.code === 'outcome_unknown');
}

export async function persistently<Result>(
  attempt: () => Promise<Result>,
  { forMs, signal, onWait, now = () => performance.now(), pause = sleep }: Persistence,
): Promise<Result> {
  const until = now() + forMs;
  for (let ms: number = pauseMs.first, tries = 1; ; ms = Math.min(ms * 2, pauseMs.longest), tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!mayPass(error) || signal.aborted) throw error;
      const wanted = error instanceof Failure ? (error.retryAfter ?? 0) * 1000 : 0;
      // Many clients that wait for one server must not return at the same moment.
      const wait = Math.max(ms, wanted) * (1 + Math.random() / 4);
      if (now() + wait > until) throw error;
      if (tries === 1) onWait(error);
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
