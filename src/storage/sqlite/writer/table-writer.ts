/** Writes to the table of one collection. Each write also adds its change row. */
import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite';
import { encoder, type FieldValue } from '../../../domain/encode.ts';
import { exactInteger } from '../../../domain/integer.ts';
import { mayLoseDigits, parseJson } from '../../../domain/json.ts';
import { holds, type Precondition } from '../../../domain/precondition.ts';
import { type Once, type Unchanged, withId } from '../../../domain/store.ts';
import { contentTag } from '../../content-tag.ts';
import type { RepeatedRow } from '../../rows/idempotency-key.ts';
import { linesOf, type Spooled } from '../../spool.ts';
import { encodeBulked } from '../../spooled-bulk.ts';
import { gapsIn } from '../file/epoch.ts';
import { createdStatement, insertStatement, type Shape, writeStatements } from '../sql.ts';
import { momentBefore } from './clock.ts';
import type { Outcome, Removed } from './outcome.ts';

/** Rows per insert statement: a multi-row insert costs half as much per row. A run is split into these, largest first. */
const rowsAtOnce = [64, 32, 16, 8, 4, 2, 1];

type StoredRow = Record<string, FieldValue> & {
  seq: bigint;
  id: bigint;
  version: bigint;
  created_at: string;
  updated_at: string;
};

export type TableWriter = ReturnType<typeof openTable>;

