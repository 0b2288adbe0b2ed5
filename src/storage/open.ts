/** The engine is a URL. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ApiKeys } from '../domain/api-keys.ts';
import type { Collection } from '../domain/collection.ts';
import { StartError } from '../domain/errors.ts';
import type { Store } from '../domain/store.ts';
import type { CommitObserver } from './commit-queue.ts';
import { PostgresStore } from './postgres/store.ts';
import { Room, type RoomLimits } from './room.ts';
import { openFile, openFileKeys, openMemory } from './sqlite/open.ts';

/** Where the records are kept, as a checked value. */
export type Engine =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

export type EngineOptions = {
  readonly database: {
    /** SQLite: bytes of records in memory. */
    readonly cache: number;
    /** PostgreSQL: for reads, and as many for long lists. */
    readonly connections: number;
    readonly timeout: number;
    readonly wait: number;
    readonly prepare: boolean;
    /** Creates no new database. */
    readonly mustExist: boolean;
  };
  readonly limits: {
    /** Bytes on disk for bulks and slow readers' lists; at least `maxBulk`. */
    readonly maxSpool: number;
    readonly maxBulk: number;
    /** In milliseconds; for one search in SQLite. */
    readonly requestTimeout: number;
  };
  /** How many bulks and long lists may have files open at once. */
  readonly files?: Pick<RoomLimits, 'bulks' | 'lists'> | undefined;
  /** Told once, when the database does not answer at the start. */
  readonly onWaiting: (line: string) => void;
  readonly onCommit?: CommitObserver | undefined;
  /** Told once of each trouble with the database that an operator has to look into. */
  readonly onTrouble?: ((message: string) => void) | undefined;
};

/** Where the system sets no limit on open files. */
const plentyOfFiles = { bulks: 256, lists: 64 };

export const engineForms = 'sqlite:PATH, postgres://USER:PASSWORD@HOST/NAME or memory:';

/** Undefined when the URL names no engine. */
export function parseEngine(url: string): Engine | undefined {
  if (url === 'memory:') return { kind: 'memory' };
  if (/^postgres(ql)?:/.test(url)) return isPostgres(url) ? { kind: 'postgres', url } : undefined;
  // After `//` a host would follow, and a file has none: `sqlite:///path` is absolute, `sqlite://path` is a mistake.
  const path = /^sqlite:(?:\/\/(?=\/))?((?!\/\/)[^\0]+)$/.exec(url)?.[1];
  return path === undefined || path.endsWith('/') || path === ':memory:' ? undefined : { kind: 'sqlite', path };
}

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** A host and a database, encoded as a URL should be, and nothing that the driver would stumble over. */
function isPostgres(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, pathname, username, password, searchParams, hash } = new URL(url);
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part);
  } catch {
    return false;
  }
  const mode = searchParams.get('sslmode');
  const known = [...searchParams.keys()].every((key) => key === 'sslmode');
  return (
    hostname !== '' && /^\/[^/]+$/.test(pathname) && hash === '' && known && (mode === null || sslModes.includes(mode))
  );
}

export function openEngine(engine: Engine, collections: readonly Collection[], options: EngineOptions): Store {
  const { database, limits, onWaiting, onCommit, onTrouble } = options;
  const { mustExist } = database;
  const room = roomOf(options);
  const searchMs = limits.requestTimeout;
  if (engine.kind === 'memory') {
    if (mustExist)
      throw new StartError(
        'memory: is always a new database: name another --database, or leave --database-must-exist out.',
      );
    return openMemory(collections, { room, searchMs, onCommit });
  }
  if (engine.kind === 'sqlite') {
    const path = resolve(engine.path);
    if (mustExist) requireFile(path, ' and --database-must-exist is on: mount its volume or correct --database');
    return openFile(path, collections, { cacheBytes: database.cache, room, searchMs, onCommit, onTrouble });
  }
  return new PostgresStore(
    {
      url: engine.url,
      connections: database.connections,
      timeoutMs: database.timeout,
      waitMs: database.wait,
      prepare: database.prepare,
      mustExist,
      room,
      onWaiting,
      onCommit,
      onTrouble,
    },
    collections,
  );
}

function roomOf({ limits: { maxSpool, maxBulk }, files = plentyOfFiles }: EngineOptions): Room {
  return new Room({ ...files, spoolBytes: Math.max(maxSpool, maxBulk) });
}

/** Before anything is made: an empty file is what is left of a volume that could not be mounted, or of a full disk. */
function requireFile(path: string, advice: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size !== undefined && size > 0) return;
  throw new StartError(
    `The database ${path} ${size === undefined ? 'does not exist' : 'is empty'}${advice}; to make a new one, run shelf migrate.`,
  );
}

/** For administration, beside the servers that are running. Makes no database: in a wrong folder that would go unnoticed. */
export async function openApiKeys(
  engine: Engine,
  collections: readonly Collection[],
  options: EngineOptions,
): Promise<{ readonly apiKeys: ApiKeys; close(): Promise<void> }> {
  if (engine.kind === 'memory') throw new StartError('memory: keeps no keys: name the database with --database.');
  if (engine.kind === 'sqlite') {
    const path = resolve(engine.path);
    requireFile(path, ': correct --database');
    return openFileKeys(path, collections, { room: roomOf(options), searchMs: options.limits.requestTimeout });
  }
  const store = openEngine(engine, collections, {
    ...options,
    database: { ...options.database, mustExist: true },
  });
  try {
    await store.ready;
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}
