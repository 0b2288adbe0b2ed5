/** Applies batches of writes, each in one transaction with its change rows. Runs on the writing thread. */
import type { Database } from 'bun:sqlite';
import type { UnservedReference } from '../../../declarations/plan.ts';
import type { Collection } from '../../../domain/collection.ts';
import type { Unchanged } from '../../../domain/store/transaction.ts';
import { trimmedAtOnce } from '../../rows/change.ts';
import { writeKeys } from '../api-keys.ts';
import { diskError, isFull, leavesDoubt } from '../errors.ts';
import { lastChangeStatement } from '../sql.ts';
import { openCascade } from './cascade.ts';
import { momentBefore, openClock } from './clock.ts';
import { type Applied, BulkClashes, type Outcome } from './outcome.ts';
import { openTable, type Stamp, type StoredRow, type TableWriter } from './table-writer.ts';
import { isBulkLine, type ParsedWrite, type Permitted, prefixOf, readLine, type WriteLine } from './write-line.ts';

export type Writer = {
  /** Returns one outcome per line. Does not throw if the disk fails. */
  apply(lines: readonly WriteLine[]): Applied;
  /** Returns a refusal for each line, without trying it. */
  refuse(lines: readonly WriteLine[], cause: string): Applied;
  /** Ensures that the next start does not replay a failed commit; throws if the disk still fails. */
  settle(): void;
  close(): void;
};

/** Thrown to roll back. */
class TakenBack extends Error {}

/**
 * SQLite's page cache. Most writes append, and are a tenth faster if the pages stay in the processor's cache. A bulk changes pages all
 * over the indexes: a small page cache would read most of them again and again.
 */
const cacheKb = { usual: 2000, bulk: 16 * 1024 };

export type WriterOptions = {
  readonly clock?: () => string;
  /** References from collections that are not served; none if absent. */
  readonly unserved?: readonly UnservedReference[];
};

