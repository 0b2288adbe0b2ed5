/**
 * Long lists. Each is read from one snapshot, on its own connection, at the pace of its reader. If a list needs a connection of
 * the primary and all are in use, the rest of the oldest list there is spooled to a file and its connection is reused: slow
 * readers do not block other readers.
 */

import { tmpdir } from 'node:os';
import type { Bytes } from '../../../domain/bytes.ts';
import type { Client } from '../../../domain/store/client.ts';
import { LongList } from '../../bulk/long-list.ts';
import type { SpoolLimits } from '../../bulk/spool-limits.ts';

type Parts = AsyncGenerator<Bytes, void>;

export class LongLists {
  /** Lists that hold a connection of the primary or wait for one, oldest first. */
  readonly #connected = new Set<LongList>();

  constructor(
    readonly spoolLimits: SpoolLimits,
    readonly connections: number,
  ) {}

  /** `read` calls `connecting` before it takes a connection of the primary, and releases it at its end. Throws `overloaded` over the limit. */
  async *parts(client: Client, read: (connecting: () => void) => Parts): AsyncGenerator<Bytes, void> {
    const leave = this.spoolLimits.enter('list', client);
    const list = new LongList(
      read(() => this.#connecting(list)),
      tmpdir(),
      this.spoolLimits.of(client),
    );
    try {
      for (let part = await list.next(); part !== undefined; part = await list.next()) yield part;
    } finally {
      this.#connected.delete(list);
      await list.close().finally(leave);
    }
  }

  /** Counts lists and not connections in use: lists that begin at the same time have no connection yet. */
  #connecting(list: LongList): void {
    const [oldest] = this.#connected;
    if (oldest !== undefined && this.#connected.size >= this.connections) {
      this.#connected.delete(oldest);
      oldest.setAside();
    }
    this.#connected.add(list);
  }
}
