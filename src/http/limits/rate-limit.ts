/** The rate limit: a bucket of requests per client, which refills over time. */
import { Failure } from '../../domain/errors.ts';
import { Buckets } from '../../threads/limits/buckets.ts';
import type { Headers } from '../../wire/answer/reply.ts';

export type Rate = { readonly count: number; readonly seconds: number };

export class Limiter {
  readonly #buckets: Buckets;
  readonly #policy: string;
  readonly #interval: number;
  readonly #window: number;

  constructor({ count, seconds }: Rate, shared?: SharedArrayBuffer) {
    this.#buckets = new Buckets(shared);
    this.#policy = `"default";q=${count};w=${seconds}`;
    this.#window = seconds * 1000;
    this.#interval = this.#window / count;
  }

  /**
   * Takes one request from the client's bucket and returns the rate limit headers. Throws `rate_limited` if none is left.
   * `now` is of a `processClock`.
   */
  take(client: string, now: number): Headers {
    const full = this.#buckets.take(client, now, this.#interval, this.#window);
    const over = full - this.#window - now;
    if (over > 0) throw this.#refusal(over);
    return this.#headers(Math.floor((-over + 1e-6) / this.#interval), Math.ceil((full - now) / 1000));
  }

  /** Returns the rate limit headers without taking a request. Throws `rate_limited` if none is left. */
  look(client: string, now: number): Headers {
    const full = Math.max(this.#buckets.fullAt(client, now), now);
    const over = full + this.#interval - this.#window - now;
    if (over > 0) throw this.#refusal(over);
    return this.#headers(
      Math.floor((this.#window - (full - now) + 1e-6) / this.#interval),
      Math.ceil((full - now) / 1000),
    );
  }

  #refusal(overMs: number): Failure {
    const wait = Math.ceil(overMs / 1000);
    return new Failure('rate_limited', { retryAfter: wait, headers: this.#headers(0, wait) });
  }

  /** The IETF draft's RateLimit headers: requests left, and seconds until there are more. */
  #headers(left: number, seconds: number): Headers {
    return { 'RateLimit-Policy': this.#policy, RateLimit: `"default";r=${left};t=${seconds}` };
  }
}
