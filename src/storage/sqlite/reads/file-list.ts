/**
 * A list of a collection, read from one snapshot of the file at the pace of its reader. SQLite cannot restart the WAL
 * while a snapshot is open. So when the WAL has grown large, the rest of the list is copied to a spool file and the
 * snapshot is released, however slow the reader is.
 */
import type { Database } from 'bun:sqlite';
import type { Bytes } from '../../../domain/bytes.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { Spool } from '../../bulk/spool.ts';
import type { ClientSpool } from '../../bulk/spool-limits.ts';
import { lastChangeIn } from '../statements/collection-sql.ts';
import { connect } from '../statements/connection.ts';
import { openReader } from './reader.ts';

type Snapshot = { readonly parts: Generator<Bytes, void>; close(): void };

export class FileList {
  /** The last change that the list includes. */
  readonly lastChange: number;
  #snapshot: Snapshot | undefined;
  #spool: Spool | undefined;
  /** Bytes read from the spool. */
  #offset = 0;
  #spooling: Promise<void> | undefined;
  /** Resolves when the spool has grown or is complete. */
  #progress = Promise.withResolvers<void>();
  #closed = false;

  constructor(
    filename: string,
    collection: Collection,
    readonly folder: string,
    readonly clientSpool: ClientSpool,
  ) {
    const db = connect(filename);
    try {
      db.run('begin');
      this.lastChange = lastChangeIn(db);
      this.#snapshot = snapshotOf(db, collection);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** The next part; undefined at the end. */
  async next(): Promise<Bytes | undefined> {
    if (this.#spooling === undefined) return this.#snapshot?.parts.next().value ?? undefined;
    for (;;) {
      // Checked before the read: a part that is written during the read may lie beyond the end that the read finds.
      const isComplete = this.#snapshot === undefined;
      const progress = this.#progress.promise;
      const part = await this.#spool?.read(this.#offset);
      if (part !== undefined) {
        this.#offset += part.length;
        return part;
      }
      if (isComplete) break;
      await progress;
    }
    await this.#spooling;
    return undefined;
  }

  /** Copies the rest of the list to a spool file, then releases the snapshot. */
  setAside(): void {
    if (this.#spooling !== undefined || this.#snapshot === undefined) return;
    this.#spooling = this.#fillSpool(this.#snapshot);
    // `next` reports the error to the reader.
    this.#spooling.catch(() => {});
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#spooling?.catch(() => {});
    this.#releaseSnapshot();
    await this.#spool?.close();
  }

  async #fillSpool({ parts }: Snapshot): Promise<void> {
    try {
      this.#spool = await Spool.open(this.folder, this.clientSpool);
      for (const part of parts) {
        if (this.#closed) return;
        await this.#spool.write(part);
        this.#signalProgress();
      }
    } finally {
      this.#releaseSnapshot();
    }
  }

  #signalProgress(): void {
    const { resolve } = this.#progress;
    this.#progress = Promise.withResolvers();
    resolve();
  }

  /** Wakes a reader that waits for the spool, even if closing the snapshot throws. */
  #releaseSnapshot(): void {
    const snapshot = this.#snapshot;
    this.#snapshot = undefined;
    this.#signalProgress();
    snapshot?.close();
  }
}

function snapshotOf(db: Database, collection: Collection): Snapshot {
  const reader = openReader(db, collection);
  const parts = reader.parts();
  return {
    parts,
    close() {
      parts.return();
      reader.close();
      db.close(true);
    },
  };
}
