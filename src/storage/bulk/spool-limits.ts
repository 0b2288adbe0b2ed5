/** Limits that all bulks and long lists of the process share: open files and bytes on disk. */

import { Failure } from '../../domain/errors.ts';
import type { Client } from '../../domain/store/client.ts';
import { kibibytes, Shares } from '../../threads/limits/shares.ts';
import type { ProcessState } from '../../threads/process-state.ts';

export type SpoolSettings = {
  /** Concurrent bulks, and concurrent long lists: each keeps files open. */
  readonly bulks: number;
  readonly lists: number;
  /** Bytes in all spool files together. */
  readonly spoolBytes: number;
};

/** For the spool files of one client. */
export type ClientSpool = {
  /** Reserves bytes on disk for a file that has `own` bytes; throws when that would exceed the limit or the client's share. */
  spool(bytes: number, own: number): void;
  giveBack(bytes: number): void;
};

export class SpoolLimits {
  readonly #bulks: Shares<Client>;
  readonly #lists: Shares<Client>;
  /** In KiB. */
  readonly #spooled: Shares<Client>;

  constructor(limits: SpoolSettings, state?: Pick<ProcessState, 'bulks' | 'lists' | 'spooled'>) {
    const clientOf = (client: Client) => client;
    this.#bulks = new Shares(limits.bulks, clientOf, state?.bulks);
    this.#lists = new Shares(limits.lists, clientOf, state?.lists);
    this.#spooled = new Shares(kibibytes(limits.spoolBytes), clientOf, state?.spooled);
  }

  /** Returns a function that leaves again. Throws `overloaded` when this client or all clients are at the limit. */
  enter(kind: 'bulk' | 'list', client: Client): () => void {
    const shares = kind === 'bulk' ? this.#bulks : this.#lists;
    const taken = shares.tryTake(client);
    if (taken === undefined) throw new Failure('overloaded');
    return () => shares.giveBack(taken);
  }

  of(client: Client): ClientSpool {
    const spooled = this.#spooled;
    const counter = spooled.counterOf(client);
    return {
      spool(bytes, own) {
        const before = kibibytes(own);
        // One file alone may be larger than the share.
        if (spooled.tryAdd(counter, kibibytes(own + bytes) - before, before)) return;
        const whose = spooled.isBelowShare(counter, before)
          ? 'the spool is full'
          : 'one client has its share of the spool';
        throw new Error(`${whose}: ${spooled.used} of ${spooled.most} KiB in use; raise --max-spool`);
      },
      giveBack: (bytes) => spooled.add(counter, -kibibytes(bytes)),
    };
  }
}
