/** Copies all records of a collection to a table with another definition, which replaces the old one. */
import type { Database } from 'bun:sqlite';
import { converted } from '../../../declarations/convert.ts';
import type { Collection } from '../../../domain/record/collection.ts';
import { absentValue } from '../../../domain/record/row.ts';
import { identifier } from '../../../domain/sql-text.ts';
import type { Field, SqliteValue } from '../../../domain/types/type.ts';
import { absentViolation, requiredViolation, valueViolation } from '../../violations.ts';
import { createTable } from '../statements/collection-sql.ts';

const meta = ['seq', 'version', 'created_at', 'updated_at'];

type Columns = Record<string, SqliteValue | null>;

/** `moment` is that of the migration: records get it in a new field whose default it is. */
export type Conversion = {
  readonly old: Collection;
  readonly after: Collection;
  readonly checked: readonly string[];
  readonly moment: string;
};

/**
 * Converts the values of the fields in `checked`, exactly, and copies all others. Throws a StartError that names the record if a value
 * cannot be converted. With `check only` the table is not changed.
 */
export function rebuild(db: Database, conversion: Conversion, only?: 'check only'): void {
  const { after } = conversion;
  const { name } = after;
  // No collection or index can have this name.
  const next = `${name}::new`;
  const keys = Object.keys(after.fields);
  if (only === undefined) for (const statement of createTable(after, next).slice(0, 1)) db.run(statement);
  using read = db.prepare<Columns, []>(`select * from ${identifier(name)} order by seq`).safeIntegers(true);
  using insert =
    only === undefined
      ? db.prepare(
          `insert into ${identifier(next)} (${[...meta, ...keys].map(identifier).join(', ')}) values (${[...meta, ...keys].map(() => '?').join(', ')})`,
        )
      : undefined;
  for (const row of read.iterate()) {
    const values = keys.map((key) => valueFor(key, row, conversion));
    insert?.run(...meta.map((key) => row[key] ?? null), ...values);
  }
  if (only !== undefined) return;
  // Numbers of deleted records are never reused.
  db.run('delete from sqlite_sequence where name = ?', [next]);
  db.run('insert into sqlite_sequence select ?, seq from sqlite_sequence where name = ?', [next, name]);
  db.run(`drop table ${identifier(name)}`);
  db.run(`alter table ${identifier(next)} rename to ${identifier(name)}`);
}

function valueFor(key: string, row: Columns, { old, after, checked, moment }: Conversion) {
  const [from, to] = [old.fields[key], after.fields[key]];
  const value = row[key];
  const recordId = Number(row.seq);
  if (to === undefined) throw new Error(`there is no field ${key}`);
  // A collection that gets contract ids: each record gets its record id.
  if (from === undefined && key === 'id') return row.seq ?? null;
  if (from === undefined || value === undefined) return presetOf(key, to, after.name, recordId, moment);
  if (value === null) {
    if (to.declared.optional) return null;
    throw requiredViolation(`${after.name}.${key}`, recordId);
  }
  if (!checked.includes(key)) return value;
  const made = converted(from, to, from.sqlite.unbind(value));
  if (typeof made === 'object') throw valueViolation(`${after.name}.${key}`, recordId, made.refused);
  return to.sqlite.bind(made);
}

function presetOf(key: string, field: Field, name: string, recordId: number, moment: string): SqliteValue | null {
  const value = field.clock?.valueAt(moment) ?? absentValue(field);
  if (typeof value === 'object' && value !== null) throw absentViolation(`${name}.${key}`, recordId);
  return value === null ? null : field.sqlite.bind(value);
}
