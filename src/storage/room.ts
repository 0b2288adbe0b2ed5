/** Limits that all bulks and long lists of the process share: open files and bytes on disk. */
import { Failure } from '../domain/errors.ts';
import type { ProcessState } from '../threads/process-state.ts';
import { Shares } from '../threads/shares.ts';
import { Total } from '../threads/total.ts';

export type RoomLimits = {
  /** Concurrent bulks, and concurrent long lists: each keeps files open. */
  readonly bulks: number;
  readonly lists: number;
  /** Bytes in all spool files together. */
  readonly spoolBytes: number;
};

export class Room {
  readonly #bulks: Shares<string>;
  readonly #lists: Shares<string>;
  readonly #spooled: Total;

  constructor(
    readonly limits: RoomLimits,
    state?: Pick<ProcessState, 'bulks' | 'lists' | 'spooled'>,
  ) {
    const clientOf = (client: string) => client;
    this.#bulks = new Shares(limits.bulks, clientOf, state?.bulks);
    this.#lists = new Shares(limits.lists, clientOf, state?.lists);
    this.#spooled = new Total(state?.spooled);
  }

  /** Returns a function that leaves again. Throws `overloaded` when this client or all clients are at the limit. */
  enter(kind: 'bulk' | 'list', client: string): () => void {
    const shares = kind === 'bulk' ? this.#bulks : this.#lists;
    const taken = shares.tryTake(client);
    if (taken === undefined) throw new Failure('overloaded');
    return () => shares.giveBack(taken);
  }

  /** Reserves bytes on disk; throws when that would exceed `spoolBytes`. */
  spool(bytes: number): void {
    const { spoolBytes } = this.limits;
    if (this.#spooled.tryAdd(bytes, spoolBytes)) return;
    throw new Error(
      `the spool is full: ${this.#spooled.value} of ${spoolBytes} bytes in use, ${bytes} more needed; raise --max-spool`,
    );
  }

  giveBack(bytes: number): void {
    this.#spooled.add(-bytes);
  }
}
