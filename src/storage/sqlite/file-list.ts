/**
 * A whole collection read from the file, as it stood at one moment, at the pace of its reader. SQLite's log cannot begin
 * anew while a snapshot of it is read; so where the log has grown large, what is left of the list is set aside in a file
 * of its own and the snapshot is let go, however slow the reader is.
 */
import type { Database } from 'bun:sqlite';
import type { Collection } from '../../domain/collection.ts';
import type { Bytes } from '../../domain/store.ts';
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
  #closed = false;

  constructor(
    filename: string,
    collection: Collection,
    readonly folder: string,
  ) {
    const db = connect(filename);
    db.run('begin');
    this.lastChange = lastChangeIn(db);
    this.#snapshot = snapshotOf(db, collection);
  }

  /** Undefined at the end. */
  async next(): Promise<Bytes | undefined> {
    if (this.#settingAside === undefined) return this.#snapshot?.parts.next().value ?? undefined;
    await this.#settingAside;
    const part = await this.#spool?.read(this.#read);
    this.#read += part?.length ?? 0;
    return part;
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
      this.#spool = await Spool.open(this.folder);
      for (const part of parts) {
        if (this.#closed) return;
        await this.#spool.write(part);
      }
    } finally {
      this.#letGo();
    }
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
