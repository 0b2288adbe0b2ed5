/** What bulks and long lists may take of the machine together: open files, and bytes on the disk. */
import { Failure } from '../domain/errors.ts';
import { Shares } from '../domain/shares.ts';

export type RoomLimits = {
  /** Bulks that arrive, and long lists that are read, at once: each keeps files open. */
  readonly bulks: number;
  readonly lists: number;
  /** Of all that is set aside on the disk. */
  readonly spoolBytes: number;
};

export class Room {
  readonly #bulks: Shares<string>;
  readonly #lists: Shares<string>;
  #spooled = 0;

  constructor(readonly limits: RoomLimits) {
    const itself = (client: string) => client;
    this.#bulks = new Shares(limits.bulks, itself);
    this.#lists = new Shares(limits.lists, itself);
  }

  /** Throws `overloaded` where there are too many, of this client or of all; answers what ends it. */
  enter(what: 'bulk' | 'list', client: string): () => void {
    const shares = what === 'bulk' ? this.#bulks : this.#lists;
    if (!shares.hasRoom(client)) throw new Failure('overloaded');
    const taken = shares.take(client);
    return () => shares.giveBack(taken);
  }

  /** Throws where so many more bytes would be too many. */
  spool(bytes: number): void {
    if (this.#spooled + bytes > this.limits.spoolBytes) throw new Error('no more room for what is set aside');
    this.#spooled += bytes;
  }

  giveBack(bytes: number): void {
    this.#spooled -= bytes;
  }
}
