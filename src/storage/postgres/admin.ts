/** The life of a store on PostgreSQL, and its keys, secret and figures. */
import type { Evolution } from '../../declarations/refusal.ts';
import { Failure } from '../../domain/errors.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Soon } from '../../domain/soon.ts';
import type { Admin } from '../../domain/store/admin.ts';
import type { ApiKeys } from '../../domain/store/api-keys.ts';
import type { Figures } from '../../domain/store/figures.ts';
import type { Tickets } from '../../domain/store/tickets.ts';
import type { LostBulks } from './bulk/lost-bulks.ts';
import type { Migrated } from './connect/migrated.ts';
import { type Pool, withDeadline } from './connect/pool.ts';
import { retryUntilReady, type WaitOptions } from './connect/wait-for-database.ts';
import { openApiKeys } from './keys/api-keys.ts';
import type { Secret } from './keys/secret.ts';
import { openTickets } from './keys/tickets.ts';
import type { Primary } from './primary/primary.ts';
import type { Listener } from './read/listener.ts';
import type { Queries } from './read/queries.ts';
import { migrate } from './schema/schema.ts';
import type { Replicas } from './standby/replicas.ts';
import { keyStatements } from './statements/changes.ts';
import type { Batches } from './write/batches.ts';

export type AdminOptions = WaitOptions & {
  readonly connections: number;
  readonly timeoutMs: number;
  /** A database without Shelf tables is a StartError; none are created. */
  readonly mustExist: boolean;
  /** What may be done to the tables; whatever servers with an earlier file can go on beside if absent. */
  readonly evolution?: Evolution | undefined;
  /** Called when the database is on another server, if acknowledged writes can be lost then, when a standby is left out, and when a bulk was ended. */
  readonly onWarning: ((message: string) => void) | undefined;
};

/** What the parts of a store share. */
export type Machinery = {
  readonly pools: { readonly reads: Pool; readonly writes: Pool; readonly lists: Pool };
  /** Undefined if the URL names one server. */
  readonly primary: Primary | undefined;
  readonly replicas: Replicas | undefined;
  readonly migrated: Migrated;
  readonly lostBulks: LostBulks;
  readonly batches: Batches;
  readonly queries: Queries;
  readonly secret: Secret;
  readonly listener: Listener;
};

const asynchronous =
  'Replication is asynchronous: if another database server becomes the primary, acknowledged writes can be lost, and a former primary can ' +
  'serve stale reads. Set synchronous_standby_names (in Patroni, synchronous_mode and synchronous_mode_strict).';

export class PostgresAdmin implements Admin {
  readonly sharing = undefined;
  readonly apiKeys: ApiKeys;
  readonly tickets: Tickets;
  /** Resolves when the database is migrated; rejects with a StartError if it cannot be. */
  readonly ready: Promise<void>;
  isNew = false;
  unserved: readonly string[] = [];
  #closed = false;

  constructor(
    readonly machinery: Machinery,
    readonly collections: readonly Collection[],
    readonly options: AdminOptions,
  ) {
    const { queries, migrated } = machinery;
    this.apiKeys = openApiKeys(queries.ask);
    this.tickets = openTickets(queries.ask);
    this.ready = this.#start();
    this.ready.catch(() => migrated.fail());
  }

  secret(): Soon<string> {
    return this.machinery.secret.get();
  }

  async forgetIdempotencyKeys(keptMs: number): Promise<void> {
    await this.machinery.queries.ask((sql) => sql.unsafe(keyStatements.forget, [keptMs]));
  }

  figures(): Figures {
    const { connections } = this.options;
    const { batches, queries, pools, replicas } = this.machinery;
    return {
      writesWaiting: batches.waiting,
      readsWaiting: queries.waiting,
      cacheBytes: 0,
      hot: { hits: 0, misses: 0 },
      walBytes: 0,
      pools: {
        reads: { used: pools.reads.used, most: connections },
        writes: { used: pools.writes.used, most: 1 },
        lists: { used: pools.lists.used, most: connections },
      },
      replicas: replicas?.figures() ?? {},
      readsFromPrimary: queries.fromPrimary,
    };
  }

  async ping(): Promise<void> {
    // At once: a balancer that asks has other instances.
    if (this.machinery.migrated.writeFunction === undefined) throw new Failure('not_ready');
    await this.machinery.queries.ask((sql) => sql`select 1`.values());
  }

  async close(): Promise<void> {
    const { queries, listener, primary, batches, pools, replicas } = this.machinery;
    this.#closed = true;
    queries.close();
    listener.close();
    primary?.close();
    // Every waiting write fails by its own timeout, so there is no reason to wait longer than that.
    await withDeadline(batches.end(), performance.now() + this.options.timeoutMs).catch(() => {});
    await Promise.all([...Object.values(pools), replicas].map((one) => one?.close()));
  }

  async #start(): Promise<void> {
    const { pools, lostBulks, replicas, migrated, primary } = this.machinery;
    const { mustExist, evolution, onWarning } = this.options;
    const isClosed = () => this.#closed;
    const migrating = retryUntilReady(this.options, isClosed, (deadline) =>
      pools.writes.once((sql) => migrate(sql, this.collections, mustExist, evolution), deadline),
    );
    // New tables and records wait for the locks of a bulk, too.
    const { isNew, unserved, writeFunction } = await lostBulks.during(migrating);
    this.isNew = isNew;
    this.unserved = unserved;
    await replicas?.start(writeFunction);
    migrated.succeed(writeFunction);
    if (primary?.isSynchronous === false) onWarning?.(asynchronous);
  }
}
