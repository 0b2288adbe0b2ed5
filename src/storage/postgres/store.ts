/**
 * The Store on PostgreSQL. Every write goes to the primary, every read to it or to a standby, and nothing is cached, so all
 * instances agree.
 */
import type { Evolution } from '../../declarations/refusal.ts';
import type { ApiKeys } from '../../domain/api-keys.ts';
import type { Bytes } from '../../domain/bytes.ts';
import type { Collection } from '../../domain/collection.ts';
import { Failure } from '../../domain/errors.ts';
import type { History } from '../../domain/history.ts';
import type { Precondition } from '../../domain/precondition.ts';
import type { Filter } from '../../domain/query.ts';
import type { Stored } from '../../domain/record.ts';
import type { Soon } from '../../domain/soon.ts';
import type {
  Added,
  Bulk,
  Changes,
  Client,
  EncodedPage,
  Figures,
  Listing,
  Once,
  Page,
  Paged,
  Store,
} from '../../domain/store.ts';
import type { Tickets } from '../../domain/tickets.ts';
import type { Room } from '../bulk/spool-limits.ts';
import type { CommitObserver } from '../commit-queue.ts';
import { contentTag } from '../content-tag.ts';
import { LostBulks } from './bulk/lost-bulks.ts';
import { type CurrentServer, fixedServer } from './connect/current-server.ts';
import { Migrated } from './connect/migrated.ts';
import { connect, Pool, withDeadline } from './connect/pool.ts';
import { addressOf, serversOf } from './connect/servers.ts';
import { retryUntilReady } from './connect/wait-for-database.ts';
import { openApiKeys } from './keys/api-keys.ts';
import { openTickets } from './keys/tickets.ts';
import { Primary } from './primary/primary.ts';
import { lossNotice, SeenChanges } from './primary/seen-changes.ts';
import { ChangeLog } from './read/change-log.ts';
import { Listener } from './read/listener.ts';
import { Lists } from './read/lists.ts';
import { Reads } from './read/reads.ts';
import { Searches } from './read/searches.ts';
import { migrate } from './schema/schema.ts';
import { Replicas } from './standby/replicas.ts';
import { keyStatements, trimStatement } from './statements/changes.ts';
import { openTable, type Table } from './statements/collection.ts';
import { RecordWrites } from './write/record-writes.ts';
import { Writes } from './write/writes.ts';

export type PostgresOptions = {
  readonly url: string;
  /** URLs of single standbys that serve reads. */
  readonly replicas: readonly string[];
  readonly connections: number;
  readonly timeoutMs: number;
  readonly waitMs: number;
  readonly prepare: boolean;
  /** What may be done to the tables; whatever servers with an earlier file can go on beside if absent. */
  readonly evolution?: Evolution | undefined;
  /** A database without Shelf tables is a StartError; none are created. */
  readonly mustExist: boolean;
  readonly room: Room;
  /** Called at most once, if the database does not answer at startup. */
  readonly onWaiting: (line: string) => void;
  readonly onCommit: CommitObserver | undefined;
  /** Called for each part of the history that the database has lost. */
  readonly onTrouble: ((message: string) => void) | undefined;
  /** Called when the database is on another server, if acknowledged writes can be lost then, when a standby is left out, and when a bulk was ended. */
  readonly onWarning: ((message: string) => void) | undefined;
};

const encoder = new TextEncoder();

const asynchronous =
  'Replication is asynchronous: if another database server becomes the primary, acknowledged writes can be lost, and a former primary can ' +
  'serve stale reads. Set synchronous_standby_names (in Patroni, synchronous_mode and synchronous_mode_strict).';

export class PostgresStore implements Store {
  readonly sharing = undefined;
  readonly tagOf = contentTag;
  readonly apiKeys: ApiKeys;
  readonly tickets: Tickets;
  /** Resolves when the database is migrated; rejects with a StartError if it cannot be. */
  readonly ready: Promise<void>;
  isNew = false;
  unserved: readonly string[] = [];
  /** Undefined if the URL names one server. */
  readonly #primary: Primary | undefined;
  readonly #pools: { readonly reads: Pool; readonly writes: Pool; readonly lists: Pool };
  readonly #replicas: Replicas | undefined;
  readonly #reads: Reads;
  readonly #lists: Lists;
  readonly #searches: Searches;
  readonly #migrated = new Migrated();
  readonly #lostBulks: LostBulks;
  readonly #writes: Writes;
  readonly #records: RecordWrites;
  readonly #noticed: SeenChanges;
  readonly #changes: ChangeLog;
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #listener: Listener;
  #closed = false;

