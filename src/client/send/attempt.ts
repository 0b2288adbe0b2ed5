/** One request on its way, which takes too long or is aborted: `fetch` then rejects. */
import { aborted } from './abort.ts';
import { ShelfError } from './failure.ts';

/** The longest time that timers know, in milliseconds. */
const longestTimer = 2 ** 31 - 1;
/** Node keeps a listener of each request on the signal until garbage is collected, and warns of many. */
const mostUses = 50;

/**
 * A controller and a timer take a fifth of the client's time, so an attempt that ended well serves later requests too: each of them
 * only moves the time at which it ends, and a timer that fires before that is set again.
 */
export class Attempt {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** On the clock of `performance.now()`. */
  #firesAt = 0;
  #endsAt = Number.POSITIVE_INFINITY;
  #ms = 0;
  #uses = 0;
  #isLate = false;
  #outer: AbortSignal | undefined;
  /** Listens to the outer signal, if there is one. */
  #onAbort: (() => void) | undefined;

  /** A request begins. `end` must follow. */
  begin(ms: number, outer: AbortSignal | undefined): void {
    this.#uses++;
    this.#ms = ms;
    this.restart(ms);
    if (outer === undefined) return;
    this.#outer = outer;
    this.#onAbort = () => this.abort();
    outer.addEventListener('abort', this.#onAbort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller.abort();
  }

  /** Takes no time until the next `restart`. */
  hold(): void {
    this.#endsAt = Number.POSITIVE_INFINITY;
  }

  /** Gives it the whole time again. */
  restart(ms: number): void {
    const now = performance.now();
    this.#endsAt = now + ms;
    if (this.#timer !== undefined && this.#firesAt <= this.#endsAt) return;
    clearTimeout(this.#timer);
    this.#setTimer(now);
  }

  /** What an error of the request means. */
  failure(error: unknown): ShelfError {
    if (error instanceof ShelfError) return error;
    if (this.#outer?.aborted) return aborted(this.#outer);
    if (this.#isLate) return new ShelfError('timed_out', `There was no answer within ${this.#ms} ms.`);
    return new ShelfError('connection_lost', `The connection failed: ${reasonOf(error)}`, { cause: error });
  }

  /** Its answer was read to the end, or it failed. */
  end(): void {
    this.hold();
    if (this.#onAbort === undefined) return;
    this.#outer?.removeEventListener('abort', this.#onAbort);
    this.#outer = undefined;
    this.#onAbort = undefined;
  }

  get canBeUsedAgain(): boolean {
    return this.#uses < mostUses && !this.signal.aborted;
  }

  #setTimer(now: number): void {
    const ms = Math.min(this.#endsAt - now, longestTimer);
    this.#firesAt = now + ms;
    this.#timer = setTimeout(expire, ms, this);
    letProcessEnd(this.#timer);
  }

  expire(): void {
    this.#timer = undefined;
    const now = performance.now();
    if (now >= this.#endsAt) {
      this.#isLate = true;
      this.abort();
    } else if (this.#endsAt < Number.POSITIVE_INFINITY) this.#setTimer(now);
  }
}

/** Node has the reason in the cause. Deno has a variable of its own, DENO_CERT, and browsers show no reason. */
function reasonOf(error: unknown): string {
  const { code, message, cause } = error as Error & { readonly code?: unknown };
  const { code: inner, message: reason = message } = (cause ?? {}) as Partial<Error> & { readonly code?: unknown };
  if (!/^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_|CERT_UNTRUSTED)/.test(String(inner ?? code))) return message;
  return `${reason} (set NODE_EXTRA_CA_CERTS to a file with the certificate of the server's authority)`;
}

function expire(attempt: Attempt): void {
  attempt.expire();
}

/** A request that is under way keeps its process alive, and the timer of an idle attempt must not. */
function letProcessEnd(timer: unknown): void {
  const { Deno } = globalThis as { Deno?: { unrefTimer(timer: unknown): void } };
  if (Deno === undefined) (timer as { unref?(): void }).unref?.();
  else Deno.unrefTimer(timer);
}
