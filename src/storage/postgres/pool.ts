/** Connections to PostgreSQL under a deadline: whoever asks is answered in time, whatever the network does. */
import { SQL } from 'bun';
import { isPassing, sqlState, Unanswered } from './errors.ts';

export type PoolOptions = {
  readonly url: string;
  readonly max: number;
  /** For one request, all its tries included. */
  readonly timeoutMs: number;
  /** Off where a pooler hands out another connection for each transaction. */
  readonly prepare: boolean;
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

  constructor(readonly options: PoolOptions) {
    this.#sql = this.#open();
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
    if (this.#modestUntil !== 0 && performance.now() > this.#modestUntil) {
      this.#modestUntil = 0;
      this.#replace(this.#sql, this.options.timeoutMs / 1000);
    }
    const sql = this.#sql;
    try {
      return await inTime(ask(sql), deadline);
    } catch (error) {
      // One that leads to a standby, or into a hole, would be found again by the next.
      if (error instanceof Unanswered || sqlState(error) === '25006') this.#replace(sql, 0);
      if (sqlState(error) === '53300') this.#beModest(sql);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#sql.close({ timeout: 1 }).catch(() => {});
  }

  /** With one connection, handed back soon, so that other instances get their turn. */
  #beModest(sql: SQL): void {
    const before = this.#modestUntil;
    this.#modestUntil = performance.now() + modestMs;
    if (before === 0) this.#replace(sql, this.options.timeoutMs / 1000);
  }

  /** What is under way on the old connections has so many seconds to end. */
  #replace(old: SQL, timeout: number): void {
    if (old !== this.#sql) return;
    this.#sql = this.#open();
    old.close({ timeout }).catch(() => {});
  }

  #open(): SQL {
    const { url, max, timeoutMs, prepare } = this.options;
    const modest = this.#modestUntil !== 0;
    return new SQL({
      url,
      adapter: 'postgres',
      max: modest ? 1 : max,
      prepare,
      idleTimeout: modest ? idle.modest : idle.usual,
      connectionTimeout: Math.max(timeoutMs / 1000, 1),
      connection: { application_name: 'shelf' },
    });
  }
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
