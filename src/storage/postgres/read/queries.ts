/** Reads, bounded in number, from the primary or from a standby. After some of them, a check that the database still has all changes that clients have seen. */
import { Failure } from '../../../domain/errors.ts';
import type { Requester } from '../../../domain/store/client.ts';
import type { Trace } from '../../../domain/trace.ts';
import { type BatchResult, encodeBatch, type Shown } from '../batch/batch.ts';
import { failureOf, isMissing, isTransient } from '../connect/errors.ts';
import type { Ask, Pool } from '../connect/pool.ts';
import type { SeenChanges } from '../primary/seen-changes.ts';
import type { Replicas } from '../standby/replicas.ts';
import { lookStatement } from '../statements/changes.ts';
import type { Columns } from '../statements/columns.ts';
import { type Batches, outdated } from '../write/batches.ts';
import { Turns } from './turns.ts';

/** Maximum number of reads that wait for the database. */
const maxReads = 10_000;
const checkEveryMs = 1000;
/** One statement that takes long for so many connections. */
const connectionsPerLong = 4;

/** A read that a standby may serve. */
export type Query = (text: string, parameters?: readonly unknown[], trace?: Trace) => Promise<Columns[]>;

export class Queries {
  /** Those that a standby may serve and the primary has served. */
  fromPrimary = 0;
  #waiting = 0;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #closed = false;
  readonly #turns: Turns;

  constructor(
    readonly pool: Pool,
    readonly noticed: SeenChanges,
    readonly batches: Pick<Batches, 'migrated' | 'outdated'>,
    readonly replicas: Replicas | undefined,
  ) {
    const long = Math.max(1, Math.floor(pool.options.max / connectionsPerLong));
    this.#turns = new Turns(long, Math.max(1, Math.floor(long / 2)));
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** On the primary. Rejects with `not_ready` if the database does not answer, and with `overloaded` beyond `maxReads`. */
  readonly ask: Ask = (ask) => this.#bounded((deadline) => this.pool.read(ask, deadline));

  /** Rejects like `ask`. */
  readonly query: Query = (text, parameters = [], trace) =>
    this.#bounded((deadline) => this.#read(text, parameters, deadline, trace));

  /** For a statement that takes long. Rejects like `query`, and as a turn does. */
  queryInTurn(text: string, parameters: readonly unknown[], requester?: Requester): Promise<Columns[]> {
    return this.#bounded(async (deadline) => {
      const end = await this.#turns.begin(requester, deadline);
      try {
        return await this.#read(text, parameters, deadline, requester?.trace);
      } finally {
        end();
      }
    });
  }

  #read(text: string, parameters: readonly unknown[], deadline: number, trace?: Trace): Promise<Columns[]> {
    const rows = this.#rows(text, parameters, deadline);
    if (!trace?.isRecorded) return rows;
    const start = performance.now();
    return rows.finally(() => trace.took('database', start, performance.now()));
  }

  async #rows(text: string, parameters: readonly unknown[], deadline: number): Promise<Columns[]> {
    const rows = await this.replicas?.read({ text, parameters }, deadline);
    if (rows !== undefined) return rows;
    this.fromPrimary++;
    return this.pool.read((sql) => sql.unsafe(text, [...parameters]).values(), deadline);
  }

  async #bounded<Result>(read: (deadline: number) => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new Failure('not_ready');
    if (this.batches.outdated) throw outdated();
    if (this.#waiting >= maxReads) throw new Failure('overloaded');
    this.#waiting++;
    try {
      const deadline = performance.now() + this.pool.options.timeoutMs;
      const migrated = this.batches.migrated.wait(deadline);
      if (migrated !== undefined) await migrated;
      const answer = await read(deadline);
      this.#checkIfDue();
      return answer;
    } catch (cause) {
      // A column or a table has another name now.
      if (isMissing(cause)) this.batches.outdated = true;
      throw this.batches.outdated ? outdated() : readFailure(cause);
    } finally {
      this.#waiting--;
    }
  }

  close(): void {
    this.#closed = true;
  }

  /** Runs after a read and not on a timer, so that an idle instance holds no connection. */
  #checkIfDue(): void {
    const now = performance.now();
    if (now - this.#checkedAt < checkEveryMs) return;
    this.#checkedAt = now;
    // A failed check is repeated after a later read.
    this.#checkShown().catch(() => {});
  }

  /**
   * Records the last change that clients may have seen, and checks that the database still has all earlier ones. If it lacks
   * one, an empty batch begins a new epoch: the next write may come from an instance that does not know of the loss.
   */
  async #checkShown(): Promise<void> {
    const { shown } = this.noticed;
    const name = this.batches.migrated.writeFunction ?? '';
    const [row] = await this.pool.read((sql) => sql.unsafe(lookStatement, [JSON.stringify(shown), name]).values());
    const [newest, lacking, isThere] = (row ?? []) as [Shown | null, string, boolean];
    this.batches.outdated = !isThere;
    if (!isThere) return;
    if (Number(lacking) > 0) {
      const check = [encodeBatch([], shown)];
      const [answer] = await this.pool.read((sql) => sql.unsafe(`select ${name}($1)`, check).values());
      this.noticed.acknowledged(JSON.parse(String(answer?.[0])) as BatchResult);
    } else if (newest !== null) this.noticed.confirm(newest);
  }
}

export function readFailure(cause: unknown): unknown {
  return isTransient(cause) ? failureOf('not_ready', cause) : cause;
}
