/** The cache and the file reader of each collection. */
import type { Database } from 'bun:sqlite';
import type { Collection } from '../../domain/collection.ts';
import { lazy } from '../../domain/lazy.ts';
import { type Budget, Cache } from './cache/cache.ts';
import { Memory } from './memory/memory.ts';
import type { FileReads } from './reads/file-reads.ts';
import { openReader, type Reader } from './reads/reader.ts';

/** `place` is the index of the collection, which identifies it in write lines. */
export type Table = { readonly place: number; readonly reader: () => Reader; readonly cache: Cache };

export class Tables {
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #places: readonly Table[];
  readonly #budget: Budget;
  readonly #memory: Memory;
  /** Those that were used. */
  readonly #readers: Reader[] = [];

  constructor(db: Database, collections: readonly Collection[], file: FileReads, cacheBytes: number) {
    const budget: Budget = { limit: cacheBytes, used: 0 };
    this.#budget = budget;
    this.#memory = new Memory(collections.length);
    const run = crypto.randomUUID().slice(0, 8);
    const tables = collections.map((collection, place) => {
      const reader = lazy(() => {
        const opened = openReader(db, collection);
        this.#readers.push(opened);
        return opened;
      });
      const after = (seq: number, limit: number) => file.readInStep(() => reader().after(seq, limit));
      const cache = new Cache({ after }, this.#memory, place, budget, run, collection.contract !== undefined);
      return [collection.name, { place, reader, cache }] as const;
    });
    this.#tables = new Map(tables);
    this.#places = tables.map(([, table]) => table);
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

  /** If a collection cannot be read its cache stays off: requests read the file and report the error. */
  fillCaches(): void {
    for (const { cache } of this.#tables.values()) cache.fill().catch(() => cache.close());
  }

  /** The cache of the collection at this place. */
  cacheAt(place: number): Cache | undefined {
    return this.#places[place]?.cache;
  }

  /** Reads see everything that was applied to the caches. */
  publish(): void {
    this.#memory.publish();
  }

  /** Reloads all caches from the file. */
  restartCaches(): void {
    for (const { cache } of this.#tables.values()) cache.startOver();
    this.#memory.publish();
  }

  /** Finalizes all statements: SQLite keeps the file open while one is left. */
  close(): void {
    for (const { cache } of this.#tables.values()) cache.close();
    for (const reader of this.#readers) reader.close();
  }
}
