/** Triggers and rules of another program on Shelf's tables: they could change what is written, or stop it. */
import type { SQL } from 'bun';
import { literal } from '../../domain/sql-text.ts';

const ownTables = ['schema_version', 'changes', 'settings', 'api_keys', 'idempotency_keys', 'event_tickets'];

export async function unknownTriggers(sql: SQL, collections: readonly string[]): Promise<string[]> {
  const tables = [...ownTables, ...collections].map(literal).join(', ');
  const isOwn = `relnamespace = current_schema()::regnamespace and relname in (${tables})`;
  const rows: string[][] = await sql
    .unsafe(
      `select 'trigger', tgname, relname from pg_trigger join pg_class on pg_class.oid = tgrelid
       where ${isOwn} and not tgisinternal and not (tgname = relname || '_own_id' and coalesce(tgfoid = to_regproc('shelf_own_id'), false))
       union all
       select 'rule', rulename, relname from pg_rewrite join pg_class on pg_class.oid = ev_class where ${isOwn}
       order by 1, 2, 3`,
    )
    .values();
  return rows.map(
    ([kind, name, table]) =>
      `unknown ${kind} ${JSON.stringify(name)} on table ${JSON.stringify(table)}: drop it with an SQL client`,
  );
}
