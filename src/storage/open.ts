/** Opens the engine that a database URL names. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Permission, Plan } from '../declarations/refusal.ts';
import { StartError } from '../domain/errors.ts';
import type { Collection } from '../domain/record/collection.ts';
import type { ApiKeys } from '../domain/store/api-keys.ts';
import type { Store } from '../domain/store/store.ts';
import type { ProcessState } from '../threads/process-state.ts';
import { SpoolLimits, type SpoolSettings } from './bulk/spool-limits.ts';
import type { CommitObserver } from './commit-queue.ts';
import type { OpenedEngine } from './engine-store.ts';
import { requireWritableSession, serversOf, urlsIn } from './postgres/connect/servers.ts';
import { readTlsFiles, tlsParameters } from './postgres/connect/tls-parameters.ts';
import { openDatabaseKeys } from './postgres/keys/open-keys.ts';
import { atStart as postgresAtStart } from './postgres/schema/evolution.ts';
import { planDatabase } from './postgres/schema/read-plan.ts';
import { postgresStore } from './postgres/store.ts';
import { openShared, type SharedFile, type SharedOptions } from './sqlite/further-thread.ts';
import { openFile, openFileKeys, openMemory, planFile } from './sqlite/open.ts';
import { atStart as sqliteAtStart } from './sqlite/schema/evolution.ts';
import type { Succession } from './succession.ts';
import { viewedStore } from './views/viewed-store.ts';

export { DatabaseInUse } from './sqlite/open.ts';

/** A parsed database URL. */
export type Engine =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

export type EngineOptions = {
  readonly database: {
    /** SQLite: bytes of memory for records. */
    readonly cache: number;
    /** PostgreSQL: URLs of single standbys that serve reads. */
    readonly replicas: { readonly value: readonly string[] | undefined };
    /** PostgreSQL: connections for reads; long lists get the same number again. */
    readonly connections: number;
    /** PostgreSQL: in milliseconds, and so is `wait`. */
    readonly timeout: number;
    readonly wait: number;
    readonly prepare: boolean;
    /** Refuses to create a database. */
    readonly mustExist: boolean;
  };
  readonly limits: {
    /** Bytes on disk for bulks and slow readers' lists; raised to `maxBulk` where it is lower. */
    readonly maxSpool: number;
    readonly maxBulk: number;
    /** SQLite: the time limit of one search, in milliseconds. */
    readonly requestTimeout: number;
  };
  /** Bulks and long lists that may have files open at once. */
  readonly files?: Pick<SpoolSettings, 'bulks' | 'lists'> | undefined;
  /** Shared with the other threads of the process that open the same database. */
  readonly state?: ProcessState | undefined;
  /** What may be done to the tables; what a server may do at its start if absent. */
  readonly permission?: Permission | undefined;
  /** Called with each step that is done to the tables of a collection. */
  readonly onStep?: ((text: string) => void) | undefined;
  /** Called once if the database does not answer at the start. */
  readonly onWaiting: (line: string) => void;
  readonly onCommit?: CommitObserver | undefined;
  /** Called once for each problem with the database that needs an operator. */
  readonly onTrouble?: ((message: string) => void) | undefined;
  /** PostgreSQL on several servers: called when another one is used, if a failover can lose writes, and when a standby is left out. */
  readonly onWarning?: ((message: string) => void) | undefined;
};

/** Used where the system sets no limit on open files. */
const defaultFiles = { bulks: 256, lists: 64 };

export const engineForms = 'sqlite:PATH, postgres://USER:PASSWORD@HOST[,HOST...]/NAME or memory:';

/** Returns undefined if the URL names no engine. Throws a StartError if its parameters cannot be used. */
export function parseEngine(url: string): Engine | undefined {
  if (url === 'memory:') return { kind: 'memory' };
  if (/^postgres(ql)?:/.test(url)) {
    requireWritableSession(url);
    return serversOf(url).every(isPostgres) ? { kind: 'postgres', url } : undefined;
  }
  // A host follows `//`, and a file has none: `sqlite:///path` is absolute, `sqlite://path` is a mistake.
  const path = /^sqlite:(?:\/\/(?=\/))?((?!\/\/)[^\0]+)$/.exec(url)?.[1];
  return path === undefined || path.endsWith('/') || path === ':memory:' ? undefined : { kind: 'sqlite', path };
}

export const replicaForms =
  'none, or postgres://USER:PASSWORD@HOST[,HOST...]/NAME, also several with commas between them';

/** One URL for each standby; undefined if one of them is invalid. */
export function parseReplicas(text: string): readonly string[] | undefined {
  const urls = urlsIn(text);
  return urls.every((url) => parseEngine(url)?.kind === 'postgres') ? urls.flatMap(serversOf) : undefined;
}

/** For the URL of one server: true for a host, one database name, correct percent-encoding, and nothing that the driver mishandles. */
function isPostgres(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, pathname, username, password, searchParams, hash } = new URL(url);
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part);
  } catch {
    return false;
  }
  if (hostname === '' || !/^\/[^/]+$/.test(pathname) || hash !== '') return false;
  const tls = tlsParameters(searchParams);
  if (tls !== undefined) readTlsFiles(tls);
  return tls !== undefined;
}

