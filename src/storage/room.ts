/** Limits that all bulks and long lists share: open files and bytes on disk. */
import { Failure } from '../domain/errors.ts';
import { Shares } from '../domain/shares.ts';

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
  #spooled = 0;

  constructor(readonly limits: RoomLimits) {
    const clientOf = (client: string) => client;
    this.#bulks = new Shares(limits.bulks, clientOf);
    this.#lists = new Shares(limits.lists, clientOf);
  }

  /** Returns a function that leaves again. Throws `overloaded` when this client or all clients are at the limit. */
  enter(kind: 'bulk' | 'list', client: string): () => void {
    const shares = kind === 'bulk' ? this.#bulks : this.#lists;
    if (!shares.hasRoom(client)) throw new Failure('overloaded');
    const taken = shares.take(client);
    return () => shares.giveBack(taken);
  }

  /** Reserves bytes on disk; throws when that would exceed `spoolBytes`. */
  spool(bytes: number): void {
    const { spoolBytes } = this.limits;
    if (this.#spooled + bytes > spoolBytes) {
      throw new Error(
        `the spool is full: ${this.#spooled} of ${spoolBytes} bytes in use, ${bytes} more needed; raise --max-spool`,
      );
    }
    this.#spooled += bytes;
  }

  giveBack(bytes: number): void {
    this.#spooled -= bytes;
  }
}
