/**
 * The store on PostgreSQL. Every write goes to the primary, every read to it or to a standby, and nothing is cached, so all
 * instances agree.
 */
import { Failure } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { SpoolLimits } from '../bulk/spool-limits.ts';
import type { CommitObserver } from '../commit-queue.ts';
import type { OpenedEngine } from '../engine-store.ts';
import { type AdminOptions, PostgresAdmin } from './admin.ts';
import { LostBulks } from './bulk/lost-bulks.ts';
import { type CurrentServer, fixedServer } from './connect/current-server.ts';
import { DatabaseUnavailable } from './connect/errors.ts';
import { Migrated } from './connect/migrated.ts';
import { connect, Pool } from './connect/pool.ts';
import { addressOf, serversOf } from './connect/servers.ts';
import { Secret } from './keys/secret.ts';
import { Primary } from './primary/primary.ts';
import { lossNotice, SeenChanges } from './primary/seen-changes.ts';
import { PostgresFeed } from './read/feed.ts';
import { Listener } from './read/listener.ts';
import { Lists } from './read/lists.ts';
import { Queries } from './read/queries.ts';
import { PostgresReads } from './read/reads.ts';
import { planDatabase } from './schema/read-plan.ts';
import { fileTagSetting } from './schema/schema.ts';
import { Replicas } from './standby/replicas.ts';
import { openTables } from './statements/table.ts';
import { Batches } from './write/batches.ts';
import { PostgresWrites } from './write/writes.ts';

export type PostgresOptions = AdminOptions & {
  readonly url: string;
  /** URLs of single standbys that serve reads. */
  readonly replicas: readonly string[];
  readonly prepare: boolean;
  readonly spoolLimits: SpoolLimits;
  readonly onCommit: CommitObserver | undefined;
  /** Called for each part of the history that the database has lost. */
  readonly onTrouble: ((message: string) => void) | undefined;
};

export function postgresStore(options: PostgresOptions, collections: readonly Collection[]): OpenedEngine {
  const { connections, timeoutMs, spoolLimits, prepare, onWarning } = options;
  const servers = serversOf(options.url);
  const primary =
    servers.length === 1
      ? undefined
      : new Primary(servers, {
          timeoutMs,
          prepare,
          onMoved: (to, from) => {
            for (const pool of Object.values(pools)) pool.follow();
            listener.reconnect();
            if (from !== undefined)
              onWarning?.(
                `The database is on another server: ${addressOf(to.server)} (before: ${addressOf(from.server)}).`,
              );
          },
        });
  const server: CurrentServer = primary ?? fixedServer(options.url);
  const shared = { ...options, server };
  const pools = {
    reads: new Pool({ ...shared, max: connections, giveUpOn: 'statement_timeout' }),
    writes: new Pool({ ...shared, max: 1, giveUpOn: 'lock_timeout' }),
    lists: new Pool({ ...shared, max: connections, giveUpOn: 'statement_timeout' }),
  };
  const noticed = new SeenChanges((lacked, next) => {
    secret.forget();
    options.onTrouble?.(lossNotice(lacked, next));
  });
  const lostBulks = new LostBulks(pools.reads, timeoutMs, (message) => onWarning?.(message));
  const migrated = new Migrated();
  const batches = new Batches(pools.writes, timeoutMs, noticed, migrated, lostBulks, options.onCommit);
  const replicas =
    options.replicas.length === 0
      ? undefined
      : new Replicas({
          ...options,
          servers: options.replicas,
          primary: server,
          max: connections,
          pool: pools.reads,
        });
  const queries = new Queries(pools.reads, noticed, batches, replicas);
  const { ask, query } = queries;
  const secret = new Secret(ask);
  const lists = new Lists({ query, replicas, pool: pools.lists, connections, timeoutMs, spoolLimits });
  const listen = () =>
    connect({ ...options, url: server.url, giveUpOn: 'statement_timeout' }, { max: 1, idleTimeout: 0 });
  const listener = new Listener(prepare ? listen : undefined, () => {
    server.admit(performance.now() + timeoutMs)?.catch(() => {});
  });
  const tableOf = openTables(collections);
  const reads = new PostgresReads(queries, lists, tableOf);
  const writes = new PostgresWrites({ batches, ask, tableOf, spoolLimits, timeoutMs, reads });
  const feed = new PostgresFeed(queries, listener, collections, noticed);
  const machinery = { pools, primary, replicas, migrated, lostBulks, batches, queries, secret, listener };
  const admin = new PostgresAdmin(machinery, collections, options);
  return { reads, writes, feed, admin, succession: succession(options, pools.reads) };
}

/** How long a migration waits for the database in all, in milliseconds: requests are held meanwhile. */
const maxWaitMs = 5_000;

/** A start would end with the line of the error; a running server goes on. */
function refuse(error: unknown): never {
  if (!(error instanceof DatabaseUnavailable)) throw error;
  const detail = 'The database did not answer in time, so nothing was changed: retry when it does.';
  throw new Failure('storage_unavailable', { detail, cause: error });
}

/** Another store on the same database: its start migrates, and this one goes on until it is closed. */
function succession(options: PostgresOptions, pool: Pool): OpenedEngine['succession'] {
  const { url, timeoutMs, prepare } = options;
  return {
    plan: (next, isChecked) =>
      planDatabase({ url, timeoutMs, prepare, giveUpOn: 'statement_timeout' }, next, isChecked).catch(refuse),
    async fileTag() {
      // Also for a server whose declarations do not fit any more.
      const [row] = await pool.read((sql) => sql`select value from settings where name = ${fileTagSetting}`.values());
      return row?.[0];
    },
    async migrate(next, { beforeCommit, fileTag, ...evolution }) {
      const waitMs = Math.min(options.waitMs, maxWaitMs);
      const store = postgresStore(
        { ...options, waitMs, evolution: { ...evolution, beforeCommit, fileTag }, onWaiting: () => {} },
        next,
      );
      try {
        await store.admin.ready;
      } catch (error) {
        await store.admin.close();
        refuse(error);
      }
      return () => store;
    },
  };
}
