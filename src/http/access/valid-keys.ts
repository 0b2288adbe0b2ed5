/** Keys and tokens that were valid recently, by digest: a client that sends one of them is not guessing. */
import { digestOf } from './auth.ts';

const ttlMs = 3_600_000;
const maxKeys = 10_000;

export class ValidKeys {
  /** When each was last valid, in milliseconds of one clock; the oldest first. */
  readonly #validAt = new Map<string, number>();

  has(token: string, now: number): boolean {
    const seen = this.#validAt.get(digestOf(token));
    return seen !== undefined && now - seen < ttlMs;
  }

  add(token: string, now: number): void {
    const digest = digestOf(token);
    this.#validAt.delete(digest);
    this.#validAt.set(digest, now);
    const [oldest] = this.#validAt.keys();
    if (this.#validAt.size > maxKeys && oldest !== undefined) this.#validAt.delete(oldest);
  }

  /** For a key that is revoked or expired. */
  remove(token: string): void {
    this.#validAt.delete(digestOf(token));
  }
}
