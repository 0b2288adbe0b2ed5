/** How much one client may ask for: a bucket that fills again as time passes. */
import { Failure } from '../../domain/errors.ts';
import type { Headers } from '../../wire/reply.ts';

export type Rate = { readonly count: number; readonly seconds: number };

/** With more clients than this the rest share one bucket, so that memory is bounded and nobody slips through. */
const maxClients = 100_000;
const everybodyElse = '';

export class Limiter {
  /** For each client, when its bucket will be full again, in milliseconds of a clock that never goes back. */
  readonly #full = new Map<string, number>();
  readonly #policy: string;
  readonly #interval: number;
  readonly #window: number;
  #swept = 0;

  constructor({ count, seconds }: Rate) {
    this.#policy = `"default";q=${count};w=${seconds}`;
    this.#window = seconds * 1000;
    this.#interval = this.#window / count;
  }

  /** Takes one from the client's bucket; answers what to tell it, and throws `rate_limited` where there is none left. */
  take(client: string, now: number): Headers {
    const name = this.#nameOf(client, now);
    const full = Math.max(this.#full.get(name) ?? 0, now) + this.#interval;
    const over = full - this.#window - now;
    if (over > 0) throw this.#refusal(over);
    this.#full.set(name, full);
    return this.#tell(Math.floor((-over + 1e-6) / this.#interval), Math.ceil((full - now) / 1000));
  }

  /** What to tell without taking; throws where there is none left. */
  look(client: string, now: number): Headers {
    const full = Math.max(this.#full.get(this.#nameOf(client, now)) ?? 0, now);
    const over = full + this.#interval - this.#window - now;
    if (over > 0) throw this.#refusal(over);
    return this.#tell(
      Math.floor((this.#window - (full - now) + 1e-6) / this.#interval),
      Math.ceil((full - now) / 1000),
    );
  }

  get clients(): number {
    return this.#full.size;
  }

  #refusal(overMs: number): Failure {
    const wait = Math.ceil(overMs / 1000);
    return new Failure('rate_limited', { retryAfter: wait, headers: this.#tell(0, wait) });
  }

  /** By the IETF's draft: what is left, and in how many seconds there is more. */
  #tell(left: number, seconds: number): Headers {
    return { 'RateLimit-Policy': this.#policy, RateLimit: `"default";r=${left};t=${seconds}` };
  }

  #nameOf(client: string, now: number): string {
    if (this.#full.size < maxClients || this.#full.has(client)) return client;
    // Whose bucket is full is as one who was never here.
    if (now - this.#swept > 1000) {
      this.#swept = now;
      for (const [name, full] of this.#full) if (full <= now) this.#full.delete(name);
    }
    return this.#full.size < maxClients ? client : everybodyElse;
  }
}