export function openTable(db: Database, shape: Shape) {
  const sql = writeStatements(shape);
  const statements: Statement[] = [];
  function prepare<Row>(text: string): Statement<Row, SQLQueryBindings[]> {
    const statement = db.prepare<Row, SQLQueryBindings[]>(text);
    statements.push(statement);
    return statement;
  }
  const inserts = rowsAtOnce.map((rows) => ({
    rows,
    record: prepare(insertStatement(shape, rows)),
    change: prepare(createdStatement(shape, rows)),
  }));
  const remove = prepare<StoredRow>(sql.remove).safeIntegers(true);
  const get = prepare<StoredRow>(sql.get).safeIntegers(true);
  const updateOne = prepare(sql.update);
  const addUpdated = prepare(sql.updated);
  const discardOne = prepare(sql.discard);
  const addDeleted = prepare(sql.removed);
  const firstSeq = prepare<{ seq: number | null }>(sql.firstSeq);
  const lastSeq = prepare<{ seq: number }>(sql.lastSeq);
  const findKey = prepare<{ digest: string; at: string; record_seq: number; record: string }>(
    'select digest, at, record_seq, record from idempotency_keys where collection = ? and key = ?',
  );
  const storeKey = prepare('insert or replace into idempotency_keys values (?, ?, ?, ?, ?, ?)');
  const keys = Object.keys(shape.fields);
  const numbers = keys.filter((key) => shape.fields[key]?.kind === 'number');
  const encode = encoder(shape.fields);

  /** The lowest version of an update after a restore. */
  const floor = (gapsIn(db).at(-1)?.[1] ?? 0) + 1;
  // Seqs are assigned here, so that one statement can insert many rows and none is read back.
  let last = 0;
  const reload = () => {
    last = lastSeq.get()?.seq ?? 0;
  };
  reload();

  /** Encoded JSON is valid. Only an integer that no double holds exactly is read from its digits. */
  function values(json: string): SQLQueryBindings[] {
    const { value, literal } = parseJson(json);
    return keys.map((key) => {
      const digits = shape.fields[key]?.kind === 'integer' ? literal(key) : undefined;
      const exact = digits === undefined ? undefined : exactInteger(digits);
      return typeof exact === 'bigint' ? exact : ((value as Record<string, string | number>)[key] ?? null);
    });
  }

  /** The values of all records in one array. All records are parsed together if no digit can be lost. */
  function valuesOf(records: readonly string[]): SQLQueryBindings[] {
    const text = records.join();
    if (mayLoseDigits(text)) return records.flatMap(values);
    const found: SQLQueryBindings[] = [];
    const rows: Record<string, string | number>[] = JSON.parse(`[${text}]`);
    for (const row of rows) for (const key of keys) found.push(row[key] ?? null);
    return found;
  }

  /** Returns the seq of the first record; those of the others follow it. */
  function append(run: readonly string[], now: string): number {
    const first = last + 1;
    let at = 0;
    for (const { rows, record, change } of inserts) {
      for (; run.length - at >= rows; at += rows) {
        const seq = last + 1;
        const records = run.slice(at, at + rows).map((json, index) => withId(json, seq + index));
        record.run(now, seq, ...valuesOf(records));
        change.run(now, seq, ...records);
        last += rows;
      }
    }
    return first;
  }

  /** The earlier result under this key; undefined if there is none or it has expired. */
  function earlierResult({ key, digest, keptMs }: Once, now: string): RepeatedRow | 'mismatch' | undefined {
    const found = findKey.get(shape.name, key);
    if (found === null || found.at < momentBefore(now, keptMs)) return undefined;
    return found.digest === digest ? { repeated: found.record_seq, at: found.at, json: found.record } : 'mismatch';
  }

  function appendOnce(once: Once, json: string, now: string): Outcome {
    const earlier = earlierResult(once, now);
    if (earlier !== undefined) return earlier;
    const seq = append([json], now);
    storeKey.run(shape.name, once.key, once.digest, now, seq, withId(json, seq));
    return seq;
  }

  function appendAll(spooled: Spooled, once: Once | undefined, now: string): Outcome {
    const earlier = once === undefined ? undefined : earlierResult(once, now);
    if (earlier !== undefined) return earlier;
    const first = last + 1;
    for (const lines of linesOf(spooled)) append(lines, now);
    const bulked = { created: last + 1 - first, first, last };
    if (once !== undefined) storeKey.run(shape.name, once.key, once.digest, now, first, encodeBulked(bulked));
    return bulked;
  }

  function removeFirst(id: bigint, when: Precondition<string> | undefined, now: string): Outcome {
    if (when !== undefined) return removeIf(id, when, now);
    const removed = remove.get(id);
    return removed === null ? 'missing' : recordRemoval(asDoubles(removed), now);
  }

  function removeIf(id: bigint, when: Precondition<string>, now: string): Outcome {
    const stored = get.get(firstSeq.get(id)?.seq ?? 0);
    if (stored === null) return 'missing';
    // The same bytes as in responses, so the tag is the same.
    const record = encode(asDoubles(stored));
    if (!holds(when, () => contentTag(Buffer.from(record)))) return 'conflict';
    discardOne.run(stored.seq);
    return recordRemoval(stored, now);
  }

  /** SQLite stores a whole number as an integer, which is read as a bigint. */
  function asDoubles(stored: StoredRow): StoredRow {
    for (const key of numbers) stored[key] = Number(stored[key]);
    return stored;
  }

  function recordRemoval(removed: StoredRow, now: string): Removed {
    const { seq, id, version, created_at, updated_at } = removed;
    addDeleted.run(seq, version, created_at, now, encode(removed), updated_at);
    return { removed: Number(seq), id: String(id), next: firstSeq.get(id)?.seq ?? 0 };
  }

  /** The record, or the reason not to change it. */
  function current(seq: number, when: Precondition<number> | undefined): StoredRow | Unchanged {
    const stored = get.get(seq);
    if (stored === null) return 'missing';
    return holds(when, () => Number(stored.version)) ? asDoubles(stored) : 'conflict';
  }

  function update(seq: number, when: Precondition<number> | undefined, given: string, now: string): Outcome {
    const stored = current(seq, when);
    if (typeof stored === 'string') return stored;
    // After a restore, above every version that the lost history can have assigned.
    const version = Math.max(Number(stored.version) + 1, floor);
    const sent = values(given);
    const merged = keys.map((key, index) => sent[index] ?? stored[key] ?? null);
    const json = encode(Object.fromEntries(keys.map((key, index) => [key, merged[index] as FieldValue])));
    updateOne.run(...merged, version, now, seq);
    addUpdated.run(seq, version, stored.created_at, now, json);
    const { id, created_at: createdAt } = stored;
    const newId = String(merged[keys.indexOf('id')]);
    return { version, createdAt, json, newId, id: String(id), next: firstSeq.get(id)?.seq ?? 0 };
  }

  function discard(seq: number, when: Precondition<number> | undefined, now: string): Outcome {
    const stored = current(seq, when);
    if (typeof stored === 'string') return stored;
    discardOne.run(seq);
    return recordRemoval(stored, now);
  }

  return {
    append,
    appendOnce,
    appendAll,
    remove: removeFirst,
    update,
    discard,
    reload,
    close(): void {
      for (const statement of statements) statement.finalize();
    },
  };
}