/** What a start may do to the tables. */
export function startPermission({ kind }: Engine): Permission {
  return kind === 'postgres' ? postgresAtStart : sqliteAtStart;
}

/** A store whose collections can be exchanged. */
export type OpenedStore = Store & { readonly succession: Succession<OpenedStore> };

export function openEngine(engine: Engine, collections: readonly Collection[], options: EngineOptions): OpenedStore {
  return opened(openBare(engine, collections, options));
}

function opened(engine: OpenedEngine): OpenedStore {
  const { succession } = engine;
  return {
    ...viewedStore(engine),
    succession: {
      plan: succession.plan,
      fileTag: succession.fileTag,
      async migrate(...next) {
        const open = await succession.migrate(...next);
        return () => opened(open());
      },
    },
  };
}

function openBare(engine: Engine, collections: readonly Collection[], options: EngineOptions): OpenedEngine {
  const { database, limits, onWaiting, onCommit, onTrouble, onWarning, onStep = () => {} } = options;
  const { mustExist } = database;
  const spoolLimits = spoolLimitsOf(options);
  const searchMs = limits.requestTimeout;
  const longWork = options.state?.longWork;
  const replicas = database.replicas.value ?? [];
  if (replicas.length > 0 && engine.kind !== 'postgres')
    throw new StartError(
      `--database-replicas needs a PostgreSQL database, and --database is ${engine.kind}: leave it out.`,
    );
  if (engine.kind === 'memory') {
    if (mustExist)
      throw new StartError(
        'memory: is always a new database and --database-must-exist is on: choose another --database or turn it off.',
      );
    return openMemory(collections, { spoolLimits, searchMs, onCommit });
  }
  if (engine.kind === 'sqlite') {
    const path = resolve(engine.path);
    if (mustExist) requireFile(path, ' and --database-must-exist is on: mount its volume or correct --database');
    const evolution = { ...(options.permission ?? sqliteAtStart), onStep };
    const cacheBytes = database.cache;
    return openFile(path, collections, { cacheBytes, spoolLimits, searchMs, longWork, onCommit, onTrouble, evolution });
  }
  return postgresStore(
    {
      url: engine.url,
      replicas,
      connections: database.connections,
      timeoutMs: database.timeout,
      waitMs: database.wait,
      prepare: database.prepare,
      mustExist,
      evolution: { ...(options.permission ?? postgresAtStart), onStep },
      spoolLimits,
      onWaiting,
      onCommit,
      onTrouble,
      onWarning,
    },
    collections,
  );
}

/** What a start with these collections would do to the tables, and with `isChecked` whether every record fits; nothing is changed. */
export async function planEngine(
  engine: Engine,
  collections: readonly Collection[],
  { database }: EngineOptions,
  isChecked: boolean,
): Promise<Plan> {
  if (engine.kind === 'memory') throw new StartError('memory: is always a new database: choose another --database.');
  if (engine.kind === 'sqlite') return planFile(resolve(engine.path), collections, isChecked);
  const { timeout: timeoutMs, prepare } = database;
  return planDatabase({ url: engine.url, timeoutMs, prepare, giveUpOn: 'statement_timeout' }, collections, isChecked);
}

/** The same database on one more thread of the process, with what `Store.sharing` has. */
export function openOnThread(
  data: unknown,
  collections: readonly Collection[],
  options: EngineOptions & Pick<SharedOptions, 'tickets'>,
): { readonly store: Store; readonly writer: ReturnType<typeof openShared>['writer'] } {
  const { limits, state, onCommit, onTrouble, tickets } = options;
  const { store, writer } = openShared(data as SharedFile, collections, {
    spoolLimits: spoolLimitsOf(options),
    searchMs: limits.requestTimeout,
    longWork: state?.longWork,
    onCommit,
    onTrouble,
    tickets,
  });
  return { store: viewedStore(store), writer };
}

function spoolLimitsOf({ limits: { maxSpool, maxBulk }, files = defaultFiles, state }: EngineOptions): SpoolLimits {
  return new SpoolLimits({ ...files, spoolBytes: Math.max(maxSpool, maxBulk) }, state);
}

/** Runs before anything is created. An empty file is refused too: a failed mount or a full disk can leave one. */
function requireFile(path: string, advice: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size !== undefined && size > 0) return;
  throw new StartError(
    `The database ${path} ${size === undefined ? 'does not exist' : 'is empty'}${advice}; to make a new one, run shelf migrate.`,
  );
}

/** For administration, also while servers run. Never creates a database: in a wrong folder that would go unnoticed. */
export async function openApiKeys(
  engine: Engine,
  options: EngineOptions,
): Promise<{ readonly apiKeys: ApiKeys; close(): Promise<void> }> {
  if (engine.kind === 'memory') throw new StartError('memory: stores no API keys: choose another --database.');
  if (engine.kind === 'sqlite') {
    const path = resolve(engine.path);
    requireFile(path, ': correct --database');
    return openFileKeys(path, { spoolLimits: spoolLimitsOf(options), searchMs: options.limits.requestTimeout });
  }
  const { timeout: timeoutMs, wait: waitMs, prepare } = options.database;
  const { onWaiting } = options;
  return openDatabaseKeys({ url: engine.url, timeoutMs, waitMs, prepare, giveUpOn: 'statement_timeout', onWaiting });
}
