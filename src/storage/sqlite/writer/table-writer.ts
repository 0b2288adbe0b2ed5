/** Writes to the table of one collection. Each write also adds its change row. */
import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite';
import { lazy } from '../../../domain/lazy.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import type { Bulked, Import, ImportBatch } from '../../../domain/store/bulk.ts';
import type { Placed } from '../../../domain/store/constraint-clash.ts';
import type { Once } from '../../../domain/store/once.ts';
import { holds, type Precondition } from '../../../domain/store/precondition.ts';
import { type Unchanged, withId } from '../../../domain/store/transaction.ts';
import { areIn, importDigest, importedOf, importKey, type Known, knownOf, presentLines } from '../../bulk/imports.ts';
import { linesOf, type Spooled } from '../../bulk/spool.ts';
import { encodeBulked } from '../../bulk/spooled-bulk.ts';
import { contentTag } from '../../content-tag.ts';
import type { RepeatedRow } from '../../rows/idempotency-key.ts';
import { gapsIn } from '../file/epoch.ts';
import { createdStatement, insertStatement, writeStatements } from '../statements/collection-sql.ts';
import { PreparedStatements } from '../statements/prepared-statements.ts';
import { type Columns, unbinder } from '../statements/values.ts';
import { type Binding, openBindings } from './bindings.ts';
import { openChecks } from './checks.ts';
import { momentBefore } from './clock.ts';
import { BulkClashes, type Clashed, isClashed, type Outcome, type Removed, type Updated } from './outcome.ts';

/** Rows per insert statement: a multi-row insert costs half as much per row. A run is split into two or three of these, largest first. */
const rowsAtOnce = [64, 56, 48, 40, 32, 28, 24, 20, 16, 14, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1];

/** The most clashing records that are reported for a bulk: enough to correct several at a time. */
const maxClashes = 100;

/** The time of a write, and the name of its caller; undefined without a caller. */
export type Stamp = { readonly at: string; readonly by: string | undefined };

/** A row of the table, as SQLite returns it. */
export type StoredRow = Columns & { seq: bigint; version: bigint; created_at: string; updated_at: string };

export type TableWriter = ReturnType<typeof openTable>;

