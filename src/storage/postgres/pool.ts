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

/** Seconds after which a connection that nobody uses is left to others. */
const idleTimeout = 10;
const firstPauseMs = 10;
const longestPauseMs = 200;

export class Pool {
  #sql: SQL;

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
    const sql = this.#sql;
    try {
      return await inTime(ask(sql), deadline);
    } catch (error) {
      // One that leads to a standby, or into a hole, would be found again by the next.
      if (error instanceof Unanswered || sqlState(error) === '25006') this.#replace(sql);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#sql.close({ timeout: 1 }).catch(() => {});
  }

  #replace(old: SQL): void {
    if (old !== this.#sql) return;
    this.#sql = this.#open();
    old.close({ timeout: 0 }).catch(() => {});
  }

  #open(): SQL {
    const { url, max, timeoutMs, prepare } = this.options;
    return new SQL({
      url,
      adapter: 'postgres',
      max,
      prepare,
      idleTimeout,
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
