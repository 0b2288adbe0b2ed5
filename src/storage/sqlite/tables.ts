/** Each collection's readers: the records in memory, and the statements on the file. */
import type { Database } from 'bun:sqlite';
import type { Collection } from '../../domain/collection.ts';
import { type Budget, Cache } from './cache/cache.ts';
import type { FileReads } from './reads/file-reads.ts';
import { openReader, type Reader } from './reads/reader.ts';

/** `place` names the collection in lines to the writing thread. */
export type Table = { readonly place: number; readonly reader: Reader; readonly cache: Cache };

export class Tables {
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #budget: Budget;

  constructor(db: Database, collections: readonly Collection[], file: FileReads, cacheBytes: number) {
    const budget: Budget = { limit: cacheBytes, used: 0 };
    this.#budget = budget;
    const run = crypto.randomUUID().slice(0, 8);
    const tables = collections.map((collection, place) => {
      const reader = openReader(db, collection);
      const after = (seq: number, limit: number) => file.readInStep(() => reader.after(seq, limit));
      return [collection.name, { place, reader, cache: new Cache({ after }, budget, run) }] as const;
    });
    this.#tables = new Map(tables);
  }

  /** Bytes of records in memory. */
  get cacheBytes(): number {
    return this.#budget.used;
  }

  of({ name }: Collection): Table {
    const found = this.#tables.get(name);
    if (found === undefined) throw new Error(`the store was opened without the collection ${name}`);
    return found;
  }

  /** A collection that cannot be read now is served from the file, where the error is reported. */
  fillCaches(): void {
    for (const { cache } of this.#tables.values()) cache.fill().catch(() => cache.close());
  }

  /** Reads all records into memory again. */
  restartCaches(): void {
    for (const { cache } of this.#tables.values()) cache.startOver();
  }

  /** SQLite keeps a file open as long as a statement on it is. */
  close(): void {
    for (const { reader, cache } of this.#tables.values()) {
      cache.close();
      reader.close();
    }
  }
}
