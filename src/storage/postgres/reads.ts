/** Reads, bounded in number; after some of them, a look whether the database still has what clients were shown. */
import type { SQL } from 'bun';
import { Failure } from '../../domain/errors.ts';
import { type BatchResult, encodeBatch, type Shown } from './batch.ts';
import { isPassing } from './errors.ts';
import { lookStatement } from './history-sql.ts';
import type { Noticed } from './noticed.ts';
import type { Pool } from './pool.ts';

/** Requests that may wait for the database at once. */
const maxReads = 10_000;
const lookEveryMs = 1000;

export type Ask = <Result>(ask: (sql: SQL) => Promise<Result>) => Promise<Result>;

export class Reads {
  #waiting = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(
    readonly pool: Pool,
    readonly noticed: Noticed,
    /** The name of the write function; undefined until the database is in shape. */
    readonly writeFunction: () => string | undefined,
  ) {}

  get waiting(): number {
    return this.#waiting;
  }

  /** Rejects with `not_ready` or `overloaded` where the database cannot be asked. */
  readonly ask: Ask = async (ask) => {
    if (this.writeFunction() === undefined || this.#closed) throw new Failure('not_ready');
    if (this.#waiting >= maxReads) throw new Failure('overloaded');
    this.#waiting++;
    try {
      const answer = await this.pool.read(ask);
      this.#lookSometimes();
      return answer;
    } catch (cause) {
      throw readFailure(cause);
    } finally {
      this.#waiting--;
    }
  };

  close(): void {
    this.#closed = true;
  }

  /** After a read, so that an idle instance keeps no connection for it. */
  #lookSometimes(): void {
    const now = performance.now();
    if (now - this.#lookedAt < lookEveryMs) return;
    this.#lookedAt = now;
    // If it fails, it is done after a later read.
    this.#look().catch(() => {});
  }

  /**
   * Learns which change the state includes that clients are shown, and whether every change that they were shown is still
   * there: after a lost history, the next change may be made by an instance that does not know.
   */
  async #look(): Promise<void> {
    const { shown } = this.noticed;
    const [row] = await this.pool.read((sql) => sql.unsafe(lookStatement, [JSON.stringify(shown)]).values());
    const [newest, lacking] = (row ?? []) as [Shown | null, string];
    if (Number(lacking) > 0) {
      const check = [encodeBatch([], shown)];
      const [answer] = await this.pool.read((sql) => sql.unsafe(`select ${this.writeFunction()}($1)`, check).values());
      this.noticed.acknowledged(JSON.parse(String(answer?.[0])) as BatchResult);
    } else if (newest !== null) this.noticed.confirm(newest);
  }
}

export function readFailure(cause: unknown): unknown {
  return isPassing(cause) ? new Failure('not_ready', { cause }) : cause;
}
