/**
 * Long lists, each read in one snapshot on a connection of its own at the pace of its reader. Where a list needs a connection
 * and all are taken, what is left of the oldest is set aside in a file, and its connection handed on: slow readers keep
 * nobody else from reading.
 */
import { tmpdir } from 'node:os';
import type { Bytes } from '../../domain/bytes.ts';
import type { Room } from '../room.ts';
import { Spool } from '../spool.ts';

type Parts = AsyncGenerator<Bytes, void>;

export class LongLists {
  /** Those that keep a connection or wait for one, the oldest first. */
  readonly #connected = new Set<LongList>();

  constructor(
    readonly room: Room,
    /** Whether a connection is to be had at once. */
    readonly isFree: () => boolean,
  ) {}

  /** `read` takes a connection with its first part and hands it back at its end. Throws `overloaded` where there are too many. */
  async *parts(client: string, read: () => Parts): AsyncGenerator<Bytes, void> {
    const leave = this.room.enter('list', client);
    if (!this.isFree()) this.#setOneAside();
    const list = new LongList(read(), this.room);
    this.#connected.add(list);
    try {
      for (let part = await list.next(); part !== undefined; part = await list.next()) yield part;
    } finally {
      this.#connected.delete(list);
      await list.close();
      leave();
    }
  }

  #setOneAside(): void {
    const [oldest] = this.#connected;
    if (oldest === undefined) return;
    this.#connected.delete(oldest);
    oldest.setAside();
  }
}

class LongList {
  #spool: Spool | undefined;
  #read = 0;
  #settingAside: Promise<void> | undefined;
  #closed = false;

  constructor(
    readonly source: Parts,
    readonly room: Room,
  ) {}

  /** Undefined at the end. */
  async next(): Promise<Bytes | undefined> {
    if (this.#settingAside === undefined) {
      const { done, value } = await this.source.next();
      return done ? undefined : value;
    }
    await this.#settingAside;
    const part = await this.#spool?.read(this.#read);
    this.#read += part?.length ?? 0;
    return part;
  }

  /** A part that the reader waits for already still goes to it, and all behind that to the file. */
  setAside(): void {
    this.#settingAside ??= this.#fillSpool();
    // Told to the reader that asks for the next part.
    this.#settingAside.catch(() => {});
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#settingAside?.catch(() => {});
    await this.source.return();
    await this.#spool?.close();
  }

  async #fillSpool(): Promise<void> {
    try {
      this.#spool = await Spool.open(tmpdir(), this.room);
      for await (const part of this.source) {
        if (this.#closed) return;
        await this.#spool.write(part);
      }
    } finally {
      await this.source.return();
    }
  }
}