  constructor(
    readonly options: PostgresOptions,
    readonly collections: readonly Collection[],
  ) {
    const { connections, timeoutMs, room } = options;
    this.#tables = new Map(collections.map((collection) => [collection.name, openTable(collection)]));
    const servers = serversOf(options.url);
    this.#primary = servers.length === 1 ? undefined : this.#follow(servers);
    const server: CurrentServer = this.#primary ?? fixedServer(options.url);
    const shared = { ...options, server };
    this.#pools = {
      reads: new Pool({ ...shared, max: connections, giveUpOn: 'statement_timeout' }),
      writes: new Pool({ ...shared, max: 1, giveUpOn: 'lock_timeout' }),
      lists: new Pool({ ...shared, max: connections, giveUpOn: 'statement_timeout' }),
    };
    this.#noticed = new SeenChanges((lacked, next) => {
      this.#changes.forgetSecret();
      options.onTrouble?.(lossNotice(lacked, next));
    });
    this.#lostBulks = new LostBulks(this.#pools.reads, timeoutMs, (message) => options.onWarning?.(message));
    this.#writes = new Writes(
      this.#pools.writes,
      timeoutMs,
      this.#noticed,
      this.#migrated,
      this.#lostBulks,
      options.onCommit,
    );
    this.#replicas =
      options.replicas.length === 0
        ? undefined
        : new Replicas({
            ...options,
            servers: options.replicas,
            primary: server,
            max: connections,
            pool: this.#pools.reads,
          });
    this.#reads = new Reads(this.#pools.reads, this.#noticed, this.#writes, this.#replicas);
    const total: Store['total'] = (collection, filters) => this.total(collection, filters);
    this.#records = new RecordWrites(this.#writes, this.#reads.ask, { ...options, total });
    const { query } = this.#reads;
    this.#lists = new Lists({
      query,
      replicas: this.#replicas,
      pool: this.#pools.lists,
      connections,
      timeoutMs,
      room,
    });
    this.#searches = new Searches(query);
    this.#changes = new ChangeLog(this.#reads.ask, query, collections, this.#noticed);
    this.apiKeys = openApiKeys(this.#reads.ask);
    this.tickets = openTickets(this.#reads.ask);
    const listen = () =>
      connect({ ...options, url: server.url, giveUpOn: 'statement_timeout' }, { max: 1, idleTimeout: 0 });
    this.#listener = new Listener(options.prepare ? listen : undefined, () => {
      server.admit(performance.now() + timeoutMs)?.catch(() => {});
    });
    this.ready = this.#start();
    this.ready.catch(() => this.#migrated.fail());
  }

  /** Every read goes to the database. */
  recordInMemory(): undefined {}

  list(collection: Collection): Promise<Listing> {
    return this.#lists.list(this.#table(collection));
  }

  async find(collection: Collection, id: bigint): Promise<Bytes | undefined> {
    const { find, encode } = this.#table(collection);
    const [row] = await this.#reads.query(find, [String(id)]);
    return row === undefined ? undefined : encoder.encode(encode(row));
  }

  append(collection: Collection, json: string, by?: string): Promise<Added> {
    return this.#records.append(collection, json, by);
  }

  appendOnce(collection: Collection, json: string, under: Once, by?: string) {
    return this.#records.appendOnce(collection, json, under, by);
  }

  bulk(collection: Collection, client: Client, by?: string): Promise<Bulk> {
    return this.#records.bulk(collection, client, by);
  }

  async forgetIdempotencyKeys(keptMs: number): Promise<void> {
    await this.#reads.ask((sql) => sql.unsafe(keyStatements.forget, [keptMs]));
  }

  async get(collection: Collection, seq: number): Promise<Stored | undefined> {
    const { get, decode } = this.#table(collection);
    const [row] = await this.#reads.query(get, [seq]);
    return row === undefined ? undefined : decode(seq, row);
  }

  some(collection: Collection, seqs: readonly number[]): Promise<Paged> {
    return this.#searches.some(this.#table(collection), seqs);
  }

  page(collection: Collection, page: Page): Promise<Paged> {
    return this.#searches.page(this.#table(collection), page);
  }

  encodedPage(collection: Collection, page: Page): Promise<EncodedPage> {
    return this.#searches.encodedPage(this.#table(collection), page);
  }

  total(collection: Collection, filters: readonly Filter[]): Promise<number> {
    return this.#searches.total(this.#table(collection), filters);
  }

  secret(): Soon<string> {
    return this.#changes.secret();
  }

  changes(after: number, limit: number, of?: Collection, bytes?: number): Promise<Changes> {
    return this.#changes.after(after, limit, of, bytes);
  }

  history(): Promise<History> {
    return this.#changes.history();
  }

  watch(wake: () => void): () => void {
    return this.#listener.watch(wake);
  }

  async trim(keptMs: number): Promise<number> {
    const [row] = await this.#reads.ask((sql) => sql.unsafe(trimStatement, [keptMs]).values());
    return Number(row?.[0] ?? 0);
  }

  update(collection: Collection, seq: number, json: string, when?: Precondition<number>, by?: string) {
    return this.#records.update(collection, seq, json, when, by);
  }

  discard(
    collection: Collection,
    seq: number,
    when?: Precondition<number>,
    permitted?: readonly string[],
    by?: string,
  ) {
    return this.#records.discard(collection, seq, when, permitted, by);
  }

  remove(collection: Collection, id: bigint, when?: Precondition<string>, permitted?: readonly string[], by?: string) {
    return this.#records.remove(this.#table(collection), id, when, permitted, by);
  }

  async count(collection: Collection): Promise<number> {
    const [row] = await this.#reads.ask((sql) => sql.unsafe(this.#table(collection).count).values());
    return Number(row?.[0] ?? 0);
  }

  async estimate(collection: Collection): Promise<number> {
    const [row] = await this.#reads.ask((sql) => sql.unsafe(this.#table(collection).estimate).values());
    return Number(row?.[0] ?? 0);
  }

  figures(): Figures {
    const { connections } = this.options;
    return {
      writesWaiting: this.#writes.waiting,
      readsWaiting: this.#reads.waiting,
      cacheBytes: 0,
      hot: { hits: 0, misses: 0 },
      walBytes: 0,
      pools: {
        reads: { used: this.#pools.reads.used, most: connections },
        writes: { used: this.#pools.writes.used, most: 1 },
        lists: { used: this.#pools.lists.used, most: connections },
      },
      replicas: this.#replicas?.figures() ?? {},
      readsFromPrimary: this.#reads.fromPrimary,
    };
  }

  async ping(): Promise<void> {
    // At once: a balancer that asks has other instances.
    if (this.#migrated.writeFunction === undefined) throw new Failure('not_ready');
    await this.#reads.ask((sql) => sql`select 1`.values());
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#reads.close();
    this.#listener.close();
    this.#primary?.close();
    // Every waiting write fails by its own timeout, so there is no reason to wait longer than that.
    await withDeadline(this.#writes.end(), performance.now() + this.options.timeoutMs).catch(() => {});
    await Promise.all([...Object.values(this.#pools), this.#replicas].map((one) => one?.close()));
  }

  #follow(servers: readonly string[]): Primary {
    const { timeoutMs, prepare, onWarning } = this.options;
    return new Primary(servers, {
      timeoutMs,
      prepare,
      onMoved: (to, from) => {
        for (const pool of Object.values(this.#pools)) pool.follow();
        this.#listener.reconnect();
        if (from !== undefined)
          onWarning?.(
            `The database is on another server: ${addressOf(to.server)} (before: ${addressOf(from.server)}).`,
          );
      },
    });
  }

  #table({ name }: Collection): Table {
    const found = this.#tables.get(name);
    if (found === undefined) throw new Error(`the store was opened without the collection ${name}`);
    return found;
  }

  async #start(): Promise<void> {
    const isClosed = () => this.#closed;
    const migrated = retryUntilReady(this.options, isClosed, (deadline) =>
      this.#pools.writes.once(
        (sql) => migrate(sql, this.collections, this.options.mustExist, this.options.evolution),
        deadline,
      ),
    );
    // New tables and records wait for the locks of a bulk, too.
    const { isNew, unserved, writeFunction } = await this.#lostBulks.during(migrated);
    this.isNew = isNew;
    this.unserved = unserved;
    await this.#replicas?.start(writeFunction);
    this.#migrated.succeed(writeFunction);
    if (this.#primary?.isSynchronous === false) this.options.onWarning?.(asynchronous);
  }
}
