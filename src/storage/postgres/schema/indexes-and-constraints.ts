/** Indexes and constraints of the tables, as they are declared. */
import type { SQL } from 'bun';
import type { Collection } from '../../../domain/record/collection.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import { constraintsOf, indexesOf } from '../statements/table-sql.ts';

/** Creates the indexes that are declared, and drops all others. */
export async function keepIndexes(sql: SQL, after: Collection): Promise<void> {
  const { name } = after;
  const wanted = indexesOf(after);
  // The last one goes with the contract's id.
  const kept = new Set([...wanted.map((index) => index.name), `${name}_by_id`]);
  const rows: string[][] = await sql`
    select indexrelid::regclass::text, pg_class.relname from pg_index join pg_class on pg_class.oid = indexrelid
    where indrelid = ${identifier(name)}::regclass and not indisprimary`.values();
  for (const [, index = ''] of rows) if (!kept.has(index)) await sql.unsafe(`drop index ${identifier(index)}`);
  for (const { statement } of wanted) await sql.unsafe(statement);
}

/** Creates the constraints that are declared, and drops all others. A check may have another condition under its name. */
export async function keepConstraints(sql: SQL, after: Collection): Promise<void> {
  const { name } = after;
  const wanted = constraintsOf(after);
  const rows: string[][] = await sql`
    select conname, obj_description(oid, 'pg_constraint') from pg_constraint
    where conrelid = ${identifier(name)}::regclass and contype in ('c', 'f')`.values();
  const existing = new Map(rows.map(([constraint = '', statement]) => [constraint, statement]));
  for (const constraint of existing.keys()) {
    const same = wanted.find((one) => one.name === constraint);
    if (same !== undefined && existing.get(constraint) === same.statement) continue;
    await sql.unsafe(`alter table ${identifier(name)} drop constraint ${identifier(constraint)}`);
    existing.delete(constraint);
  }
  for (const { name: constraint, statement } of wanted) {
    if (existing.has(constraint)) continue;
    await sql.unsafe(statement);
    await sql.unsafe(`comment on constraint ${identifier(constraint)} on ${identifier(name)} is ${literal(statement)}`);
  }
}
