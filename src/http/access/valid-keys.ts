/** Keys and tokens that counted a short while ago, by their digests: nobody who has one of these is guessing. */
import { digestOf } from './auth.ts';

const keptMs = 3_600_000;
const maxKept = 10_000;

export class ValidKeys {
  /** When each counted last, on the clock of `performance`; the one that did so longest ago comes first. */
  readonly #seen = new Map<string, number>();

  has(token: string, now: number): boolean {
    const seen = this.#seen.get(digestOf(token));
    return seen !== undefined && now - seen < keptMs;
  }

  add(token: string, now: number): void {
    const digest = digestOf(token);
    this.#seen.delete(digest);
    this.#seen.set(digest, now);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > maxKept && oldest !== undefined) this.#seen.delete(oldest);
  }

  /** It was revoked, or has expired. */
  remove(token: string): void {
    this.#seen.delete(digestOf(token));
  }
}