export function openWriter(
  db: Database,
  collections: readonly Collection[],
  { clock = openClock(db), unserved = [] }: WriterOptions = {},
): Writer {
  const opened = new Map<number, TableWriter>();
  const cascade = openCascade(db, collections, unserved, tableAt);
  const newest = db.prepare<{ seq: number }, []>(lastChangeStatement);
  let lastChange = newest.get()?.seq ?? 0;
  /** A commit failed, but may be complete in the WAL. */
  let doubtful = false;
  /** A write failed because the disk was full. */
  let wasFull = false;
  let cached: keyof typeof cacheKb | undefined;

  function useCache(size: keyof typeof cacheKb): void {
    if (cached !== size) db.run(`pragma cache_size = ${-cacheKb[size]}`);
    cached = size;
  }
  useCache('usual');

  /** Opened at the first write to it: most of many collections are not written. */
  function tableAt(place: number): TableWriter {
    const known = opened.get(place);
    if (known !== undefined) return known;
    const collection = collections[place];
    if (collection === undefined) throw new Error(`there is no collection at place ${place}`);
    const table = openTable(db, collection);
    opened.set(place, table);
    return table;
  }

  // So that a start fails if the tables of changes and keys cannot be written.
  if (collections.length > 0) tableAt(0);

  function reload(): void {
    for (const table of opened.values()) table.reload();
  }

  /** Stops at the first younger change. Stores the last deleted number, so that asking for it is a clear error. */
  function trim(before: string): number {
    using oldest = db.prepare<{ seq: number; at: string }, [number]>(
      'select seq, at from changes order by seq limit ?',
    );
    const old = oldest.all(trimmedAtOnce);
    const firstKept = old.findIndex(({ at }) => at >= before);
    const expired = firstKept < 0 ? old : old.slice(0, firstKept);
    const last = expired.at(-1)?.seq;
    if (last === undefined) return 0;
    db.run('delete from changes where seq <= ?', [last]);
    db.run("insert or replace into settings values ('trimmed', ?)", [String(last)]);
    return expired.length;
  }

  function applyOne(write: Exclude<ParsedWrite, { kind: 'append' }>, stamp: Stamp): Outcome {
    switch (write.kind) {
      case 'append once':
        return tableAt(write.place).appendOnce(write.once, write.json, stamp);
      case 'bulk':
        useCache('bulk');
        return tableAt(write.place).appendAll(write.spooled, write.once, stamp);
      case 'import':
        useCache('bulk');
        return tableAt(write.place).appendBatches(write.spooled, write.imported, stamp);
      case 'dry bulk':
        return takenBack(() => tableAt(write.place).appendAll(write.spooled, undefined, stamp));
      case 'remove': {
        const { place, id, when, permitted } = write;
        return remove(place, tableAt(place).firstWithId(id, when), permitted, stamp);
      }
      case 'update':
        return tableAt(write.place).update(write.seq, write.when, write.json, stamp);
      case 'discard': {
        const { place, seq, when, permitted } = write;
        return remove(place, tableAt(place).current(seq, when), permitted, stamp);
      }
      case 'forget keys':
        return {
          trimmed: db.run('delete from idempotency_keys where at < ?', [momentBefore(stamp.at, write.keptMs)]).changes,
        };
      case 'api keys':
        return { isDone: writeKeys(db, write.write) };
      case 'trim':
        return { trimmed: trim(momentBefore(stamp.at, write.keptMs)) };
    }
  }

  /** Rolls back the changes of `add`, and returns its outcome. */
  function takenBack(add: () => Outcome): Outcome {
    let outcome: Outcome | undefined;
    try {
      // Nested in the transaction of the batch, so SQLite makes it a savepoint.
      db.transaction(() => {
        outcome = add();
        throw new TakenBack();
      })();
    } catch (error) {
      if (!(error instanceof TakenBack)) throw error;
    }
    // The last seq has to be read again: the records had numbers.
    reload();
    return outcome ?? 'missing';
  }

  function remove(place: number, stored: StoredRow | Unchanged, permitted: Permitted, stamp: Stamp): Outcome {
    return typeof stored === 'string' ? stored : cascade.remove(place, stored, permitted, stamp);
  }

  /** Consecutive additions of one caller to one collection are inserted together. */
  function applyAll(lines: readonly WriteLine[], now: string): Outcome[] {
    const outcomes: Outcome[] = [];
    for (let at = 0; at < lines.length; ) {
      const write = readLine(lines[at] ?? '');
      if (write.kind !== 'append') {
        const line = lines[at++] ?? '';
        // In a savepoint, a bulk that clashes is rolled back alone, and the other writes are not applied again.
        const isAlone = lines.length > 1 && isBulkLine(line);
        outcomes.push(isAlone ? applyAlone(line, now) : applyOne(write, { at: now, by: write.by }));
        continue;
      }
      // Most writes are additions: only the first line of a run is parsed, the others only match its prefix.
      const prefix = prefixOf(lines[at] ?? '');
      const run: string[] = [];
      while (lines[at]?.startsWith(prefix)) run.push((lines[at++] ?? '').slice(prefix.length));
      for (const outcome of tableAt(write.place).append(run, { at: now, by: write.by })) outcomes.push(outcome);
    }
    return outcomes;
  }

  type Apply = (lines: readonly WriteLine[], now: string) => Outcome[];

  const transaction = db.transaction((apply: Apply, lines: readonly WriteLine[], now: string) => {
    const outcomes = apply(lines, now);
    return { outcomes, lastChange: newest.get()?.seq ?? 0 };
  });

  function commit(apply: Apply, lines: readonly WriteLine[], now: string): Outcome[] {
    const committed = transaction.immediate(apply, lines, now);
    lastChange = committed.lastChange;
    return committed.outcomes;
  }

  /** Nested in a transaction, so SQLite makes it a savepoint. */
  const savepoint = db.transaction((line: WriteLine, now: string) => applyAll([line], now)[0] ?? 'missing');

  /** Applies a write in a savepoint. If it fails, it is rolled back, and the other writes of the batch are still committed. */
  function applyAlone(line: WriteLine, now: string): Outcome {
    try {
      return savepoint(line, now);
    } catch (error) {
      if (diskError(error) !== undefined) throw error;
      reload();
      return failureOf(error);
    }
  }

  /** For a batch with a failing write, which must not fail the others. */
  function applyEach(lines: readonly WriteLine[], now: string): Outcome[] {
    return lines.map((line) => applyAlone(line, now));
  }

  /**
   * After a failed sync the commit stays in the WAL, invisible, and the next start would replay it. The next commit
   * overwrites it: once that one is synced, the failed one is certainly gone.
   */
  function settle(): void {
    if (!doubtful) return;
    db.run("insert or replace into settings values ('settled', ?)", [clock()]);
    doubtful = false;
  }

  /**
   * Checkpoints before the WAL takes the space that has become free: on a disk that the WAL has filled, neither it nor the file could
   * grow again. Throws if the disk is still full.
   */
  function emptyLog(): void {
    if (!wasFull) return;
    db.run('pragma wal_checkpoint(passive)');
    wasFull = false;
  }

  /** The outcome of all writes if the disk failed; undefined if one write failed, and the others can be retried. */
  function refusal(error: unknown): Outcome | undefined {
    reload();
    const cause = diskError(error);
    if (cause === undefined) return undefined;
    if (isFull(error)) wasFull = true;
    if (!leavesDoubt(error)) return { refused: 'unavailable', cause };
    doubtful = true;
    try {
      settle();
      return { refused: 'unavailable', cause };
    } catch {
      return { refused: 'unknown', cause };
    }
  }

  function refuseAll(lines: readonly WriteLine[], cause: string): Outcome[] {
    const refused: Outcome = { refused: 'unavailable', cause };
    return lines.map(() => refused);
  }

  function outcomesOf(lines: readonly WriteLine[], now: string): Outcome[] {
    try {
      emptyLog();
      settle();
    } catch (error) {
      return refuseAll(lines, diskError(error) ?? String(error));
    }
    for (const apply of [applyAll, applyEach]) {
      try {
        return commit(apply, lines, now);
      } catch (error) {
        const outcome = refusal(error);
        if (outcome !== undefined) return lines.map(() => outcome);
        // There are no other writes to retry, and a bulk of a million records must not be applied twice.
        if (lines.length === 1) return [failureOf(error)];
      }
    }
    return refuseAll(lines, 'the batch cannot be applied');
  }

  return {
    apply(lines) {
      const at = clock();
      const outcomes = outcomesOf(lines, at);
      useCache('usual');
      return { outcomes, at, lastChange };
    },
    refuse: (lines, cause) => ({ outcomes: refuseAll(lines, cause), at: clock(), lastChange }),
    settle,
    close() {
      newest.finalize();
      cascade.close();
      for (const table of opened.values()) table.close();
    },
  };
}

/** The outcome of a write that SQLite refuses, or a bulk that clashes with other records. */
function failureOf(error: unknown): Outcome {
  if (error instanceof BulkClashes) return error.outcome;
  return { failed: String(error) };
}
