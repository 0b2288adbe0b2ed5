/**
 * A whole collection read from the file, as it stood at one moment, at the pace of its reader. SQLite's log cannot begin
 * anew while a snapshot of it is read; so where the log has grown large, what is left of the list is set aside in a file
 * of its own and the snapshot is let go, however slow the reader is.
 */
import type { Database } from 'bun:sqlite';
import type { Collection } from '../../domain/collection.ts';
import type { Bytes } from '../../domain/store.ts';
import type { Room } from '../room.ts';
import { Spool } from '../spool.ts';
import { connect } from './connection.ts';
import { openReader } from './reader.ts';
import { lastChangeIn } from './sql.ts';

type Snapshot = { readonly parts: Generator<Bytes, void>; close(): void };

export class FileList {
  /** The last change that the list includes. */
  readonly lastChange: number;
  #snapshot: Snapshot | undefined;
  #spool: Spool | undefined;
  #read = 0;
  #settingAside: Promise<void> | undefined;
  /** Resolved when more has been set aside, or all of it. */
  #progress = Promise.withResolvers<void>();
  #closed = false;

  constructor(
    filename: string,
    collection: Collection,
    readonly folder: string,
    readonly room: Room,
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

  /** Undefined at the end. */
  async next(): Promise<Bytes | undefined> {
    if (this.#settingAside === undefined) return this.#snapshot?.parts.next().value ?? undefined;
    for (;;) {
      // Looked at before the read: what is written while it reads may be behind the end that it finds.
      const isWhole = this.#snapshot === undefined;
      const progress = this.#progress.promise;
      const part = await this.#spool?.read(this.#read);
      if (part !== undefined) {
        this.#read += part.length;
        return part;
      }
      if (isWhole) break;
      await progress;
    }
    await this.#settingAside;
    return undefined;
  }

  /** Lets go of the snapshot as soon as the rest of the list is set aside. */
  setAside(): void {
    if (this.#settingAside !== undefined || this.#snapshot === undefined) return;
    this.#settingAside = this.#fillSpool(this.#snapshot);
    // Told to the reader that asks for the next part.
    this.#settingAside.catch(() => {});
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#settingAside?.catch(() => {});
    this.#letGo();
    await this.#spool?.close();
  }

  async #fillSpool({ parts }: Snapshot): Promise<void> {
    try {
      this.#spool = await Spool.open(this.folder, this.room);
      for (const part of parts) {
        if (this.#closed) return;
        await this.#spool.write(part);
        this.#tellProgress();
      }
    } finally {
      this.#letGo();
      this.#tellProgress();
    }
  }

  #tellProgress(): void {
    const { resolve } = this.#progress;
    this.#progress = Promise.withResolvers();
    resolve();
  }

  #letGo(): void {
    this.#snapshot?.close();
    this.#snapshot = undefined;
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
