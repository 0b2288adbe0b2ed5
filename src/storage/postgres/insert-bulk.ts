/** Inserts the spooled records of a bulk in one transaction, part by part. */
import type { ReservedSQL } from 'bun';
import { bulkClashFailure, type Clash } from '../../domain/clash.ts';
import { Failure } from '../../domain/errors.ts';
import type { Bulked, Once } from '../../domain/store.ts';
import type { RepeatedRow } from '../rows/idempotency-key.ts';
import { linesOf } from '../spool.ts';
import { encodeBulked } from '../spooled-bulk.ts';
import { type Acknowledged, type Additions, type BatchResult, encodeAdditions, isClashed } from './batch.ts';
import { sqlState, Unanswered } from './errors.ts';
import { keyStatements } from './history-sql.ts';
import { bulkLock, writeLock, writersWaiting } from './locks.ts';
import { withDeadline } from './pool.ts';
import type { ShownChanges } from './shown-changes.ts';

/** Records that clash, at most: enough to correct several at a time. */
const maxClashes = 100;

/** The commit itself failed; its `cause` decides whether the transaction may have been committed. */
export class CommitFailed extends Error {}

export type BulkOptions = {
  readonly writeFunction: string;
  /** Per statement: the time for all of them depends on the number of records. */
  readonly timeoutMs: number;
  readonly noticed: ShownChanges;
  /** Whether other writes of this instance wait for the bulk. */
  isAwaited(): boolean;
};

/**
 * A bulk holds the write lock, so the writes of all instances wait for it, each with its own timeout. After half of that
 * timeout the bulk continues only while no write waits; otherwise it adds nothing and throws `timed_out`. Returns 'locked' if
 * another bulk is running.
 */
export async function addAll(
  connection: ReservedSQL,
  { to, by, spooled, once, isDry }: Additions,
  { writeFunction, timeoutMs, noticed, isAwaited }: BulkOptions,
): Promise<Bulked | RepeatedRow | 'mismatch' | 'locked'> {
  async function ask(statement: string, parameters: (string | number)[] = []): Promise<unknown[][]> {
    try {
      return await withDeadline(connection.unsafe(statement, parameters).values(), performance.now() + timeoutMs);
    } catch (error) {
      // Do not reuse a connection on which a statement may still run, or one to a standby.
      if (error instanceof Unanswered || sqlState(error) === '25006') connection.close();
      throw error;
    }
  }

  await ask('begin');
  try {
    // If this instance is cut off, PostgreSQL must release the lock that all other writers wait for.
    await ask(`set local idle_in_transaction_session_timeout = ${Math.ceil(timeoutMs * 0.9)}`);
    const [taken] = await ask(`select pg_try_advisory_xact_lock(${bulkLock})`);
    if (taken?.[0] !== true) {
      await ask('rollback');
      return 'locked';
    }
    // The lock comes first, as in every write: data that is read under it cannot change until the commit.
    await ask(`select pg_advisory_xact_lock(${writeLock})`);
    const holdMs = timeoutMs / 2;
    const until = performance.now() + holdMs;
    const known = once === undefined ? undefined : await lookUp(ask, to, once);
    if (known !== undefined) {
      await ask('rollback');
      return known;
    }
    let first = 0;
    let last = 0;
    let created = 0;
    const clashes: [place: number, clashes: readonly Clash[]][] = [];
    let { last: newest, epoch }: Acknowledged = { last: null, epoch: null };
    for (const records of linesOf(spooled)) {
      // With the first part only: after it, this transaction itself has written the newest changes.
      const shown = created === 0 ? noticed.shown : [];
      if (performance.now() > until && (isAwaited() || (await isAwaitedElsewhere(ask)))) throw tooLong(holdMs);
      const [row] = await ask(`select ${writeFunction}($1)`, [encodeAdditions({ to, by }, records, shown)]);
      const result = JSON.parse(String(row?.[0])) as BatchResult;
      newest = result.last;
      epoch ??= result.epoch;
      for (const [index, outcome] of result.outcomes.entries()) {
        if (isClashed(outcome)) clashes.push([created + index + 1, outcome.clashes]);
      }
      if (clashes.length > maxClashes) break;
      // Besides clashes, a batch of additions has only numbers as outcomes.
      const added = result.outcomes.filter((outcome) => typeof outcome === 'number');
      first ||= added[0] ?? 0;
      last = added.at(-1) ?? last;
      created += result.outcomes.length;
    }
    if (clashes.length > 0) throw bulkClashFailure(clashes.slice(0, maxClashes), first);
    const bulked = { created, first, last };
    if (isDry) {
      await ask('rollback');
      return bulked;
    }
    if (once !== undefined) {
      await ask(keyStatements.note, [to, once.key, once.digest, first, encodeBulked(bulked)]);
    }
    await ask('commit').catch((cause) => {
      throw new CommitFailed('the commit failed', { cause });
    });
    noticed.acknowledged({ last: newest, epoch });
    return bulked;
  } catch (error) {
    // If the rollback fails too, the connection is gone, and the transaction with it.
    if (!(error instanceof CommitFailed)) await ask('rollback').catch(() => {});
    throw error;
  }
}

async function isAwaitedElsewhere(ask: (statement: string) => Promise<unknown[][]>): Promise<boolean> {
  const [row] = await ask(writersWaiting);
  return row?.[0] === true;
}

function tooLong(ms: number): Failure {
  const detail = `Nothing was added: other writes wait, and this has taken ${ms} ms. Send fewer records at a time, or have --database-timeout raised.`;
  return new Failure('timed_out', { detail });
}

async function lookUp(
  ask: (statement: string, parameters: (string | number)[]) => Promise<unknown[][]>,
  to: string,
  { key, digest, keptMs }: Once,
): Promise<RepeatedRow | 'mismatch' | undefined> {
  const [row] = await ask(keyStatements.find, [to, key, keptMs]);
  if (row === undefined) return undefined;
  const [known, at, repeated, json] = row;
  return known === digest ? { repeated: Number(repeated), at: String(at), json: String(json) } : 'mismatch';
}
