/** Applies batches of writes, each in one transaction with its change rows. Runs on the writing thread. */
import type { Database } from 'bun:sqlite';
import type { UnservedReference } from '../../../declarations/plan.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import type { Unchanged } from '../../../domain/store/transaction.ts';
import { writeKeys } from '../api-keys.ts';
import { diskError } from '../errors.ts';
import { lastChangeStatement } from '../statements/collection-sql.ts';
import { openAdditions, runAt } from './additions.ts';
import type { BulkApplied } from './bulk-writer.ts';
import { openCascade } from './cascade.ts';
import { openChangeRows } from './change-rows.ts';
import type { Stamp } from './clock.ts';
import { momentBefore, openClock } from './clock.ts';
import { DiskFaults } from './disk-faults.ts';
import { openKeys } from './idempotency-keys.ts';
import { openTable, type StoredRow, type TableWriter } from './table-writer.ts';
import { type Applied, BulkClashes, type Effect, type Effects, type Outcome } from './thread/outcome.ts';
import { type BulkWrite, isBulk, type Permitted, type Write } from './thread/write-message.ts';
import { openTransactions } from './transaction/apply-transaction.ts';
import { OperationFailed } from './transaction/fault.ts';
import type { TransactionWrite } from './transaction/transaction-message.ts';
import { trimChanges } from './trim-changes.ts';

