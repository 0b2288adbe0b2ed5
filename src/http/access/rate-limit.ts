/** The rate limit: a bucket of requests per client, which refills over time. */
import { Failure } from '../../domain/errors.ts';
import type { Headers } from '../../wire/reply.ts';

export type Rate = { readonly count: number; readonly seconds: number };

/** Clients beyond this number share one bucket, so that memory is bounded and no client escapes the limit. */
const maxClients = 100_000;
const sharedBucket = '';

export class Limiter {
  /** When each client's bucket is full again, in milliseconds of a monotonic clock. */
  readonly #fullAt = new Map<string, number>();
  readonly #policy: string;
  readonly #interval: number;
  readonly #window: number;
  #sweptAt = 0;

  constructor({ count, seconds }: Rate) {
    this.#policy = `"default";q=${count};w=${seconds}`;
    this.#window = seconds * 1000;
    this.#interval = this.#window / count;
  }

  /** Takes one request from the client's bucket and returns the rate limit headers. Throws `rate_limited` if none is left. */
  take(client: string, now: number): Headers {
    const name = this.#bucketOf(client, now);
    const full = Math.max(this.#fullAt.get(name) ?? 0, now) + this.#interval;
    const over = full - this.#window - now;
    if (over > 0) throw this.#refusal(over);
    this.#fullAt.set(name, full);
    return this.#headers(Math.floor((-over + 1e-6) / this.#interval), Math.ceil((full - now) / 1000));
  }

  /** Returns the rate limit headers without taking a request. Throws `rate_limited` if none is left. */
  look(client: string, now: number): Headers {
    const full = Math.max(this.#fullAt.get(this.#bucketOf(client, now)) ?? 0, now);
    const over = full + this.#interval - this.#window - now;
    if (over > 0) throw this.#refusal(over);
    return this.#headers(
      Math.floor((this.#window - (full - now) + 1e-6) / this.#interval),
      Math.ceil((full - now) / 1000),
    );
  }

  get clients(): number {
    return this.#fullAt.size;
  }

  #refusal(overMs: number): Failure {
    const wait = Math.ceil(overMs / 1000);
    return new Failure('rate_limited', { retryAfter: wait, headers: this.#headers(0, wait) });
  }

  /** The IETF draft's RateLimit headers: requests left, and seconds until there are more. */
  #headers(left: number, seconds: number): Headers {
    return { 'RateLimit-Policy': this.#policy, RateLimit: `"default";r=${left};t=${seconds}` };
  }

  #bucketOf(client: string, now: number): string {
    if (this.#fullAt.size < maxClients || this.#fullAt.has(client)) return client;
    // A full bucket needs no entry.
    if (now - this.#sweptAt > 1000) {
      this.#sweptAt = now;
      for (const [name, full] of this.#fullAt) if (full <= now) this.#fullAt.delete(name);
    }
    return this.#fullAt.size < maxClients ? client : sharedBucket;
  }
}
