/** One collection in SQLite: its prepared statements, and a change row for each change they make. */
import type { Database } from 'bun:sqlite';
import { type Collection, fieldOf, type Row } from '../domain/collection.ts';
import { statements } from './sql.ts';

/** What SQLite hands back: integers as bigint, so that none is rounded. */
type Stored = Record<string, string | number | bigint>;
type Meta = { seq: bigint; version: bigint; created_at: string; updated_at: string };

export type Table = ReturnType<typeof openTable>;

export function openTable(db: Database, collection: Collection) {
  const sql = statements(collection);
  const list = db.prepare<Stored, []>(sql.list);
  const find = db.prepare<Stored, [bigint]>(sql.find);
  const count = db.prepare<{ count: bigint }, []>(sql.count);
  const insert = db.prepare<{ seq: bigint }, (string | number | bigint)[]>(sql.insert);
  const remove = db.prepare<Stored & Meta, [bigint]>(sql.remove);
  const note = db.prepare('insert into changes (collection, type, at, record) values (?, ?, ?, ?)');

  const fields = Object.entries(collection.fields);
  const numbers = fields.filter(([, { kind }]) => kind === 'number').map(([key]) => key);

  /** A whole-numbered price is kept as an integer, and comes back as the double that it is. */
  function toRow(stored: Stored): Row {
    for (const key of numbers) stored[key] = Number(stored[key]);
    return stored as Row;
  }

  function record(row: Row, { seq, version, created_at, updated_at }: Meta): string {
    const declared = collection.encode(row).slice(1, -1);
    return `{"seq":${seq},${declared},"version":${version},"created_at":"${created_at}","updated_at":"${updated_at}"}`;
  }

  const append = db.transaction((row: Row): void => {
    const now = new Date().toISOString();
    const values = fields.map(([key]) => fieldOf(row, key));
    const inserted = insert.get(...values, now, now);
    if (inserted === null) throw new Error(`insert into ${collection.name} answered no row`);
    const meta = { seq: inserted.seq, version: 1n, created_at: now, updated_at: now };
    note.run(collection.name, 'created', now, record(row, meta));
  });

  const removeFirst = db.transaction((id: bigint): boolean => {
    const removed = remove.get(id);
    if (removed === null) return false;
    note.run(collection.name, 'deleted', new Date().toISOString(), record(toRow(removed), removed));
    return true;
  });

  return {
    list: (): Row[] => list.all().map(toRow),
    find: (id: bigint): Row | undefined => {
      const found = find.get(id);
      return found === null ? undefined : toRow(found);
    },
    count: (): number => Number(count.get()?.count),
    append: (row: Row): void => append.immediate(row),
    remove: (id: bigint): boolean => removeFirst.immediate(id),
    close: (): void => {
      for (const statement of [list, find, count, insert, remove, note]) statement.finalize();
    },
  };
}