export function openTable(db: Database, collection: Collection) {
  const { name, fields, contract } = collection;
  const sql = writeStatements(collection);
  const statements: Statement[] = [];
  function prepare<Row>(text: string): Statement<Row, SQLQueryBindings[]> {
    const statement = db.prepare<Row, SQLQueryBindings[]>(text);
    statements.push(statement);
    return statement;
  }
  /** Prepared at their first use. */
  const inserts = rowsAtOnce.map((rows) => ({
    rows,
    record: lazy(() => prepare(insertStatement(collection, rows))),
    change: lazy(() => prepare(createdStatement(collection, rows))),
  }));
  // So that opening fails if the table cannot be written.
  inserts.at(-1)?.record();
  const get = prepare<StoredRow>(sql.get).safeIntegers(true);
  /** By the fields that change: SQLite writes the index of every column that a statement sets, changed or not. */
  const updates = new PreparedStatements(db);
  const addUpdated = prepare(sql.updated);
  const discardOne = prepare(sql.discard);
  const addDeleted = prepare(sql.removed);
  const firstRecordId = contract === undefined ? undefined : prepare<{ seq: number | null }>(sql.firstRecordId);
  const lastRecordId = prepare<{ seq: number }>(sql.lastRecordId);
  const findKey = prepare<{ digest: string; at: string; record_seq: number; record: string }>(
    'select digest, at, record_seq, record from idempotency_keys where collection = ? and key = ?',
  );
  const storeKey = prepare('insert or replace into idempotency_keys values (?, ?, ?, ?, ?, ?)');
  const keys = Object.keys(fields);
  const bindings = openBindings(fields);
  const checks = openChecks(db, collection);
  const isSelfReferring = collection.references.some(({ to }) => to === name);
  const unbind = unbinder(fields);
  /** Mutates the row. */
  const encode = (row: Columns) => collection.encode(unbind(row));
  /** The JSON to store: with the contract id, if the collection has one. */
  const complete = contract === undefined ? (json: string) => json : withId;

  /** The lowest version of an update after a restore. */
  const floor = (gapsIn(db).at(-1)?.[1] ?? 0) + 1;
  // Record ids are assigned here, so that one statement can insert many rows and none is read back.
  let last = 0;
  const reload = () => {
    last = lastRecordId.get()?.seq ?? 0;
  };
  reload();

  /** Inserts records with the record ids after `last`. `values` has the values of all records in one array. */
  function insertAll(records: readonly string[], values: readonly Binding[], stamp: Stamp): void {
    let at = 0;
    for (const { rows, record, change } of inserts) {
      for (; records.length - at >= rows; at += rows) {
        const recordId = last + 1;
        record().run(stamp.at, recordId, ...values.slice(at * keys.length, (at + rows) * keys.length));
        change().run(stamp.at, recordId, stamp.by ?? null, ...records.slice(at, at + rows));
        last += rows;
      }
    }
  }

  /** Returns the record id of each record, or why it was not added. */
  function append(run: readonly string[], stamp: Stamp): (number | Clashed)[] {
    if (!checks.none) return appendChecked(run, stamp);
    const first = last + 1;
    const records = run.map((json, index) => complete(json, first + index));
    insertAll(records, bindings.all(records), stamp);
    return run.map((_, index) => first + index);
  }

  /** Checks each record against the table and the records before it. */
  function appendChecked(run: readonly string[], stamp: Stamp): (number | Clashed)[] {
    // A record can refer to an earlier one of the run, which must be in the table by then.
    const atOnce = isSelfReferring ? 1 : run.length;
    const outcomes: (number | Clashed)[] = [];
    for (let at = 0; at < run.length; at += atOnce) {
      try {
        for (const outcome of appendTogether(run.slice(at, at + atOnce), stamp)) outcomes.push(outcome);
      } finally {
        checks.forget();
      }
    }
    return outcomes;
  }

  function appendTogether(run: readonly string[], stamp: Stamp): (number | Clashed)[] {
    const records: string[] = [];
    const values: Binding[] = [];
    const outcomes = run.map((json) => {
      const recordId = last + 1 + records.length;
      const record = complete(json, recordId);
      const own = bindings.all([record]);
      const clashes = checks.clashes(own, recordId);
      if (clashes.length > 0) return { clashes };
      checks.expect(own, recordId);
      records.push(record);
      for (const value of own) values.push(value);
      return recordId;
    });
    insertAll(records, values, stamp);
    return outcomes;
  }

  /** The earlier result under this key; undefined if there is none or it has expired. */
  function earlierResult({ key, digest, former, keptMs }: Once, stamp: Stamp): RepeatedRow | 'mismatch' | undefined {
    const found = findKey.get(name, key);
    if (found === null || found.at < momentBefore(stamp.at, keptMs)) return undefined;
    if (found.digest !== digest && found.digest !== former) return 'mismatch';
    return { repeated: found.record_seq, at: found.at, json: found.record };
  }

  function create(json: string, once: Once | undefined, stamp: Stamp): Outcome {
    const earlier = once === undefined ? undefined : earlierResult(once, stamp);
    if (earlier !== undefined) return earlier;
    const [recordId = 0] = append([json], stamp);
    if (once === undefined || isClashed(recordId)) return recordId;
    storeKey.run(name, once.key, once.digest, stamp.at, recordId, complete(json, recordId));
    return recordId;
  }

  function appendAll(spooled: Spooled, once: Once | undefined, stamp: Stamp): Outcome {
    const earlier = once === undefined ? undefined : earlierResult(once, stamp);
    if (earlier !== undefined) return earlier;
    const bulked = appendSpooled(spooled, stamp);
    if (once !== undefined) storeKey.run(name, once.key, once.digest, stamp.at, bulked.first, encodeBulked(bulked));
    return bulked;
  }

  /** Adds the batches of a file that were not imported before. */
  function appendBatches(spooled: Spooled, { batches, keptMs, isAgain }: Import, stamp: Stamp): Outcome {
    const known = batches.map((batch) => (isAgain ? undefined : earlierBatch(batch, keptMs, stamp)));
    // If all batches were imported before, the spool is not read, because all writers wait meanwhile.
    const missing = areIn(batches, known) ? { size: 0 } : { without: presentLines(batches, known) };
    const bulked = appendSpooled({ ...spooled, ...missing }, stamp);
    const imported = importedOf(batches, known, bulked.first);
    for (const [place, batch] of batches.entries()) {
      const added = imported[place];
      if (added === undefined || added.earlier !== undefined) continue;
      storeKey.run(name, importKey(batch), importDigest, stamp.at, added.first, encodeBulked(added));
    }
    return { ...bulked, batches: imported };
  }

  function earlierBatch(batch: ImportBatch, keptMs: number, stamp: Stamp): Known {
    const found = findKey.get(name, importKey(batch));
    if (found === null || found.at < momentBefore(stamp.at, keptMs)) return undefined;
    return knownOf(found.at, found.record);
  }

  /** Throws BulkClashes. */
  function appendSpooled(spooled: Spooled, stamp: Stamp): Bulked {
    const first = last + 1;
    const clashes: Placed[] = [];
    let place = 0;
    for (const lines of linesOf(spooled)) {
      for (const outcome of append(lines, stamp)) {
        place++;
        if (isClashed(outcome) && clashes.length < maxClashes) clashes.push([place, outcome.clashes]);
      }
      if (clashes.length >= maxClashes) break;
    }
    if (clashes.length > 0) throw new BulkClashes({ bulkClashes: clashes, first, without: spooled.without });
    return { created: last + 1 - first, first, last };
  }

  /** The earliest record with this id, or the reason not to remove it. */
  function firstWithId(contractId: bigint, when: Precondition<string> | undefined): StoredRow | Unchanged {
    const stored = get.get(firstRecordId?.get(contractId)?.seq ?? 0);
    if (stored === null) return 'missing';
    // The same bytes as in responses, so the tag is the same.
    const tag = () => contentTag(Buffer.from(encode({ ...stored })));
    return holds(when, tag) ? stored : 'conflict';
  }

  /** No other record may refer to this one. */
  function drop(stored: StoredRow, stamp: Stamp): Removed {
    const { seq: recordId, id, version, created_at, updated_at } = stored;
    discardOne.run(recordId);
    addDeleted.run(recordId, version, created_at, stamp.at, stamp.by ?? null, encode(stored), updated_at);
    return { removed: Number(recordId), ...idsAfter(id) };
  }

  /** The contract id of the record, and the record that is now the first with this id. */
  function idsAfter(id: Columns[string] | undefined) {
    if (firstRecordId === undefined || typeof id !== 'bigint') return {};
    return { id: String(id), next: firstRecordId.get(id)?.seq ?? 0 };
  }

  /** The record, or the reason not to change it. */
  function current(recordId: number, when: Precondition<number> | undefined): StoredRow | Unchanged {
    const stored = get.get(recordId);
    if (stored === null) return 'missing';
    return holds(when, () => Number(stored.version)) ? stored : 'conflict';
  }

  function update(recordId: number, when: Precondition<number> | undefined, given: string, stamp: Stamp): Outcome {
    const stored = current(recordId, when);
    if (typeof stored === 'string') return stored;
    const sent = bindings.some(given);
    const clashes = checks.none ? [] : checks.clashes(sent, recordId);
    return clashes.length > 0 ? { clashes } : change(stored, sent, stamp);
  }

  /** `values` are in the order of the fields, undefined for a field that does not change. */
  function change(stored: StoredRow, values: readonly (Columns[string] | undefined)[], stamp: Stamp): Updated {
    const { seq: recordId, id, created_at: createdAt } = stored;
    // After a restore, above every version that the lost history can have assigned.
    const version = Math.max(Number(stored.version) + 1, floor);
    const changed: string[] = [];
    const bound: Columns[string][] = [];
    keys.forEach((key, index) => {
      const value = values[index];
      if (value === undefined) return;
      stored[key] = value;
      changed.push(key);
      bound.push(value);
    });
    const newId = contract === undefined ? '' : String(stored.id);
    const json = encode(stored);
    updates.of(sql.update(changed)).run(...bound, version, stamp.at, recordId);
    addUpdated.run(recordId, version, createdAt, stamp.at, stamp.by ?? null, json);
    const updated = { version, createdAt, json };
    return contract === undefined || newId === String(id) ? updated : { ...updated, newId, ...idsAfter(id) };
  }

  return {
    collection,
    append,
    create,
    appendAll,
    appendBatches,
    firstWithId,
    current,
    drop,
    update,
    /** Sets one field to null. */
    clear: (stored: StoredRow, field: string, stamp: Stamp) =>
      change(
        stored,
        keys.map((key) => (key === field ? null : undefined)),
        stamp,
      ),
    get: (recordId: number) => get.get(recordId),
    reload,
    close(): void {
      checks.close();
      updates.close();
      for (const statement of statements) statement.finalize();
    },
  };
}
