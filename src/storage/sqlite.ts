/** The embedded engine: Store over bun:sqlite. */
import type { Database } from 'bun:sqlite';
import { closeSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Collection } from '../domain/collection.ts';
import { StartError } from '../domain/errors.ts';
import type { Store } from '../domain/store.ts';
import { connect } from './connection.ts';
import { lock } from './lock.ts';
import { migrate } from './schema.ts';
import { openTable, type Table } from './table.ts';

/** Opens the file, making it and its folder where they are missing; at most one server at a time has it open. */
export function openFile(path: string, collections: readonly Collection[]): Store {
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Two names of one file must meet at one lock, so the file has to be there first.
    closeSync(openSync(path, 'a+'));
    const real = realpathSync(path);
    const held = lock(real);
    try {
      return openStore(real, collections, held.release);
    } catch (error) {
      held.release();
      throw error;
    }
  } catch (error) {
    throw explain(error, path);
  }
}

/** The same engine with nothing kept. */
export function openMemory(collections: readonly Collection[]): Store {
  return openStore(':memory:', collections, () => {});
}

function openStore(filename: string, collections: readonly Collection[], release: () => void): Store {
  const db = connect(filename);
  try {
    const prepare = db.transaction(() => {
      const fresh = migrate(db, collections, filename);
      const tables = new Map(collections.map((collection) => [collection.name, openTable(db, collection)]));
      for (const { name, first } of fresh) tables.get(name)?.append(first);
      return tables;
    });
    return storeOver(db, prepare.immediate(), release);
  } catch (error) {
    db.close();
    throw error;
  }
}

function storeOver(db: Database, tables: ReadonlyMap<string, Table>, release: () => void): Store {
  const alive = db.prepare('select version from schema_version');

  function table({ name }: Collection): Table {
    const found = tables.get(name);
    if (found === undefined) throw new Error(`the store was opened without the collection ${name}`);
    return found;
  }

  return {
    list: async (collection) => table(collection).list(),
    find: async (collection, id) => table(collection).find(id),
    append: async (collection, row) => table(collection).append(row),
    remove: async (collection, id) => table(collection).remove(id),
    count: async (collection) => table(collection).count(),
    ping: async () => void alive.get(),
    close: async () => {
      // SQLite keeps a file open for as long as a statement on it is.
      alive.finalize();
      for (const table of tables.values()) table.close();
      db.close(true);
      release();
    },
  };
}

/** Whatever the file system or SQLite has against a path, the operator can act on. */
function explain(error: unknown, path: string): unknown {
  const { code, message = '' } = error as { code?: string; message?: string };
  if (code === 'SQLITE_NOTADB') return new StartError(`${path} is not a SQLite database: choose another --database.`);
  if (code === 'EISDIR') return new StartError(`${path} is a folder: name a file in it with --database.`);
  if (code === undefined) return error;
  return new StartError(`Cannot open the database ${path} (${message}): check the path, its rights and the disk.`);
}
