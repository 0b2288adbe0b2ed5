/** The embedded engine: reads from memory or SQLite on this thread, writes on another. */
import type { Database } from 'bun:sqlite';
import { closeSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Collection } from '../../domain/collection.ts';
import { Failure, StartError } from '../../domain/errors.ts';
import type { Bytes, Listing, Store } from '../../domain/store.ts';
import { CommitQueue } from '../commit-queue.ts';
import { type Budget, Cache } from './cache.ts';
import { connect, memoryName } from './connection.ts';
import { lock } from './lock.ts';
import { openReader } from './reader.ts';
import { type RemoteWriter, startWriter } from './remote-writer.ts';
import { migrate } from './schema.ts';
import { appendLine, type Outcome, openWriter, removeLine, type WriteLine } from './writer.ts';

/** Opens the file, making it and its folder where they are missing; at most one server at a time has it open. */
export function openFile(path: string, collections: readonly Collection[], cacheBytes: number): Store {
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Two names of one file must meet at one lock, so the file has to be there first.
    closeSync(openSync(path, 'a+'));
    const real = realpathSync(path);
    const held = lock(real);
    try {
      return openStore(real, collections, cacheBytes, held.release);
    } catch (error) {
      held.release();
      throw error;
    }
  } catch (error) {
    throw explain(error, path);
  }
}

/** The same engine with nothing kept: its database is in memory, and so are all of its records. */
export function openMemory(collections: readonly Collection[]): Store {
  return openStore(memoryName(), collections, Number.POSITIVE_INFINITY, () => {});
}

function openStore(filename: string, collections: readonly Collection[], cacheBytes: number, release: () => void) {
  const db = connect(filename);
  try {
    db.transaction(() => {
      const fresh = migrate(db, collections, filename);
      const writer = openWriter(db, fresh);
      writer.apply(fresh.map(({ encode, first }, place) => appendLine(place, encode(first))));
      writer.close();
    }).immediate();
    const shapes = collections.map(({ name, fields }) => ({
      name,
      fields: Object.fromEntries(Object.entries(fields).map(([key, { kind }]) => [key, { kind }])),
    }));
    return new SqliteStore(filename, db, collections, startWriter({ filename, shapes }), cacheBytes, release);
  } catch (error) {
    db.close();
    throw error;
  }
}

type Table = { readonly place: number; readonly reader: ReturnType<typeof openReader>; readonly cache: Cache };

/** A write, and what to tell the cache when it is on disk. */
type Write = { readonly line: WriteLine; apply(outcome: Outcome): void };

class SqliteStore implements Store {
  readonly ready = Promise.resolve();
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #queue: CommitQueue<Write, Outcome>;

  constructor(
    readonly filename: string,
    readonly db: Database,
    collections: readonly Collection[],
    readonly writer: RemoteWriter,
    cacheBytes: number,
    readonly release: () => void,
  ) {
    const budget: Budget = { limit: cacheBytes, used: 0 };
    const epoch = crypto.randomUUID().slice(0, 8);
    const tables = collections.map((collection, place) => {
      const reader = openReader(db, collection);
      return [collection.name, { place, reader, cache: new Cache(reader, budget, epoch) }] as const;
    });
    this.#tables = new Map(tables);
    this.#queue = new CommitQueue((writes) => this.#commit(writes));
    // What cannot be read here cannot be read by a request either, and is told there.
    for (const [, { cache }] of tables) cache.fill().catch(() => cache.close());
  }

  list(collection: Collection): Listing {
    const { cache } = this.#table(collection);
    return cache.ready ? cache.list() : this.#listFromFile(collection);
  }

  find(collection: Collection, id: bigint): Bytes | undefined {
    const { cache, reader } = this.#table(collection);
    return cache.ready ? cache.find(id) : reader.find(id);
  }

  append(collection: Collection, { id }: { readonly id: bigint }, json: string): Promise<void> {
    const { cache, place } = this.#table(collection);
    const apply = (outcome: Outcome) => {
      if (typeof outcome === 'number') cache.appended(outcome, id, json);
    };
    return this.#queue.submit({ line: appendLine(place, json), apply }).then(requireKept);
  }

  remove(collection: Collection, id: bigint): Promise<boolean> {
    const { cache, place } = this.#table(collection);
    const apply = (outcome: Outcome) => {
      if (Array.isArray(outcome)) cache.removed(outcome[0], id, outcome[1]);
    };
    return this.#queue.submit({ line: removeLine(place, id), apply }).then((outcome) => {
      requireKept(outcome);
      return outcome !== null;
    });
  }

  async count(collection: Collection): Promise<number> {
    const { cache, reader } = this.#table(collection);
    return cache.ready ? cache.count : reader.count();
  }

  async ping(): Promise<void> {
    using alive = this.db.prepare('select version from schema_version');
    alive.get();
    this.writer.check();
  }

  async close(): Promise<void> {
    await this.#queue.drain();
    await this.writer.close();
    // SQLite keeps a file open for as long as a statement on it is.
    for (const { reader, cache } of this.#tables.values()) {
      cache.close();
      reader.close();
    }
    this.db.close(true);
    this.release();
  }

  /** One moment of the database, held by a connection of its own for as long as it is being read. */
  #listFromFile(collection: Collection): Listing {
    const { filename } = this;
    function* parts(): Generator<Bytes, void> {
      const db = connect(filename);
      db.run('begin');
      const reader = openReader(db, collection);
      try {
        yield* reader.parts();
      } finally {
        reader.close();
        db.close(true);
      }
    }
    return { tag: undefined, size: undefined, parts };
  }

  /** The cache learns of all writes of a batch in their order, before anybody is told of any. */
  async #commit(writes: readonly Write[]): Promise<Outcome[]> {
    const outcomes = await this.writer.commit(writes.map(({ line }) => line)).catch((cause) => {
      throw new Failure('storage_unavailable', undefined, { cause, headers: { 'Retry-After': '1' } });
    });
    for (const [index, outcome] of outcomes.entries()) writes[index]?.apply(outcome);
    return outcomes;
  }

  #table({ name }: Collection): Table {
    const found = this.#tables.get(name);
    if (found === undefined) throw new Error(`the store was opened without the collection ${name}`);
    return found;
  }
}

/** A write that the database refused for a reason of its own, and not for the disk's. */
function requireKept(outcome: Outcome): void {
  if (outcome !== null && typeof outcome === 'object' && 'failed' in outcome) throw new Error(outcome.failed);
}

/** Whatever the file system or SQLite has against a path, the operator can act on. */
function explain(error: unknown, path: string): unknown {
  const { code, message = '' } = error as { code?: string; message?: string };
  if (code === 'SQLITE_NOTADB') return new StartError(`${path} is not a SQLite database: choose another --database.`);
  if (code === 'EISDIR') return new StartError(`${path} is a folder: name a file in it with --database.`);
  if (code === undefined) return error;
  return new StartError(`Cannot open the database ${path} (${message}): check the path, its rights and the disk.`);
}
