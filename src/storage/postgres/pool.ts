/** Connections to PostgreSQL under a deadline: whoever asks is answered in time, whatever the network does. */
import { type ReservedSQL, SQL } from 'bun';
import { isPassing, sqlState, Unanswered } from './errors.ts';

export type PoolOptions = {
  readonly url: string;
  readonly max: number;
  /** For one request, all its tries included. */
  readonly timeoutMs: number;
  /** Off where a pooler hands out another connection for each transaction. */
  readonly prepare: boolean;
  /** What PostgreSQL itself is to give up on a little before we do, so that nothing of ours stays behind there. */
  readonly giveUpOn: 'statement_timeout' | 'lock_timeout';
};

/** In seconds: after which a connection that nobody uses is closed, and after which when there are too few for everybody. */
const idle = { usual: 10, modest: 1 };
/** How long a pool stays modest after the server had no connection left for it. */
const modestMs = 30_000;
const firstPauseMs = 10;
const longestPauseMs = 200;

export class Pool {
  #sql: SQL;
  #modestUntil = 0;
  #answeredAt = 0;
  #inHand = 0;
  #asking = 0;

  constructor(readonly options: PoolOptions) {
    this.#sql = this.#open();
  }

  /** Connections, by those who use one just now. */
  get used(): number {
    return Math.min(this.#asking + this.#inHand, this.options.max);
  }

  /** Tried again for as long as there is time: what only reads can be. */
  async read<Result>(ask: (sql: SQL) => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + this.options.timeoutMs;
    for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
      try {
        return await this.once(ask, deadline);
      } catch (error) {
        if (!isPassing(error) || performance.now() + pause > deadline) throw error;
      }
      await Bun.sleep(pause);
    }
  }

  /** Tried once. When the time is up the question is not withdrawn, but nobody waits for its answer any more. */
  async once<Result>(ask: (sql: SQL) => Promise<Result>, deadline: number): Promise<Result> {
    const sql = this.#current();
    this.#asking++;
    try {
      const answer = await inTime(ask(sql), deadline);
      this.#answeredAt = performance.now();
      return answer;
    } catch (error) {
      if (sqlState(error) !== undefined) this.#answeredAt = performance.now();
      // Where others are answered meanwhile it is slow, and not a hole; nothing is to be had from new connections then.
      const silent = performance.now() - this.#answeredAt > this.options.timeoutMs * 0.9;
      // One that leads to a standby, or into a hole, would be found again by the next.
      if ((error instanceof Unanswered && silent) || sqlState(error) === '25006') this.#replace(sql, 0);
      if (sqlState(error) === '53300') this.#beModest(sql);
      throw error;
    } finally {
      this.#asking--;
    }
  }

  /** A connection of one's own, to be handed back with `release`; one that comes too late goes back by itself. */
  async reserve(deadline: number): Promise<ReservedSQL> {
    const sql = this.#current();
    const connection = sql.reserve();
    try {
      const reserved = await inTime(connection, deadline);
      this.#inHand++;
      return reserved;
    } catch (error) {
      connection.then(
        (late) => late.release(),
        () => {},
      );
      // Where others have theirs it is one's turn that does not come; where nobody has one, there are none to be had.
      if (error instanceof Unanswered && this.#inHand === 0) this.#replace(sql, 0);
      if (sqlState(error) === '53300') this.#beModest(sql);
      throw error;
    }
  }

  release(connection: ReservedSQL): void {
    this.#inHand--;
    connection.release();
  }

  async close(): Promise<void> {
    await this.#sql.close({ timeout: 1 }).catch(() => {});
  }

  /** With all its connections again, once it has been modest for long enough. */
  #current(): SQL {
    // Whoever has one in hand, as the reader of a long list, keeps it.
    if (this.#modestUntil !== 0 && performance.now() > this.#modestUntil && this.#inHand === 0) {
      this.#modestUntil = 0;
      this.#replace(this.#sql, this.options.timeoutMs / 1000);
    }
    return this.#sql;
  }

  /** With one connection, handed back soon, so that other instances get their turn. */
  #beModest(sql: SQL): void {
    const before = this.#modestUntil;
    this.#modestUntil = performance.now() + modestMs;
    if (before === 0 && this.#inHand === 0) this.#replace(sql, this.options.timeoutMs / 1000);
  }

  /** What is under way on the old connections has so many seconds to end. */
  #replace(old: SQL, timeout: number): void {
    if (old !== this.#sql) return;
    this.#sql = this.#open();
    old.close({ timeout }).catch(() => {});
  }

  #open(): SQL {
    const { max } = this.options;
    return this.#modestUntil === 0
      ? connect(this.options, { max, idleTimeout: idle.usual })
      : connect(this.options, { max: 1, idleTimeout: idle.modest });
  }
}

/** Connections are made when they are used first. */
export function connect(
  { url, timeoutMs, prepare, giveUpOn }: Omit<PoolOptions, 'max'>,
  bounds: { readonly max: number; readonly idleTimeout: number },
): SQL {
  const { username, password, pathname, searchParams } = new URL(url);
  return new SQL({
    url,
    adapter: 'postgres',
    // Told outright, or PGDATABASE and its like would count for more than the address.
    database: decodeURIComponent(pathname.slice(1)),
    username: decodeURIComponent(username) || 'postgres',
    password: decodeURIComponent(password),
    tls: (searchParams.get('sslmode') ?? 'disable') as 'disable',
    prepare,
    connectionTimeout: Math.max(timeoutMs / 1000, 1),
    // A pooler takes no settings for a session that is nobody's.
    connection: prepare
      ? { application_name: 'shelf', [giveUpOn]: Math.ceil(timeoutMs * 0.9) }
      : { application_name: 'shelf' },
    ...bounds,
  });
}

/** Rejects with Unanswered when the time is up. */
export async function inTime<Result>(answer: Promise<Result>, deadline: number): Promise<Result> {
  // It may fail long after the deadline, when nobody listens.
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