export type Writer = {
  /** Returns one outcome per write. Does not throw if the disk fails. */
  apply(writes: readonly Write[]): Applied;
  /** Of the last batch. */
  readonly effects: Effects;
  /** Returns a refusal for each write, without trying it. */
  refuse(writes: readonly Write[], cause: string): Applied;
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
  const keys = openKeys(db);
  const changes = openChangeRows(db);
  const faults = new DiskFaults(db, clock);
  const newest = db.prepare<{ seq: number }, []>(lastChangeStatement);
  let lastChange = newest.get()?.seq ?? 0;
  let cached: keyof typeof cacheKb | undefined;
  const effects = new Map<Outcome, readonly Effect[]>();
  const newestChange = () => newest.get()?.seq ?? 0;
  const additions = openAdditions(db, tableAt, newestChange);
  const transactions = openTransactions({ db, tableAt, cascade, keys, newest: newestChange });
  /** Nested in the transaction of the batch, so SQLite makes it a savepoint. */
  const transactionSavepoint = db.transaction((write: TransactionWrite, now: string) => transactions.apply(write, now));

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
    const table = openTable({ db, idempotency: keys, changes }, collection);
    opened.set(place, table);
    return table;
  }

  function reload(): void {
    for (const table of opened.values()) table.reload();
  }

  function applyOne(write: Write, now: string): Outcome {
    const by = 'by' in write ? write.by : undefined;
    const stamp = { at: now, by, traceId: 'traceId' in write ? write.traceId : undefined };
    switch (write.op) {
      case 'create':
        return tableAt(write.place).create(write.json, write.once, stamp);
      case 'update':
        return tableAt(write.place).update(write.recordId, write.when, write.json, stamp);
      case 'delete': {
        const { place, recordId, when, permitted } = write;
        return remove(place, tableAt(place).current(recordId, when), permitted, stamp);
      }
      case 'delete first': {
        const { place, contractId, when, permitted } = write;
        return remove(place, tableAt(place).firstWithId(contractId, when), permitted, stamp);
      }
      case 'bulk':
        useCache('bulk');
        return shown(write, tableAt(write.place).appendAll(write.spooled, write.key, write.once, stamp));
      case 'import':
        useCache('bulk');
        return shown(write, tableAt(write.place).appendBatches(write.spooled, write.key, write.imported, stamp));
      case 'dry bulk':
        return takenBack(() => tableAt(write.place).appendAll(write.spooled, write.key, undefined, stamp).outcome);
      case 'forget keys':
        return {
          trimmed: db.run('delete from idempotency_keys where at < ?', [momentBefore(now, write.keptMs)]).changes,
        };
      case 'transaction':
        return applyTransaction(write, now);
      case 'api keys':
        return { isDone: writeKeys(db, write.keys) };
      case 'trim':
        return { trimmed: trimChanges(db, momentBefore(now, write.keptMs)) };
    }
  }

  function shown({ place }: BulkWrite, { outcome, changes }: BulkApplied): Outcome {
    if (changes !== undefined)
      effects.set(
        outcome,
        changes.map((change) => ({ place, ...change })),
      );
    return outcome;
  }

  /** All of its operations in a savepoint, or none. */
  function applyTransaction(write: TransactionWrite, now: string): Outcome {
    try {
      const { outcome, effects: changed } = transactionSavepoint(write, now);
      effects.set(outcome, changed);
      return outcome;
    } catch (error) {
      if (!(error instanceof OperationFailed)) throw error;
      // The last record ids have to be read again: records had numbers.
      reload();
      const { operation, fault } = error;
      return { operation, fault };
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
    // The last record id has to be read again: the records had numbers.
    reload();
    return outcome ?? 'missing';
  }

  function remove(place: number, stored: StoredRow | Unchanged, permitted: Permitted, stamp: Stamp): Outcome {
    return typeof stored === 'string' ? stored : cascade.remove(place, stored, permitted, stamp);
  }

  /** Consecutive additions of one caller to one collection are inserted together. */
  function applyAll(writes: readonly Write[], now: string): Outcome[] {
    const outcomes: Outcome[] = [];
    for (let at = 0; at < writes.length; ) {
      const write = writes[at];
      if (write === undefined) break;
      const run = runAt(writes, at);
      if (run.length > 0) {
        at += run.length;
        for (const outcome of additions.add(run, now)) outcomes.push(outcome);
        continue;
      }
      at++;
      // In a savepoint, a bulk that clashes is rolled back alone, and the other writes are not applied again.
      outcomes.push(writes.length > 1 && isBulk(write) ? applyAlone(write, now) : applyOne(write, now));
    }
    return outcomes;
  }

  type Apply = (writes: readonly Write[], now: string) => Outcome[];

  const transaction = db.transaction((apply: Apply, writes: readonly Write[], now: string) => {
    const outcomes = apply(writes, now);
    return { outcomes, lastChange: newestChange() };
  });

  function commit(apply: Apply, writes: readonly Write[], now: string): Outcome[] {
    const committed = transaction.immediate(apply, writes, now);
    lastChange = committed.lastChange;
    return committed.outcomes;
  }

  /** Nested in a transaction, so SQLite makes it a savepoint. */
  const savepoint = db.transaction(applyOne);

  /** Applies a write in a savepoint. If it fails, it is rolled back, and the other writes of the batch are still committed. */
  function applyAlone(write: Write, now: string): Outcome {
    try {
      return savepoint(write, now);
    } catch (error) {
      if (diskError(error) !== undefined) throw error;
      reload();
      return failureOf(error);
    }
  }

  /** For a batch with a failing write, which must not fail the others. */
  function applyEach(writes: readonly Write[], now: string): Outcome[] {
    return writes.map((write) => applyAlone(write, now));
  }

  function refuseAll(writes: readonly Write[], cause: string): Outcome[] {
    const refused: Outcome = { refused: 'unavailable', cause };
    return writes.map(() => refused);
  }

  function outcomesOf(writes: readonly Write[], now: string): Outcome[] {
    try {
      faults.emptyLog();
      faults.settle();
    } catch (error) {
      return refuseAll(writes, diskError(error) ?? String(error));
    }
    for (const apply of [applyAll, applyEach]) {
      try {
        return commit(apply, writes, now);
      } catch (error) {
        reload();
        const outcome = faults.refusal(error);
        if (outcome !== undefined) return writes.map(() => outcome);
        // There are no other writes to retry, and a bulk of a million records must not be applied twice.
        if (writes.length === 1) return [failureOf(error)];
      }
    }
    return refuseAll(writes, 'the batch cannot be applied');
  }

  return {
    apply(writes) {
      const at = clock();
      effects.clear();
      const outcomes = outcomesOf(writes, at);
      useCache('usual');
      return { outcomes, at, lastChange };
    },
    refuse: (writes, cause) => ({ outcomes: refuseAll(writes, cause), at: clock(), lastChange }),
    effects,
    settle: () => faults.settle(),
    close() {
      newest.finalize();
      cascade.close();
      transactions.close();
      keys.close();
      changes.close();
      additions.close();
      for (const table of opened.values()) table.close();
    },
  };
}

/** The outcome of a write that SQLite refuses, or a bulk that clashes with other records. */
function failureOf(error: unknown): Outcome {
  if (error instanceof BulkClashes) return error.outcome;
  return { failed: String(error) };
}
