/** Shared by all clients of a run: the moves and their outcomes, what answers have shown, and complaints. */
import { AnsweringThreads } from '../support/answering-threads.ts';
import type { AccountBody } from './accounts.ts';
import type { Move } from './move.ts';
import type { Sight } from './sights.ts';

/** `firstChange` and the versions of both accounts are as the answer says. */
export type Sent = { readonly move: Move } & (
  | { readonly outcome: 'answered'; readonly firstChange: number; readonly versions: readonly number[] }
  /** Refused: every attempt had an answer that says that nothing was changed. */
  | { readonly outcome: 'refused' }
  | { readonly outcome: 'unknown' }
);

export class Bank {
  stopped = false;
  readonly sent: Sent[] = [];
  readonly sights: Sight[] = [];
  readonly threads = new AnsweringThreads();
  /** The last change that an answer to a transaction has named. */
  lastAnswered = 0;
  readonly counts = new Map<string, number>();
  readonly complaints: string[] = [];
  readonly #versions = new Map<number, number>();
  #numbers = 0;

  /** More than these add nothing. */
  complain(complaint: string): void {
    if (this.complaints.length < 1000) this.complaints.push(complaint);
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  nextNumber(): number {
    return ++this.#numbers;
  }

  learn({ id, version }: Pick<AccountBody, 'id' | 'version'>): void {
    this.#versions.set(id, Math.max(version, this.versionOf(id)));
  }

  versionOf(account: number): number {
    return this.#versions.get(account) ?? 1;
  }
}
