/** The records in memory and the file reader of each collection. */
import type { Database } from 'bun:sqlite';
import { lazy } from '../../domain/lazy.ts';
import type { Collection } from '../../domain/record/collection.ts';
import { Cache } from './cache/cache.ts';
import type { MemoryReader } from './memory/reader.ts';
import { openReader, type Reader } from './reads/reader.ts';

/** `place` is the index of the collection, which identifies it on the writing thread. `cache` is undefined without memory. */
export type Table = { readonly place: number; readonly reader: () => Reader; cache: Cache | undefined };

export class Tables {
  readonly #tables: ReadonlyMap<string, Table>;
  /** Those that were used. */
  readonly #readers: Reader[] = [];
  #memory: MemoryReader | undefined;

  constructor(
    db: Database,
    readonly collections: readonly Collection[],
  ) {
    this.#tables = new Map(
      collections.map((collection, place) => {
        const reader = lazy(() => {
          const opened = openReader(db, collection);
          this.#readers.push(opened);
          return opened;
        });
        return [collection.name, { place, reader, cache: undefined }];
      }),
    );
  }

  of({ name }: Collection): Table {
    const found = this.#tables.get(name);
    if (found === undefined) throw new Error(`the store was opened without the collection ${name}`);
    return found;
  }

  readFrom(memory: MemoryReader): void {
    this.#memory = memory;
    for (const collection of this.collections) {
      const table = this.of(collection);
      table.cache = new Cache(memory.table(table.place), collection.contract !== undefined);
    }
  }

  /** Lets go of memory that was given back. */
  refresh(): void {
    this.#memory?.refresh();
  }

  /** Finalizes all statements: SQLite keeps the file open while one is left. */
  close(): void {
    for (const reader of this.#readers) reader.close();
  }
}
