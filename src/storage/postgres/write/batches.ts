/** The batches of one instance. Every write is answered in time; if its outcome is unknown, the answer says so. */
import type { ReservedSQL, SQL } from 'bun';
import { Failure } from '../../../domain/errors.ts';
import type { Trace } from '../../../domain/trace.ts';
import { type CommitObserver, CommitQueue } from '../../commit-queue.ts';
import {
  type Additions,
  type BatchOutcome,
  type BatchResult,
  type BatchWrite,
  encodeBatch,
  weightOf,
} from '../batch/batch.ts';
import { addAll, CommitFailed, type Session } from '../bulk/insert-bulk.ts';
import type { LostBulks } from '../bulk/lost-bulks.ts';
import { failureOf, isMissing, isTransient, mayBeCommitted, sqlState, Unanswered } from '../connect/errors.ts';
import type { Migrated } from '../connect/migrated.ts';
import { type Pool, withDeadline } from '../connect/pool.ts';
import type { SeenChanges } from '../primary/seen-changes.ts';

/** How long a bulk waits for the bulk of another instance, in timeouts, and the pause between its attempts. */
const bulkTimeouts = 10;
const bulkPauseMs = 50;
const terminate = 'select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and backend_start::text = $2';

type Done = { readonly outcome: BatchOutcome | 'refused' | 'locked'; readonly at: string };
export type Made = { readonly outcome: BatchOutcome; readonly at: string };
type QueuedWrite = { readonly change: BatchWrite; state: 'waiting' | 'sent' | 'given up' };
/** Waits in the queue like other writes, and is committed alone. */
type BulkWrite = { readonly change: Additions };
const refused: Done = { outcome: 'refused', at: '' };
const locked: Done = { outcome: 'locked', at: '' };

export class Batches {
  /** The database was changed in a way that this server does not know. */
  outdated = false;
  readonly #queue: CommitQueue<QueuedWrite | BulkWrite, Done>;
  /** Bulks in the queue and in flight. */
  #bulks = 0;
  #isEnded = false;

  constructor(
    readonly pool: Pool,
    readonly timeoutMs: number,
    readonly noticed: SeenChanges,
    readonly migrated: Migrated,
    readonly lostBulks: LostBulks,
    onCommit: CommitObserver | undefined,
  ) {
    this.#queue = new CommitQueue<QueuedWrite | BulkWrite, Done>(
      (writes) => this.#commit(writes),
      ({ change }) => weightOf(change),
      onCommit,
    );
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Accepts no more writes; resolves when none is waiting. */
  end(): Promise<void> {
    this.#isEnded = true;
    return this.#queue.end();
  }

