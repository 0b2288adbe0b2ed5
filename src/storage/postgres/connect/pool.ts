/** Connections to PostgreSQL with deadlines: every query settles in time, whatever the network does. */
import { type ReservedSQL, SQL } from 'bun';
import type { CurrentServer } from './current-server.ts';
import { isTransient, mayHaveMoved, sqlState, Unanswered } from './errors.ts';
import { tlsOf } from './tls.ts';
import { isTlsError } from './tls-errors.ts';

export type ConnectOptions = {
  readonly url: string;
  /** Per request, including retries. */
  readonly timeoutMs: number;
  /** False behind a pooler that assigns another connection to each transaction. */
  readonly prepare: boolean;
  /** The timeout to set in PostgreSQL, slightly below `timeoutMs`, so that the server does not keep abandoned work. */
  readonly giveUpOn: 'statement_timeout' | 'lock_timeout';
  /** For pg_stat_activity; `shelf` if absent. */
  readonly applicationName?: string;
};

/** Runs queries on a connection of a pool. */
export type Ask = <Result>(ask: (sql: SQL) => Promise<Result>) => Promise<Result>;

export type PoolOptions = Omit<ConnectOptions, 'url'> & { readonly server: CurrentServer; readonly max: number };

/** The name of a server's connections in pg_stat_activity. */
export const serverName = 'shelf';

/**
 * For the side of PostgreSQL, which would keep the session of a lost client for hours, with its locks. In seconds, and the
 * last one in milliseconds.
 */
const tcp = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 2, tcp_user_timeout: 20_000 };
/** Seconds until an idle connection is closed: normally, and while the pool is reduced. */
const idle = { normal: 10, reduced: 1 };
/** How long a pool stays reduced to one connection after the server ran out of connections (53300). */
const reducedMs = 30_000;
const firstPauseMs = 10;
const longestPauseMs = 200;

export class Pool {
  #sql: SQL;
  #reducedUntil = 0;
  #answeredAt = 0;
  #reserved = 0;
  #inFlight = 0;

  constructor(readonly options: PoolOptions) {
    this.#sql = this.#open();
  }

  /** Connections in use or requested. */
  get used(): number {
    return Math.min(this.#inFlight + this.#reserved, this.options.max);
  }

  /** Retries transient errors until the timeout. Only for reads and idempotent changes. */
  async read<Result>(
    ask: (sql: SQL) => Promise<Result>,
    deadline = performance.now() + this.options.timeoutMs,
  ): Promise<Result> {
    for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
      try {
        return await this.once(ask, deadline);
      } catch (error) {
        if (!isTransient(error) || performance.now() + pause > deadline) throw error;
      }
      await Bun.sleep(pause);
    }
  }

  /** A single attempt, when the server may be used. */
  async once<Result>(ask: (sql: SQL) => Promise<Result>, deadline: number): Promise<Result> {
    const admission = this.options.server.admit(deadline);
    if (admission !== undefined) await admission;
    return this.query(ask, deadline);
  }

  /** At the deadline the query is not cancelled, but its answer is ignored. */
  async query<Result>(ask: (sql: SQL) => Promise<Result>, deadline: number): Promise<Result> {
    const sql = this.#current();
    this.#inFlight++;
    try {
      const answer = await withDeadline(ask(sql), deadline);
      this.#answeredAt = performance.now();
      return answer;
    } catch (error) {
      if (sqlState(error) !== undefined) this.#answeredAt = performance.now();
      // If other queries were answered meanwhile, the server is slow but reachable, and new connections do not help.
      const silent = performance.now() - this.#answeredAt > this.options.timeoutMs * 0.9;
      // The next query would get the same connection, to a standby or to a server that does not answer.
      if ((error instanceof Unanswered && silent) || sqlState(error) === '25006') this.#replace(sql, 0);
      // The files may have been renewed: a new pool reads them again.
      if (isTlsError(error)) this.#replace(sql, this.options.timeoutMs / 1000);
      if (sqlState(error) === '53300') this.#reduce(sql);
      if (mayHaveMoved(error) && (silent || !(error instanceof Unanswered))) this.options.server.suspect();
      throw error;
    } finally {
      this.#inFlight--;
    }
  }

