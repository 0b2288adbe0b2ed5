/** Opens a SQLite database by its path: creates it if it is missing, migrates it, and locks it for one server. */
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { declarationsOf, planFor } from '../../declarations/plan.ts';
import type { Evolution, Plan } from '../../declarations/refusal.ts';
import { StartError } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { ApiKeys } from '../../domain/store/api-keys.ts';
import type { OpenedEngine } from '../engine-store.ts';
import { openApiKeys, writeKeys } from './api-keys.ts';
import { openDatabase } from './file/database.ts';
import { lock } from './file/lock.ts';
import { identify, makePrivate } from './file/watch.ts';
import type { SharedFile } from './further-thread.ts';
import { CommitProgress } from './memory/atomics.ts';
import { migrateServed } from './migrate-served.ts';
import { atStart, planIn, unservedCollectionsIn, unservedIn } from './schema/evolution.ts';
import { isEmpty, requireCurrent, requireOwn } from './schema/schema.ts';
import { beginRun, bring, type Run } from './server-run.ts';
import { lastChangeIn } from './statements/collection-sql.ts';
import { connect, memoryName, walBytes } from './statements/connection.ts';
import { type SqliteOptions, sqliteStore } from './store.ts';
import { openTickets } from './tickets.ts';
import { WriterConnection } from './writer/thread/connection.ts';
import { WriterThread } from './writer/thread/writer-thread.ts';

/** Another server has the file open. */
export class DatabaseInUse extends StartError {
  constructor(readonly path: string) {
    super(`${path} is in use by another Shelf server: stop that one, or choose another --database.`);
  }
}

const silently: Evolution = { ...atStart, onStep: () => {} };

type OpenOptions = Pick<SqliteOptions, 'spoolLimits' | 'searchMs'> &
  Partial<Pick<SqliteOptions, 'walBytes' | 'longWork' | 'onCommit' | 'onTrouble' | 'tickets'>> & {
    /** Limit of all records in memory together, in bytes. */
    readonly cacheBytes: number;
    /** Whatever loses nothing if absent. */
    readonly evolution?: Evolution | undefined;
  };

/** Creates the file and its folder if they are missing. Throws a StartError if another server has the file open. */
export function openFile(path: string, collections: readonly Collection[], options: OpenOptions): OpenedEngine {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // All names of a file must lead to one lock, so the file must exist first. SQLite gives the WAL the mode of the file.
    makePrivate(path);
    const real = realpathSync(path);
    const held = lock(real);
    if (held === 'taken') {
      throw new DatabaseInUse(path);
    }
    try {
      return openStore(
        real,
        collections,
        options,
        beginRun(real, collections, held, path, options.evolution ?? silently),
      );
    } catch (error) {
      held.release();
      throw error;
    }
  } catch (error) {
    throw explain(error, path);
  }
}

/** The API keys of a file, also while a server has it open. No collection is changed. */
export function openFileKeys(
  path: string,
  options: Pick<OpenOptions, 'spoolLimits' | 'searchMs'>,
): { apiKeys: ApiKeys; close(): Promise<void> } {
  try {
    const real = realpathSync(path);
    const held = lock(real);
    if (held !== 'taken') {
      held.release();
      return openFile(real, [], { ...options, cacheBytes: 0 }).admin;
    }
    const db = connect(real);
    requireCurrent(db, real);
    const apiKeys = openApiKeys(db, async (write) => writeKeys(db, write));
    const close = async () => {
      apiKeys.close();
      db.close(true);
    };
    return { apiKeys, close };
  } catch (error) {
    throw explain(error, path);
  }
}

/** What a start with these collections would do to a file; nothing is changed. */
export async function planFile(path: string, collections: readonly Collection[], isChecked: boolean): Promise<Plan> {
  try {
    const ofNew = { changes: planFor({}, declarationsOf(collections)), unserved: [], violations: [] };
    if (!existsSync(path)) return ofNew;
    using db = openDatabase(realpathSync(path), { readonly: true });
    requireOwn(db, path);
    return isEmpty(db) ? ofNew : await planIn(db, collections, isChecked);
  } catch (error) {
    throw explain(error, path);
  }
}

/** The same engine over an in-memory database; the cache has no limit but that of its structures, 128 GiB. */
export function openMemory(
  collections: readonly Collection[],
  given: Pick<OpenOptions, 'spoolLimits' | 'searchMs' | 'onCommit'>,
): OpenedEngine {
  const filename = memoryName();
  const db = connect(filename);
  db.transaction(() => bring(db, collections, filename, silently)).immediate();
  const options = { ...given, cacheBytes: Number.POSITIVE_INFINITY };
  return openStore(filename, collections, options, { db, isNew: true, end: (last) => last.close(true) });
}

function openStore(
  filename: string,
  collections: readonly Collection[],
  { cacheBytes, ...options }: OpenOptions,
  run: Run,
): OpenedEngine {
  const { db, isNew } = run;
  const tickets = options.tickets ?? openTickets();
  /** The run goes on with another connection. */
  let isSucceeded = false;
  try {
    const opened = identify(filename);
    const declarations = Object.fromEntries(collections.map(({ name, declaration }) => [name, declaration]));
    const unserved = unservedIn(db, collections);
    const progress = new CommitProgress();
    const thread = new WriterThread({ filename, opened, declarations, unserved, cacheBytes }, progress, () => {
      try {
        return lastChangeIn(db);
      } catch {
        // No read of an unreadable file can succeed, so none has to wait.
        return undefined;
      }
    });
    const writer = new WriterConnection(progress);
    thread.serve(writer);
    const store = sqliteStore(filename, db, collections, writer, {
      progress,
      closeWriter: () => thread.close(),
      walBytes,
      onCommit: undefined,
      onTrouble: undefined,
      sharing: {
        data: {
          filename,
          opened,
          progress: progress.shared,
          walBytes: options.walBytes ?? walBytes,
        } satisfies SharedFile,
        connect: (one) => thread.serve(one),
      },
      ...options,
      tickets,
      opened,
      isNew,
      unserved: unservedCollectionsIn(db, collections),
      end: () => (isSucceeded ? db.close() : run.end(db)),
    });
    return {
      ...store,
      succession: {
        plan: (next, isChecked) => planOf(filename, next, isChecked),
        fileTag: async () => undefined,
        async migrate(next, how) {
          // Opened first: from the commit on nothing may fail.
          const connection = connect(filename);
          await migrateServed(filename, next, how).catch((error) => {
            connection.close();
            throw error;
          });
          isSucceeded = true;
          const going = { ...run, db: connection, isNew: false };
          return () => openStore(filename, next, { ...options, cacheBytes, tickets }, going);
        },
      },
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

async function planOf(filename: string, collections: readonly Collection[], isChecked: boolean): Promise<Plan> {
  using db = connect(filename);
  return await planIn(db, collections, isChecked);
}

/** Turns an error of the file system or SQLite into one that the operator can act on. */
function explain(error: unknown, path: string): unknown {
  const { code, message = '' } = error as { code?: string; message?: string };
  if (code === 'SQLITE_NOTADB') return new StartError(`${path} is not a SQLite database: choose another --database.`);
  if (code === 'EISDIR') return new StartError(`${path} is a folder: name a file in it with --database.`);
  if (code === undefined) return error;
  return new StartError(`Cannot open the database ${path} (${message}): check the path, its permissions and the disk.`);
}
