/** Writes to the table of one collection. Each write also adds its change row. */
import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite';
import type { Collection } from '../../../domain/record/collection.ts';
import type { KeyedText } from '../../../domain/record/keyed-text.ts';
import { identifier } from '../../../domain/sql-text.ts';
import type { Once } from '../../../domain/store/once.ts';
import { holds, type Precondition } from '../../../domain/store/precondition.ts';
import { completer, type Unchanged } from '../../../domain/store/transaction.ts';
import { membersOf } from '../../../exact/json-text.ts';
import { contentTag } from '../../content-tag.ts';
import { gapsIn } from '../file/epoch.ts';
import { changedMembers } from '../statements/changed-members.ts';
import { insertStatement, writeStatements } from '../statements/collection-sql.ts';
import { PreparedStatements } from '../statements/prepared-statements.ts';
import { RowInserts } from '../statements/row-inserts.ts';
import { type Columns, unbinder } from '../statements/values.ts';
import { openWords } from '../statements/word-writer.ts';
import { type Binding, openBindings, type Sent } from './bindings.ts';
import { bulkWriter } from './bulk-writer.ts';
import type { ChangeRows } from './change-rows.ts';
import { openChecks } from './checks.ts';
import type { Stamp } from './clock.ts';
import type { IdempotencyKeys } from './idempotency-keys.ts';
import {
  type Clashed,
  isClashed,
  type KeyedChange,
  type Outcome,
  type OutOfBounds,
  type Removed,
  type Updated,
} from './thread/outcome.ts';
import type { UniqueKey } from './transaction/transaction-message.ts';

/** A row of the table, as SQLite returns it. */
export type StoredRow = Columns & { seq: bigint; version: bigint; created_at: string; updated_at: string };

export type TableWriter = ReturnType<typeof openTable>;

export type TableParts = {
  readonly db: Database;
  readonly idempotency: IdempotencyKeys;
  readonly changes: ChangeRows;
};

