/** Keys and tokens that were valid recently, on any thread: a client that sends one of them is not guessing. */
import { LastSeen } from '../../threads/limits/last-seen.ts';
import { digestOf } from './auth.ts';

const ttlMs = 3_600_000;

export class ValidKeys {
  readonly #validAt: LastSeen;

  /** `shared` is that of the process. */
  constructor(shared?: SharedArrayBuffer) {
    this.#validAt = new LastSeen(shared);
  }

  /** `now` is in milliseconds of a clock that all threads share. */
  has(token: string, now: number): boolean {
    const seen = this.#validAt.seenAt(digestOf(token));
    return seen !== undefined && now - seen < ttlMs;
  }

  add(token: string, now: number): void {
    this.#validAt.see(digestOf(token), now);
  }

  /** For a key that is revoked or expired. */
  remove(token: string): void {
    this.#validAt.forget(digestOf(token));
  }
}
