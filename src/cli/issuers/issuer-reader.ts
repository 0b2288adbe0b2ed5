/**
 * Reads an issuer for the whole process: at the start, every ten minutes, and when a token has a key that is not known. One attempt at a
 * time, which all tokens of all threads share. Tokens cause none right after another: forged ones could ask for any number.
 */
import { Failure } from '../../domain/errors.ts';
import type { IssuerState, News, Published } from '../../http/access/issuer.ts';
import type { Log } from '../../http/observe/log-entry.ts';

/** In milliseconds, from the end of an attempt to the next one. */
export type Pauses = {
  readonly afterSuccess: number;
  readonly afterFailure: number;
  /** Between two that tokens have caused. */
  readonly betweenTokens: number;
};
export const usualPauses: Pauses = { afterSuccess: 600_000, afterFailure: 10_000, betweenTokens: 5_000 };
/** Tokens that wait for the next attempt. Those that wait for one under way are limited as requests are. */
const maxWaiting = 100;

export type ReaderOptions = {
  readonly issuer: string;
  /** Throws an error that says what is wrong. */
  readonly read: (issuer: string) => Promise<Published>;
  /** Called after each attempt. */
  readonly onState: (state: IssuerState) => void;
  readonly log: Log;
  readonly pauses?: Pauses | undefined;
};

export class IssuerReader {
  #state: IssuerState = { attempt: 0, published: undefined, isReachable: true };
  #attempt: Promise<void> | undefined;
  /** When the last one that a token has caused has ended. */
  #causedAt = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;
  #waiting = 0;
  #isStopped = false;
  readonly #pauses: Pauses;

  constructor(readonly options: ReaderOptions) {
    this.#pauses = options.pauses ?? usualPauses;
  }

  /** Resolves after an attempt, whether it was successful or not. */
  read(): Promise<void> {
    clearTimeout(this.#timer);
    this.#attempt ??= this.#read().finally(() => {
      this.#attempt = undefined;
      if (this.#isStopped) return;
      const { afterSuccess, afterFailure } = this.#pauses;
      this.#timer = setTimeout(() => this.read(), this.#state.isReachable ? afterSuccess : afterFailure);
    });
    return this.#attempt;
  }

  /** For `Issuer.next`. */
  async next(attempt: number): Promise<News> {
    const { attempt: before } = this.#state;
    if (before > attempt) return { state: this.#state, isFresh: false };
    if (this.#attempt !== undefined) {
      await this.#attempt;
      return { state: this.#state, isFresh: false };
    }
    await this.#coolDown();
    // Another token may have waited as long.
    if (this.#state.attempt === before) {
      await this.read();
      this.#causedAt = performance.now();
    }
    return { state: this.#state, isFresh: true };
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #coolDown(): Promise<void> {
    const ms = this.#causedAt + this.#pauses.betweenTokens - performance.now();
    if (ms <= 0) return;
    if (this.#waiting >= maxWaiting) throw new Failure('overloaded', { retryAfter: Math.ceil(ms / 1000) });
    this.#waiting++;
    await Bun.sleep(ms);
    this.#waiting--;
  }

  async #read(): Promise<void> {
    const { issuer, read, onState } = this.options;
    const { attempt, published, isReachable } = this.#state;
    try {
      this.#state = { attempt: attempt + 1, published: await read(issuer), isReachable: true };
      if (!isReachable) this.#report('info', 'can be read again.');
    } catch (error) {
      this.#state = { attempt: attempt + 1, published, isReachable: false };
      if (isReachable) this.#report('warn', `cannot be read: ${messageOf(error)}. ${effectOf(published)}`);
    }
    onState(this.#state);
  }

  #report(level: 'info' | 'warn', what: string): void {
    this.options.log({ level, event: 'issuer', message: `--oidc-issuer ${this.options.issuer} ${what}` });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function effectOf(published: Published | undefined): string {
  return published === undefined
    ? 'Its tokens get 503 until it can be.'
    : 'Tokens that its keys of before have signed stay valid; others get 503 until it can be.';
}
