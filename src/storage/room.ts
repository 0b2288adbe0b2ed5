/** Limits that all bulks and long lists of the process share: open files and bytes on disk. */
import { Failure } from '../domain/errors.ts';
import { ClientTotals } from '../threads/client-totals.ts';
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

/** For the spool files of one client. */
export type SpoolRoom = {
  /** Reserves bytes on disk for a file that has `own` bytes; throws when that would exceed the limit or the client's share. */
  spool(bytes: number, own: number): void;
  giveBack(bytes: number): void;
};

export class Room {
  readonly #bulks: Shares<string>;
  readonly #lists: Shares<string>;
  readonly #spooled: Total;
  readonly #spooledBy: ClientTotals;

  constructor(
    readonly limits: RoomLimits,
    state?: Pick<ProcessState, 'bulks' | 'lists' | 'spooled' | 'spooledBy'>,
  ) {
    const clientOf = (client: string) => client;
    this.#bulks = new Shares(limits.bulks, clientOf, state?.bulks);
    this.#lists = new Shares(limits.lists, clientOf, state?.lists);
    this.#spooled = new Total(state?.spooled);
    this.#spooledBy = new ClientTotals(state?.spooledBy);
  }

  /** Returns a function that leaves again. Throws `overloaded` when this client or all clients are at the limit. */
  enter(kind: 'bulk' | 'list', client: string): () => void {
    const shares = kind === 'bulk' ? this.#bulks : this.#lists;
    const taken = shares.tryTake(client);
    if (taken === undefined) throw new Failure('overloaded');
    return () => shares.giveBack(taken);
  }

  of(client: string): SpoolRoom {
    const { spoolBytes } = this.limits;
    const counter = this.#spooledBy.counterOf(client);
    return {
      spool: (bytes, own) => {
        // As for all shares: a quarter is out of reach for each single client. One file alone may be larger.
        const others = this.#spooledBy.valueOf(counter) - own;
        if (others >= (spoolBytes / 4) * 3)
          throw new Error(`one client has ${others} of the ${spoolBytes} bytes of the spool in use; raise --max-spool`);
        if (!this.#spooled.tryAdd(bytes, spoolBytes))
          throw new Error(
            `the spool is full: ${this.#spooled.value} of ${spoolBytes} bytes in use, ${bytes} more needed; raise --max-spool`,
          );
        this.#spooledBy.add(counter, bytes);
      },
      giveBack: (bytes) => {
        this.#spooled.add(-bytes);
        this.#spooledBy.add(counter, -bytes);
      },
    };
  }
}
