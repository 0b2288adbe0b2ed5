/** Inserts many rows with few statements. */
import type { Database, SQLQueryBindings } from 'bun:sqlite';
import type { Collection } from '../../../domain/record/collection.ts';
import type { Stored } from '../../../domain/record/record.ts';
import { identifier } from '../../../domain/sql-text.ts';
import { openWords } from '../../sqlite/statements/word-writer.ts';
import type { Batches } from '../contents.ts';

/** Rows of one insert statement: one statement for many rows costs half as much per row. */
const rowsAtOnce = 50;

/** Records with their ids, versions and times, and their words. */
export async function insertRows(db: Database, collection: Collection, batches: Batches<Stored>): Promise<void> {
  const { name, fields } = collection;
  const words = openWords(db, collection);
  const named = Object.entries(fields);
  const columns = ['seq', ...named.map(([key]) => key), 'version', 'created_at', 'updated_at'];
  await insertInto(db, name, columns, batches, ({ recordId, version, createdAt, updatedAt, row }, values) => {
    words?.add(recordId, (field) => row[field]);
    values.push(recordId);
    for (const [key, { sqlite }] of named) {
      const value = row[key] ?? null;
      values.push(value === null ? null : sqlite.bind(value));
    }
    values.push(version, createdAt, updatedAt);
  }).finally(() => words?.close());
}

/** `add` appends the values of a row. */
export async function insertInto<Row>(
  db: Database,
  table: string,
  columns: readonly string[],
  batches: Batches<Row>,
  add: (row: Row, values: SQLQueryBindings[]) => void,
): Promise<void> {
  const row = `(${columns.map(() => '?').join(', ')})`;
  const prepare = (rows: number) =>
    db.prepare<unknown, SQLQueryBindings[]>(
      `insert into ${identifier(table)} (${columns.map(identifier).join(', ')}) values ${Array(rows).fill(row).join(', ')}`,
    );
  using many = prepare(rowsAtOnce);
  using one = prepare(1);
  for await (const rows of batches) {
    for (let at = 0; at < rows.length; ) {
      const count = rows.length - at < rowsAtOnce ? 1 : rowsAtOnce;
      const values: SQLQueryBindings[] = [];
      for (const each of rows.slice(at, at + count)) add(each, values);
      (count === 1 ? one : many).run(...values);
      at += count;
    }
  }
}

/** For `requireConstraints`. */
export async function askPair(db: Database, query: string): Promise<readonly [bigint, bigint] | undefined> {
  using asked = db.prepare(query).safeIntegers(true);
  const [row] = asked.values();
  return row === undefined ? undefined : [BigInt(row[0] as bigint), BigInt(row[1] as bigint)];
}