  /** A connection for exclusive use, until `release`. A connection that arrives after the deadline is released here. */
  async reserve(deadline: number): Promise<ReservedSQL> {
    const admission = this.options.server.admit(deadline);
    if (admission !== undefined) await admission;
    const sql = this.#current();
    const connection = sql.reserve();
    this.#inFlight++;
    try {
      const reserved = await withDeadline(connection, deadline);
      this.#reserved++;
      return reserved;
    } catch (error) {
      connection.then(
        (late) => late.release(),
        () => {},
      );
      // If other connections are reserved, the pool is only busy; if none is, the server does not answer.
      if (error instanceof Unanswered && this.#reserved === 0) this.#replace(sql, 0);
      if (isTlsError(error) && this.#reserved === 0) this.#replace(sql, 0);
      if (sqlState(error) === '53300') this.#reduce(sql);
      if (mayHaveMoved(error)) this.options.server.suspect();
      throw error;
    } finally {
      this.#inFlight--;
    }
  }

  release(connection: ReservedSQL): void {
    this.#reserved--;
    connection.release();
  }

  /** Call when the server is another one: queries in flight fail, and may be retried there. */
  follow(): void {
    this.#replace(this.#sql, 0);
  }

  async close(): Promise<void> {
    await this.#sql.close({ timeout: 1 }).catch(() => {});
  }

  /** Restores the full pool after `reducedMs`. */
  #current(): SQL {
    // A reserved connection, for example of a long list, must not be closed.
    if (this.#reducedUntil !== 0 && performance.now() > this.#reducedUntil && this.#reserved === 0) {
      this.#reducedUntil = 0;
      this.#replace(this.#sql, this.options.timeoutMs / 1000);
    }
    return this.#sql;
  }

  /** Reduces the pool to one connection, closed soon when idle, so that other instances get connections. */
  #reduce(sql: SQL): void {
    const before = this.#reducedUntil;
    this.#reducedUntil = performance.now() + reducedMs;
    if (before === 0 && this.#reserved === 0) this.#replace(sql, this.options.timeoutMs / 1000);
  }

  /** `timeout` is in seconds: queries in flight on the old connections can finish within it. */
  #replace(old: SQL, timeout: number): void {
    if (old !== this.#sql) return;
    this.#sql = this.#open();
    old.close({ timeout }).catch(() => {});
  }

  #open(): SQL {
    const { max, server } = this.options;
    const options = { ...this.options, url: server.url };
    return this.#reducedUntil === 0
      ? connect(options, { max, idleTimeout: idle.normal })
      : connect(options, { max: 1, idleTimeout: idle.reduced });
  }
}

/** A connection is opened when it is first used. */
export function connect(
  { url, timeoutMs, prepare, giveUpOn, applicationName = serverName }: ConnectOptions,
  bounds: { readonly max: number; readonly idleTimeout: number; readonly onclose?: () => void },
): SQL {
  const address = new URL(url);
  const { username, password, pathname, searchParams } = address;
  const tls = tlsOf(searchParams);
  // The driver would send parameters that it does not know to the server.
  address.search = '';
  return new SQL({
    url: address.href,
    adapter: 'postgres',
    // Set explicitly, because PGDATABASE and similar variables would override the URL.
    database: decodeURIComponent(pathname.slice(1)),
    username: decodeURIComponent(username) || 'postgres',
    password: decodeURIComponent(password),
    tls,
    prepare,
    connectionTimeout: Math.max(timeoutMs / 1000, 1),
    // A pooler accepts no session settings, because its sessions are shared.
    connection: prepare
      ? { application_name: applicationName, [giveUpOn]: Math.ceil(timeoutMs * 0.9), ...tcp }
      : { application_name: applicationName },
    ...bounds,
  });
}

/** Rejects with Unanswered at the deadline. */
export async function withDeadline<Result>(answer: Promise<Result>, deadline: number): Promise<Result> {
  // A rejection after the deadline must not be unhandled.
  answer.catch(() => {});
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Unanswered('no answer in time')),
    Math.max(deadline - performance.now(), 0),
  );
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
  }
}
