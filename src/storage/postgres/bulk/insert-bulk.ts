/** Inserts the spooled records of a bulk in one transaction, part by part. */
import type { ReservedSQL } from 'bun';
import { Failure } from '../../../domain/errors.ts';
import type { Once } from '../../../domain/store/once.ts';
import { type BulkOutcome, encodeBulked } from '../../bulk/spooled-bulk.ts';
import type { RepeatedRow } from '../../rows/idempotency-key.ts';
import type { Additions } from '../batch/batch.ts';
import { sqlState, Unanswered } from '../connect/errors.ts';
import { bulkLock, writeLock, writersWaiting } from '../connect/locks.ts';
import { withDeadline } from '../connect/pool.ts';
import type { SeenChanges } from '../primary/seen-changes.ts';
import { keyStatements } from '../statements/changes.ts';
import { callAll, type Inserted } from './call-bulk.ts';
import { copyAll } from './copy-bulk.ts';
import { ImportKeys } from './import-keys.ts';

/** The commit itself failed; its `cause` decides whether the transaction may have been committed. */
export class CommitFailed extends Error {}

export type BulkOptions = {
  readonly writeFunction: string;
  /** Per statement: the time for all of them depends on the number of records. */
  readonly timeoutMs: number;
  readonly noticed: SeenChanges;
  /** Whether other writes of this instance wait for the bulk. */
  isAwaited(): boolean;
  /** Rejects if another server has become the primary since. */
  confirm(since: number): Promise<void> | undefined;
  /** The connection was given up in a COPY. PostgreSQL may wait for the rest without limit, and has the write lock. */
  onAbandoned(session: Session): void;
};

/** PostgreSQL takes whole messages: with small ones a bulk that is slow shows that it goes on (lost-bulks.ts). */
const messageBytes = 64 * 1024;
/** All batches of an import are in. */
const nothing: Inserted = { created: 0, first: 0, last: 0, newest: null, epoch: null };

/** A session of PostgreSQL: process ids are reused, but not with the same start. */
export type Session = { readonly pid: number; readonly since: string };

/**
 * A bulk holds the write lock, so the writes of all instances wait for it, each with its own timeout. After half of that
 * timeout the bulk continues only while no write waits; otherwise it adds nothing and throws `timed_out`. Returns 'locked' if
 * another bulk is running.
 */
export async function addAll(
  connection: ReservedSQL,
  additions: Additions,
  { writeFunction, timeoutMs, noticed, isAwaited, confirm, onAbandoned }: BulkOptions,
): Promise<BulkOutcome | 'locked'> {
  const { to, once, imported, isDry, spooled } = additions;
  async function ask(statement: string, parameters: (string | number)[] = []): Promise<unknown[][]> {
    try {
      return await withDeadline(connection.unsafe(statement, parameters).values(), performance.now() + timeoutMs);
    } catch (error) {
      // Do not reuse a connection on which a statement may still run, or one to a standby.
      if (error instanceof Unanswered || sqlState(error) === '25006') connection.close();
      throw error;
    }
  }

  try {
    const [, , [taken] = []] = (await ask(beginning(timeoutMs))) as unknown[][][];
    if (taken?.[0] !== true) {
      await ask('rollback');
      return 'locked';
    }
    const holdMs = timeoutMs / 2;
    const until = performance.now() + holdMs;
    const known = once === undefined ? undefined : await lookUp(ask, to, once);
    if (known !== undefined) {
      await ask('rollback');
      return known;
    }
    const mayGoOn = async () => {
      if (performance.now() > until && (isAwaited() || (await isAwaitedElsewhere(ask)))) throw tooLong(holdMs);
    };
    const session = { pid: Number(taken[1]), since: String(taken[2]) };
    const copy = async (into: string, rows: readonly Promise<Uint8Array>[]) => {
      try {
        await copyRows(connection, into, rows, timeoutMs);
      } catch (error) {
        if (error instanceof Unanswered) onAbandoned(session);
        throw error;
      }
    };
    const insertion = { ask, copy, mayGoOn, writeFunction, noticed };
    const keys = imported === undefined ? undefined : await ImportKeys.open(ask, to, imported);
    const added = keys === undefined ? additions : { ...additions, spooled: { ...spooled, without: keys.without } };
    const { newest, epoch, ...bulked } = keys?.isEmpty
      ? nothing
      : ((await copyAll(insertion, added)) ?? (await callAll(insertion, added, keys?.updates)));
    if (isDry) {
      await ask('rollback');
      return bulked;
    }
    if (once !== undefined) {
      await ask(keyStatements.note, [to, once.key, once.digest, bulked.first, encodeBulked(bulked)]);
    }
    const done = keys === undefined ? bulked : await keys.note(bulked);
    const sentAt = performance.now();
    try {
      await ask('commit');
      await confirm(sentAt);
    } catch (cause) {
      throw new CommitFailed('the commit failed', { cause });
    }
    noticed.acknowledged({ last: newest, epoch });
    return done;
  } catch (error) {
    // If the rollback fails too, the connection is gone, and the transaction with it.
    if (!(error instanceof CommitFailed)) await ask('rollback').catch(() => {});
    throw error;
  }
}

/**
 * Three statements in one message. The last one says whether no other bulk is running, and what session this is. The locks come first, as in every write:
 * data that is read under them cannot change until the commit.
 */
const beginning = (timeoutMs: number) => `begin;
  -- If this instance is cut off, PostgreSQL must release the lock that all other writers wait for.
  set local idle_in_transaction_session_timeout = ${Math.ceil(timeoutMs * 0.9)};
  select case when pg_try_advisory_xact_lock(${bulkLock}) then pg_advisory_xact_lock(${writeLock}) is not null else false end,
    pid, backend_start::text from pg_stat_activity where pid = pg_backend_pid()`;

async function copyRows(
  connection: ReservedSQL,
  into: string,
  rows: readonly Promise<Uint8Array>[],
  timeoutMs: number,
): Promise<void> {
  const writer = connection.unsafe(`copy ${into} from stdin (format binary)`).writable().getWriter();
  // The error of a failed write is thrown by `close`.
  writer.closed.catch(() => {});
  const done = async () => {
    try {
      for (const some of rows) for (const message of messagesOf(await some)) await writer.write(message);
    } catch (error) {
      // A COPY that is neither closed nor aborted keeps the connection.
      await writer.abort(error).catch(() => {});
      throw error;
    }
    await writer.close();
  };
  try {
    await withDeadline(done(), performance.now() + timeoutMs);
  } catch (error) {
    // Do not reuse a connection on which a statement may still run, or one to a standby.
    if (error instanceof Unanswered || sqlState(error) === '25006') connection.close();
    throw error;
  }
}

function* messagesOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += messageBytes) yield bytes.subarray(at, at + messageBytes);
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
  { key, digest, former, keptMs }: Once,
): Promise<RepeatedRow | 'mismatch' | undefined> {
  const [row] = await ask(keyStatements.find, [to, key, keptMs]);
  if (row === undefined) return undefined;
  const [known, at, repeated, json] = row;
  if (known !== digest && known !== former) return 'mismatch';
  return { repeated: Number(repeated), at: String(at), json: String(json) };
}