export function openTable({ db, idempotency, changes }: TableParts, collection: Collection) {
  const { name, fields, contract } = collection;
  const sql = writeStatements(collection);
  const statements: Statement[] = [];
  function prepare<Row>(text: string): Statement<Row, SQLQueryBindings[]> {
    const statement = db.prepare<Row, SQLQueryBindings[]>(text);
    statements.push(statement);
    return statement;
  }
  const inserts = new RowInserts((rows) => prepare(insertStatement(collection, rows)));
  const get = prepare<StoredRow>(sql.get).safeIntegers(true);
  /** By the fields that change: SQLite writes the index of every column that a statement sets, changed or not. */
  const prepared = new PreparedStatements(db);
  const discardOne = prepare(sql.discard);
  const firstRecordId = contract === undefined ? undefined : prepare<{ seq: number | null }>(sql.firstRecordId);
  const lastRecordId = prepare<{ seq: number }>(sql.lastRecordId);
  const keys = Object.keys(fields);
  const bindings = openBindings(fields);
  const checks = openChecks(db, collection);
  const words = openWords(db, collection);
  const isSelfReferring = collection.references.some(({ to }) => to === name);
  const unbind = unbinder(fields);
  const membersBefore = changedMembers(fields);
  /** Mutates the row. */
  const encode = (row: Columns) => collection.encode(unbind(row));
  const complete = completer(collection);
  const { stamp: stampDraft = (json: string) => json } = collection;

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
    addWords(records.length, values);
    const first = last + 1;
    inserts.each(records.length, (statement, from, to) =>
      statement.run(stamp.at, first + from, ...values.slice(from * keys.length, to * keys.length)),
    );
    last += records.length;
    changes.created(name, first, records, stamp);
  }

  /** Of records that get the ids after `last`. */
  function addWords(records: number, values: readonly Binding[]): void {
    if (words === undefined) return;
    for (let at = 0; at < records; at++)
      words.add(last + 1 + at, (field) => values[at * keys.length + keys.indexOf(field)]);
  }

  /** Returns the record id of each record, or why it was not added. */
  function append(run: readonly string[], stamp: Stamp): (number | Clashed)[] {
    if (!checks.none) return appendChecked(run, stamp);
    const first = last + 1;
    const records = run.map((json, index) => complete(json, first + index, stamp.at));
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
      const record = complete(json, recordId, stamp.at);
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

  function create(json: string, once: Once | undefined, stamp: Stamp): Outcome {
    const earlier = idempotency.earlier(name, once, stamp.at);
    if (earlier !== undefined) return earlier;
    const [recordId = 0] = append([json], stamp);
    if (once === undefined || isClashed(recordId)) return recordId;
    idempotency.store(name, once, stamp.at, recordId, complete(json, recordId, stamp.at));
    return recordId;
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
    const { seq: recordId, id, version, created_at: createdAt, updated_at: updatedAt } = stored;
    discardOne.run(recordId);
    words?.remove(recordId);
    changes.deleted(name, { recordId, version, createdAt, json: encode(stored) }, updatedAt, stamp);
    return { removed: Number(recordId), ...idsAfter(id) };
  }

  /** The contract id of the record, and the record that is now the first with this id. */
  function idsAfter(id: Columns[string] | undefined) {
    if (firstRecordId === undefined || typeof id !== 'bigint') return {};
    return { id: String(id), next: firstRecordId.get(id)?.seq ?? 0 };
  }

  /** The record, which may be known already, or the reason not to change it. */
  function current(record: number | StoredRow, when: Precondition<number> | undefined): StoredRow | Unchanged {
    const stored = typeof record === 'number' ? get.get(record) : record;
    if (stored === null) return 'missing';
    return holds(when, () => Number(stored.version)) ? stored : 'conflict';
  }

  function update(recordId: number, when: Precondition<number> | undefined, given: string, stamp: Stamp): Outcome {
    const stored = current(recordId, when);
    return typeof stored === 'string' ? stored : updateRow(stored, given, stamp);
  }

  function updateRow(stored: StoredRow, given: string, stamp: Stamp): Updated | Clashed {
    return updateWith(stored, bindings.some(stampDraft(given, stamp.at)), stamp);
  }

  function updateWith(stored: StoredRow, sent: Sent, stamp: Stamp): Updated | Clashed {
    const clashes = checks.none ? [] : checks.clashes(sent, Number(stored.seq), stored);
    return clashes.length > 0 ? { clashes } : change(stored, sent, stamp);
  }

  /** Adds the numbers in `given` to those of the record. */
  function add(stored: StoredRow, given: string, stamp: Stamp): Updated | Clashed | OutOfBounds {
    const row = unbind({ ...stored });
    const sums: Binding[] = [];
    for (const [key, text] of membersOf(given)) {
      const field = fields[key];
      const amount = field?.filter.parse(text.startsWith('"') ? JSON.parse(text) : text);
      if (field?.add === undefined || field.zero === undefined || amount === undefined)
        throw new Error(`${key} has no sums`);
      const sum = field.add(row[key] ?? field.zero, amount);
      const value = field.readCell(sum);
      if (typeof value === 'object') return { outOfBounds: key, sum };
      sums[keys.indexOf(key)] = value === null ? null : field.sqlite.bind(value);
    }
    return updateWith(stored, sums, stamp);
  }

  /** Updates the record that has the key, or adds one. */
  function upsert({ update: given, create }: KeyedText, key: UniqueKey, stamp: Stamp): KeyedChange | Clashed {
    const sent = bindings.some(given);
    const recordId = recordWith(key, sent);
    const stored = recordId === undefined ? null : get.get(recordId);
    if (stored !== null) {
      const outcome = updateWith(stored, sent, stamp);
      return isClashed(outcome) ? outcome : { recordId: Number(stored.seq), ...outcome };
    }
    if (typeof create !== 'string') return { clashes: create.map((lacking) => ({ lacking, key: key.key })) };
    const [created = 0] = append([create], stamp);
    return typeof created === 'number' ? { created, json: create } : created;
  }

  /** The record that the rule is for and that has these values; undefined if there is none. */
  function recordWith({ key, among }: UniqueKey, values: Sent): number | undefined {
    const conditions = [...key.map((field) => `${identifier(field)} = ?`), ...(among === undefined ? [] : [among])];
    const found = prepared.of(`select seq from ${identifier(name)} where ${conditions.join(' and ')}`);
    const [row] = found.values(...key.map((field) => values[keys.indexOf(field)] ?? null));
    return row === undefined ? undefined : Number(row[0]);
  }

  /** Most updates set the same fields as the one before. */
  let lastUpdate = { fields: '', text: '' };
  function updateOf(changed: readonly string[]): string {
    const names = changed.join();
    if (names !== lastUpdate.fields || lastUpdate.text === '')
      lastUpdate = { fields: names, text: sql.update(changed) };
    return lastUpdate.text;
  }

  /** `values` are in the order of the fields, undefined for a field that does not change. */
  function change(stored: StoredRow, values: readonly (Columns[string] | undefined)[], stamp: Stamp): Updated {
    const { seq: recordId, id, created_at: createdAt } = stored;
    // After a restore, above every version that the lost history can have assigned.
    const version = Math.max(Number(stored.version) + 1, floor);
    const before = membersBefore(stored, values);
    const changed: string[] = [];
    const bound: Columns[string][] = [];
    keys.forEach((key, index) => {
      const value = values[index];
      if (value === undefined) return;
      stored[key] = value;
      changed.push(key);
      bound.push(value);
    });
    words?.change(recordId, changed, (field) => stored[field]);
    const newId = contract === undefined ? '' : String(stored.id);
    const json = encode(stored);
    prepared.of(updateOf(changed)).run(...bound, version, stamp.at, recordId);
    changes.updated(name, { recordId, version, createdAt, json }, before, stamp);
    const updated = { version, createdAt, json };
    return contract === undefined || newId === String(id) ? updated : { ...updated, newId, ...idsAfter(id) };
  }

  return {
    collection,
    append,
    create,
    ...bulkWriter({ name, append, upsert, lastRecordId: () => last }, idempotency),
    firstWithId,
    current,
    drop,
    update,
    updateRow,
    add,
    recordWith: (key: UniqueKey, given: string) => recordWith(key, bindings.some(given)),
    encode,
    complete,
    /** Sets one field to null, which can bring the record under a rule. */
    clear(stored: StoredRow, field: string, stamp: Stamp): Updated | Clashed {
      const sent = keys.map((key) => (key === field ? null : undefined));
      const clashes = checks.clashes(sent, Number(stored.seq), stored);
      return clashes.length > 0 ? { clashes } : change(stored, sent, stamp);
    },
    get: (recordId: number) => get.get(recordId),
    reload,
    close(): void {
      checks.close();
      words?.close();
      prepared.close();
      for (const statement of statements) statement.finalize();
    },
  };
}
