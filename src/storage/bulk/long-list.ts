/** Parts that are read from one snapshot at the pace of their reader. The rest can be set aside in a spool file, which ends the snapshot. */
import type { Bytes } from '../../domain/bytes.ts';
import { Spool } from './spool.ts';
import type { ClientSpool } from './spool-limits.ts';

export class LongList {
  #spool: Spool | undefined;
  #offset = 0;
  #spooling: Promise<void> | undefined;
  #closed = false;

  constructor(
    readonly source: AsyncGenerator<Bytes, void>,
    readonly folder: string,
    readonly clientSpool: ClientSpool,
  ) {}

  /** Undefined at the end. */
  async next(): Promise<Bytes | undefined> {
    if (this.#spooling === undefined) {
      const { done, value } = await this.source.next();
      return done ? undefined : value;
    }
    await this.#spooling;
    const part = await this.#spool?.read(this.#offset);
    this.#offset += part?.length ?? 0;
    return part;
  }

  /** A part that the reader already awaits still goes to the reader; all later parts go to the file. */
  setAside(): void {
    this.#spooling ??= this.#fillSpool();
    // The error is thrown by `next`, when the reader asks for another part.
    this.#spooling.catch(() => {});
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#spooling?.catch(() => {});
    await this.source.return();
    await this.#spool?.close();
  }

  async #fillSpool(): Promise<void> {
    try {
      this.#spool = await Spool.open(this.folder, this.clientSpool);
      for await (const part of this.source) {
        if (this.#closed) return;
        await this.#spool.write(part);
      }
    } finally {
      await this.source.return();
    }
  }
}
