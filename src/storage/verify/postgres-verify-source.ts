/** A PostgreSQL database that is verified, also while servers use it. */
import type { SQL } from 'bun';
import type { Collection } from '../../domain/record/collection.ts';
import { identifier, literal } from '../../domain/sql-text.ts';
import { messageOf, sqlState } from '../postgres/connect/errors.ts';
import { changeSize } from '../postgres/statements/changes.ts';
import { bounded, moment } from '../postgres/statements/expressions.ts';
import { respelled } from '../postgres/statements/respelled.ts';
import { dialect } from '../postgres/statements/table-sql.ts';
import { batchBounds } from '../transfer/contents.ts';
import { guarded } from '../transfer/postgres/connections.ts';
import { askPair } from '../transfer/postgres/postgres-rows.ts';
import { openPostgresSource, type PostgresSourceOptions } from '../transfer/postgres/postgres-source.ts';
import type { LastChange } from './check-change.ts';
import { unknownTriggers } from './postgres-triggers.ts';
import { wordProblemsIn } from './postgres-words.ts';
import type { VerifySource } from './verify.ts';

export async function openPostgresVerifySource(
  url: string,
  declared: readonly Collection[],
  options: PostgresSourceOptions,
): Promise<VerifySource> {
  const source = await openPostgresSource(url, declared, options);
  const { sql } = source;
  const names = source.outline.parts.map(({ collection }) => collection.name);
  return {
    ...source,
    integrity: async () => [...(await integrityOf(sql)), ...(await unknownTriggers(sql, names))],
    lastChanges: (of) => lastChangesIn(sql, of),
    wordProblems: (of) => wordProblemsIn(sql, of),
    ask: (query) => askPair(sql, query),
    dialect,
    guarded: (use) => guarded(sql, use),
  };
}

/** With amcheck, if it is installed; else every table is read through its primary key and without it. */
async function integrityOf(sql: SQL): Promise<string[]> {
  const [installed] = await sql`select 1 from pg_extension where extname = 'amcheck'`.values();
  const relations: [schema: string, table: string, index: string, oid: string, isPrimary: boolean, isTree: boolean][] =
    await sql`
    select current_schema(), _table.relname, _index.relname, indexrelid::text, indisprimary,
      _index.relam = (select oid from pg_am where amname = 'btree') from pg_index
    join pg_class as _table on _table.oid = indrelid join pg_class as _index on _index.oid = indexrelid
    where _table.relnamespace = current_schema()::regnamespace order by 2, 3`.values();
  const findings: string[] = [];
  for (const [schema, table, index, oid, isPrimary, isTree] of relations) {
    if (installed !== undefined && isTree) {
      const refused = await refusalOf(sql, async () =>
        sql.unsafe('select bt_index_check($1::oid::regclass, true)', [oid]),
      );
      if (refused !== undefined) findings.push(`the index ${index} is damaged: ${refused}`);
    }
    if (!isPrimary) continue;
    const refused = await refusalOf(sql, async () => {
      const [rows, indexed] = await countsOf(sql, `${identifier(schema)}.${identifier(table)}`);
      if (rows !== indexed) findings.push(`the table ${table} has ${rows} rows, and ${indexed} in its primary key`);
    });
    if (refused !== undefined) findings.push(`the table ${table} is damaged: ${refused}`);
  }
  return findings;
}

/** The error of a check; undefined if there is none, or if the role may not run it. */
async function refusalOf(sql: SQL, check: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await guarded(sql, check);
    return undefined;
  } catch (error) {
    const state = sqlState(error);
    if (state === undefined) throw error;
    return state === '42501' ? undefined : messageOf(error);
  }
}

/** The rows of a table, without indexes and with them. */
async function countsOf(sql: SQL, table: string): Promise<readonly [number, number]> {
  async function count(without: readonly string[]): Promise<number> {
    for (const name of without) await sql.unsafe(`set local ${name} = off`);
    const [row] = await sql.unsafe(`select count(*) from ${table}`).values();
    for (const name of without) await sql.unsafe(`set local ${name} = on`);
    return Number(row?.[0]);
  }
  const read = await count(['enable_indexscan', 'enable_indexonlyscan', 'enable_bitmapscan']);
  return [read, await count(['enable_seqscan', 'enable_bitmapscan'])];
}

const changesStatement = bounded(`
  select seq, type, record_seq, version, ${moment('created_at')}, ${moment('coalesce(updated_at, at)')}, record, before,
    ${changeSize} as _size, _place
  from unnest($1::bigint[]) with ordinality as _asked(_seq, _place) join changes on seq = _seq`);

/** A cursor has the numbers of the changes: to sort them for each batch anew would take too long. */
async function* lastChangesIn(sql: SQL, of: Collection): AsyncGenerator<readonly LastChange[]> {
  await sql.unsafe(
    `declare _last no scroll cursor for
     select max(seq) from changes where collection = ${literal(of.name)} group by record_seq order by record_seq`,
  );
  for (;;) {
    const fetched: string[][] = await sql.unsafe(`fetch ${batchBounds.rows} from _last`).values();
    if (fetched.length === 0) break;
    for (let rest = fetched.map(([recordId = '']) => recordId); rest.length > 0; ) {
      const rows: unknown[][] = await sql.unsafe(changesStatement, [`{${rest.join(',')}}`]).values();
      if (rows.length === 0) break;
      yield rows.map(([change, type, recordId, version, createdAt, updatedAt, record, before]) => ({
        recordId: Number(recordId),
        version: Number(version),
        createdAt: String(createdAt),
        updatedAt: String(updatedAt),
        change: Number(change),
        type: String(type),
        json: respelled(of, String(record)),
        before: before === null ? null : String(before),
      }));
      rest = rest.slice(rest.indexOf(String(rows.at(-1)?.[0])) + 1);
    }
  }
  await sql.unsafe('close _last');
}
