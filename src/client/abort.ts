/** Signals and time-outs. */
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

/** Ends a request that takes too long or is aborted: `fetch` then rejects. It is made for every request, so it makes few objects. */
export class Attempt {
  readonly controller = new AbortController();
  timer: ReturnType<typeof setTimeout> | undefined;
  isLate = false;
  /** Listens to the outer signal, if there is one. */
  readonly #onAbort: (() => void) | undefined;

  constructor(
    readonly ms: number,
    readonly outer: AbortSignal | undefined,
  ) {
    if (outer !== undefined) {
      this.#onAbort = () => this.abort();
      outer.addEventListener('abort', this.#onAbort);
    }
    this.timer = setTimeout(expire, ms, this);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(): void {
    this.controller.abort();
  }

  /** Takes no time until the next `restart`. */
  hold(): void {
    clearTimeout(this.timer);
  }

  /** Gives it the whole time again. */
  restart(ms = this.ms): void {
    this.hold();
    this.timer = setTimeout(expire, ms, this);
  }

  /** What an error of the request means. */
  failure(error: unknown): ShelfError {
    if (error instanceof ShelfError) return error;
    if (this.outer?.aborted) return aborted(this.outer);
    if (this.isLate) return new ShelfError('timed_out', `There was no answer within ${this.ms} ms.`);
    return new ShelfError('connection_lost', `The connection failed: ${(error as Error).message}`, { cause: error });
  }

  /** It must be called: a timer keeps a process alive. */
  end(): void {
    this.hold();
    if (this.#onAbort !== undefined) this.outer?.removeEventListener('abort', this.#onAbort);
  }
}

function expire(attempt: Attempt): void {
  attempt.isLate = true;
  attempt.abort();
}

export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return abortable(passed, signal, () => clearTimeout(timer));
}
