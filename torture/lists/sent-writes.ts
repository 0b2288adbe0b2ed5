/** The writes that were sent so far, as a list shows them. */
import type { Moments } from './moments.ts';
import { type Plan, type Planned, writers } from './plans.ts';

export type Write = {
  readonly number: number;
  readonly planned: Planned;
  /** The record, one character for each byte; empty for a deletion. */
  readonly text: string;
  readonly sentAt: number;
};

export class SentWrites {
  /** The next write of each writer. */
  readonly #next = Array.from({ length: writers }, (_, writer) => writer);

  constructor(
    readonly moments: Moments,
    readonly plan: Plan,
  ) {}

  /** Those that were sent since the last call; the writes to one record come in their order. */
  *take(): Generator<Write, void> {
    for (let writer = 0; writer < writers; writer++) {
      for (let number = this.#next[writer] ?? 0; ; number += writers) {
        this.#next[writer] = number;
        const sentAt = number < this.moments.capacity ? this.moments.sentAt(number) : Number.POSITIVE_INFINITY;
        if (sentAt === Number.POSITIVE_INFINITY) break;
        const planned = this.plan(number);
        yield { number, planned, text: Buffer.from(planned.record).toString('latin1'), sentAt };
      }
    }
  }

  /** Infinity until then. */
  answeredAt({ number }: Write): number {
    return this.moments.answeredAt(number);
  }
}

/** What a list has to be, given the writes so far. */
export type ListRules = {
  /** Returns what is wrong with the list. */
  check(list: Buffer, askedAt: number): string | undefined;
};
