/** Signals of callers, and pauses that they end. */
import { ShelfError } from './failure.ts';

export function aborted(signal: AbortSignal | undefined): ShelfError {
  return new ShelfError('aborted', 'The call was aborted.', { cause: signal?.reason });
}

export function requireNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal);
}

/** Rejects as soon as the signal is aborted; `stop` then ends the work. */
export async function abortable<Value>(
  work: Promise<Value>,
  signal: AbortSignal | undefined,
  stop = () => {},
): Promise<Value> {
  if (signal === undefined) return work;
  // It may fail after the signal was aborted, when nothing waits for it.
  work.catch(() => {});
  requireNotAborted(signal);
  let abort = () => {};
  const ended = new Promise<never>((_, reject) => {
    abort = () => {
      reject(aborted(signal));
      stop();
    };
  });
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, ended]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return abortable(passed, signal, () => clearTimeout(timer));
}