  /** Adds a bulk in one transaction. While it waits for the bulk of another instance, other writes of this one continue. */
  async addAll(additions: Additions, trace?: Trace): Promise<BatchOutcome> {
    const deadline = performance.now() + bulkTimeouts * this.timeoutMs;
    const migrated = this.migrated.wait(performance.now() + this.timeoutMs);
    if (migrated !== undefined) await whenMigrated(migrated);
    for (;;) {
      this.#bulks++;
      const { outcome } = await this.#queue.submit({ change: additions }, trace).finally(() => {
        this.#bulks--;
      });
      if (outcome === 'refused') throw new Error('the database rejected the records of a bulk');
      if (outcome !== 'locked') return outcome;
      if (performance.now() > deadline) throw unavailable(undefined);
      void this.lostBulks.look();
      await Bun.sleep(bulkPauseMs);
    }
  }

  /** At the timeout rejects with `outcome_unknown` if the write was sent, and with `storage_unavailable` if it still waits. */
  async submit(change: BatchWrite): Promise<Made> {
    const deadline = performance.now() + this.timeoutMs;
    const migrated = this.migrated.wait(deadline);
    if (migrated !== undefined) await whenMigrated(migrated);
    if (this.outdated) throw outdated();
    const write: QueuedWrite = { change, state: 'waiting' };
    try {
      const { outcome, at } = await withDeadline(this.#queue.submit(write, change.trace), deadline);
      if (outcome === 'refused' || outcome === 'locked') throw new Error('the database rejected a write');
      return { outcome, at };
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      const failure = write.state === 'sent' ? unknown(error) : unavailable(error);
      write.state = 'given up';
      throw failure;
    }
  }

  /** Each write has its own outcome: some may be stored and others not. */
  async #commit(batch: readonly (QueuedWrite | BulkWrite)[]): Promise<(Done | Failure)[]> {
    const writes: QueuedWrite[] = [];
    for (const write of batch) {
      if (!('state' in write)) return [await this.#addInTurn(write.change)];
      writes.push(write);
    }
    const outcomes = await this.#apply(writes);
    if (outcomes !== undefined) return outcomes;
    // One of the writes was rejected. It must not fail the others, so each is sent alone.
    const alone: (Done | Failure)[] = [];
    let away: Failure | undefined;
    for (const write of writes) {
      if (away !== undefined) {
        alone.push(away);
        continue;
      }
      // The others learn their outcome afterwards, and must do so before they give up.
      const done = (await this.#apply([write], this.timeoutMs / 2))?.[0] ?? refused;
      alone.push(done);
      // The remaining writes were rejected with the batch and not sent again, so they are not stored.
      if (done instanceof Failure && done.code !== 'still_referenced') away = unavailable(done);
    }
    return alone;
  }

  /** All writes in one statement, so in one commit. Undefined if the database rejected the batch. */
  async #apply(writes: readonly QueuedWrite[], patienceMs = this.timeoutMs): Promise<(Done | Failure)[] | undefined> {
    const deadline = performance.now() + patienceMs;
    const all = (failure: Failure) => writes.map(() => failure);
    for (let pause = 10; ; pause = Math.min(pause * 2, 200)) {
      if (writes.every(({ state }) => state === 'given up')) return all(unavailable(undefined));
      let connection: ReservedSQL | undefined;
      try {
        const reserved = await this.pool.reserve(deadline);
        connection = reserved;
        return await this.lostBulks.during(this.pool.query(() => this.#send(reserved, writes), deadline));
      } catch (cause) {
        if (isMissing(cause)) return all(this.#becomeOutdated());
        // Once a connection is reserved, any error comes after the batch was sent.
        if (connection !== undefined && mayBeCommitted(cause)) return all(unknown(cause));
        // A collection that this server does not know refers to the record.
        if (writes.length === 1 && sqlState(cause) === '23503') return all(new Failure('still_referenced'));
        // The batch was rejected or not sent, so nothing was stored.
        for (const write of writes) if (write.state === 'sent') write.state = 'waiting';
        if (!isTransient(cause)) return undefined;
        if (performance.now() + pause > deadline) return all(unavailable(cause));
      } finally {
        if (connection !== undefined) this.pool.release(connection);
      }
      await Bun.sleep(pause);
    }
  }

  async #addInTurn(additions: Additions): Promise<Done | Failure> {
    const { timeoutMs } = this;
    let connection: ReservedSQL | undefined;
    try {
      connection = await this.pool.reserve(performance.now() + timeoutMs);
      const options = {
        writeFunction: this.migrated.writeFunction ?? '',
        timeoutMs,
        noticed: this.noticed,
        // Other bulks do not count, because they wait longer. This one has left the queue, hence - 1.
        isAwaited: () => this.waiting > this.#bulks - 1,
        confirm: (since: number) => this.pool.options.server.confirm(since),
        onAbandoned: (session: Session) => void this.#endSession(session),
      };
      return { outcome: await addAll(connection, additions, options), at: '' };
    } catch (cause) {
      if (cause instanceof CommitFailed && mayBeCommitted(cause.cause)) return unknown(cause);
      if (cause instanceof Failure) return cause;
      if (isMissing(cause)) return this.#becomeOutdated();
      if (sqlState(cause) === '55P03') return locked;
      if (cause instanceof CommitFailed || isTransient(cause)) return unavailable(cause);
      throw cause;
    } finally {
      if (connection !== undefined) this.pool.release(connection);
    }
  }

  #becomeOutdated(): Failure {
    this.outdated = true;
    return outdated();
  }

  /** As soon as the database answers: no timeout of PostgreSQL ends a COPY that waits for its client. */
  async #endSession({ pid, since }: Session): Promise<void> {
    while (!this.#isEnded) {
      try {
        await this.pool.read((sql) => sql.unsafe(terminate, [pid, since]));
        return;
      } catch {
        await Bun.sleep(bulkPauseMs);
      }
    }
  }

  /** Omits writes that were given up: their answer was "nothing was changed", and that must stay true. */
  async #send(connection: SQL, writes: readonly QueuedWrite[]): Promise<Done[]> {
    const current = writes.filter(({ state }) => state !== 'given up');
    for (const write of current) write.state = 'sent';
    const batch = encodeBatch(
      current.map(({ change }) => change),
      this.noticed.shown,
    );
    const sentAt = performance.now();
    const [row] = await connection.unsafe(`select ${this.migrated.writeFunction}($1)`, [batch]).values();
    const answeredAt = performance.now();
    for (const { change } of current) change.trace?.took('database', sentAt, answeredAt);
    await this.pool.options.server.confirm(sentAt);
    const result = JSON.parse(String(row?.[0])) as BatchResult;
    const { at, outcomes } = result;
    this.noticed.acknowledged(result);
    const outcomeOf = new Map(current.map((write, index) => [write, outcomes[index]]));
    return writes.map((write) => ({ outcome: outcomeOf.get(write) ?? 'refused', at }));
  }
}

/** Renames and narrower bounds are not for servers that do not know them. */
export function outdated(): Failure {
  return new Failure('not_ready', {
    detail: 'The collections of the database were changed by shelf migrate: restart this server with the new file.',
  });
}

async function whenMigrated(migrated: Promise<void>): Promise<void> {
  try {
    await migrated;
  } catch (error) {
    throw unavailable(error);
  }
}

function unavailable(cause: unknown): Failure {
  return failureOf('storage_unavailable', cause);
}

/** Has no Retry-After: a client that follows it would send the write again, and may store it twice. */
function unknown(cause: unknown): Failure {
  return new Failure('outcome_unknown', { cause });
}
