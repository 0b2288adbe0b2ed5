/** Migrates a PostgreSQL database to the schema of this version. */
import type { SQL } from 'bun';
import type { Evolution } from '../../../declarations/refusal.ts';
import { StartError } from '../../../domain/errors.ts';
import { highestNumber, isNumber } from '../../../domain/feed/feed-history.ts';
import { type Collection, targetsFirst } from '../../../domain/record/collection.ts';
import { identifier, literal } from '../../../domain/sql-text.ts';
import { firstRecordError } from '../../../domain/store/constraint-clash.ts';
import { newSecret } from '../../secret.ts';
import { type BatchResult, encodeAdditions, isClashed } from '../batch/batch.ts';
import { sqlState } from '../connect/errors.ts';
import { migrationLock, writeLock } from '../connect/locks.ts';
import { type WriteFunction, writeFunction } from '../functions/write-function.ts';
import { columnTypes } from '../statements/table-sql.ts';
import { wordsJsonOf } from '../statements/words.ts';
import { atStart, evolve, isUpToDate, unservedCollectionsIn, unservedIn } from './evolution.ts';
import { migrations } from './migrations.ts';

/** Between two statements of a migration this takes milliseconds. */
const lostMs = 5000;

export type Migrated = {
  /** Name of the write function. */
  readonly writeFunction: string;
  /** The database had no Shelf tables before. */
  readonly isNew: boolean;
  /** Collections that are in the database and not served. */
  readonly unserved: readonly string[];
};

/** Several instances may call this at once: one migrates, the others wait for it. */
export async function migrate(
  sql: SQL,
  collections: readonly Collection[],
  mustExist: boolean,
  evolution: Evolution = { ...atStart, onStep: () => {} },
): Promise<Migrated> {
  await requireFaithful(sql);
  let isNew = false;
  let write = writeFunction(collections, await unservedIn(sql, collections));
  // Without changes to make, a role that may not change tables can start, too.
  if (evolution.beforeCommit !== undefined || !(await isCurrent(sql, collections, write))) {
    await inTransaction(sql, async (tx) => {
      await tx`select pg_advisory_xact_lock(${migrationLock}::bigint)`;
      ({ isNew, write } = await upgrade(tx, collections, mustExist, evolution));
      if (evolution.fileTag !== undefined) await storeFileTag(tx, evolution.fileTag);
      evolution.beforeCommit?.();
    });
  }
  await requireTables(sql, collections);
  await followSystem(sql);
  return { writeFunction: write.name, isNew, unserved: await unservedCollectionsIn(sql, collections) };
}

/** All instances wait for the locks of a migration: PostgreSQL ends one whose client is lost between two statements. */
async function inTransaction(sql: SQL, run: (tx: SQL) => Promise<void>): Promise<void> {
  await sql.begin(async (tx) => {
    await tx.unsafe(`set local idle_in_transaction_session_timeout = ${lostMs}`);
    await run(tx);
  });
}

async function tableNames(sql: SQL): Promise<Set<string>> {
  const rows = await sql`select tablename from pg_tables where schemaname = current_schema()`.values();
  return new Set((rows as string[][]).map(([name = '']) => name));
}

export async function currentVersion(sql: SQL): Promise<number> {
  const rows = await sql`select version from schema_version`.values();
  return Number(rows[0]?.[0] ?? 0);
}

async function functionNames(sql: SQL): Promise<Set<string>> {
  const rows = await sql`select proname from pg_proc where pronamespace = current_schema()::regnamespace`.values();
  return new Set((rows as string[][]).map(([name = '']) => name));
}

/** Servers with an earlier file find their function missing, and answer that they are outdated. */
async function dropFunctions(sql: SQL): Promise<void> {
  const rows: string[][] = await sql`
    select proname from pg_proc where pronamespace = current_schema()::regnamespace
      and (starts_with(proname, 'shelf_write_') or starts_with(proname, 'shelf_records_')
        or starts_with(proname, 'shelf_keyed_') or starts_with(proname, 'shelf_transaction_'))`.values();
  for (const [name = ''] of rows) await sql.unsafe(`drop function ${identifier(name)}`);
}

async function isCurrent(sql: SQL, collections: readonly Collection[], write: WriteFunction): Promise<boolean> {
  const tables = await tableNames(sql);
  if (!tables.has('schema_version')) return false;
  const version = await currentVersion(sql);
  if (version > migrations.length) {
    throw new StartError(
      `The database was written by a newer Shelf (schema ${version}, this one knows ${migrations.length}): upgrade Shelf.`,
    );
  }
  if (version < migrations.length) return false;
  const functions = await functionNames(sql);
  return (await isUpToDate(sql, collections)) && write.all.every(({ name }) => functions.has(name));
}

async function upgrade(
  sql: SQL,
  collections: readonly Collection[],
  mustExist: boolean,
  evolution: Evolution,
): Promise<{ isNew: boolean; write: WriteFunction }> {
  const isNew = await upgradeOwnTables(sql, collections, mustExist);

  const { fresh, isBreaking } = await evolve(sql, collections, evolution);
  if (isBreaking) await dropFunctions(sql);
  const write = writeFunction(collections, await unservedIn(sql, collections));
  const functions = await functionNames(sql);
  const [[schema = ''] = []]: string[][] = await sql`select quote_ident(current_schema())`.values();
  for (const made of write.all) if (!functions.has(made.name)) await sql.unsafe(made.statement(schema));
  for (const collection of targetsFirst(fresh)) {
    const { name, encode, first } = collection;
    if (first === undefined) continue;
    const batch = encodeAdditions({ to: name, wordsOf: wordsJsonOf(collection) }, [encode(first)], []);
    const [row] = await sql.unsafe(`select ${write.name}($1)`, [batch]).values();
    const [outcome] = (JSON.parse(String(row?.[0])) as BatchResult).outcomes;
    if (isClashed(outcome)) throw firstRecordError(name, outcome.clashes);
  }
  return { isNew, write };
}

export const fileTagSetting = 'file';

/** Which file belongs to the declarations: an instance that finds this file takes it over. */
async function storeFileTag(sql: SQL, tag: string): Promise<void> {
  await sql`insert into settings values (${fileTagSetting}, ${tag})
            on conflict (name) do update set value = excluded.value`;
}

/** Brings the tables that are not collections to this version. Returns whether there were none. */
export async function upgradeOwnTables(
  sql: SQL,
  collections: readonly Collection[],
  mustExist = false,
): Promise<boolean> {
  const tables = await tableNames(sql);
  const isNew = !tables.has('schema_version');
  if (isNew) {
    if (mustExist) {
      throw new StartError(
        'The database has no Shelf tables: correct --database, or run shelf migrate to create them.',
      );
    }
    const taken = ['changes', ...collections.map(({ name }) => name)].find((name) => tables.has(name));
    if (taken !== undefined) throw foreignTable(taken);
    await sql`create table schema_version (version int not null)`;
  }
  const version = await currentVersion(sql);
  for (const statement of migrations.slice(version).flat()) await sql.unsafe(statement);
  if (version < migrations.length) {
    await sql`delete from schema_version`;
    await sql`insert into schema_version values (${migrations.length})`;
  }
  await sql`insert into settings values ('secret', ${newSecret()}) on conflict do nothing`;
  return isNew;
}

export function foreignTable(name: string): StartError {
  return new StartError(
    `The database has a table ${name} that Shelf did not create: use a separate database or schema for Shelf.`,
  );
}

/**
 * A different system identifier means another cluster, restored from a dump. The numbers that the first cluster has assigned
 * since then are unknown, so a new epoch begins. A promoted standby and a file-level copy of the cluster keep the identifier.
 */
async function followSystem(sql: SQL): Promise<void> {
  const system = await systemOf(sql);
  if (system === undefined) return;
  const [known] = await sql`select value from settings where name = 'system'`.values();
  if (known?.[0] === system) return;
  await inTransaction(sql, async (tx) => {
    await tx`select pg_advisory_xact_lock(${writeLock}::bigint)`;
    const [before] = await tx`select value from settings where name = 'system'`.values();
    if (before !== undefined && before[0] !== system) {
      const [next] = await tx`select shelf_new_epoch(0, null)`.values();
      requireRoom(Number(next?.[0]));
    }
    await tx`insert into settings values ('system', ${system})
             on conflict (name) do update set value = excluded.value`;
  });
}

/** Throws a StartError if numbers could not go on from this one, in a database from elsewhere. */
function requireRoom(number: number): void {
  if (isNumber(number)) return;
  throw new StartError(
    `The last number of the database is not one from 0 to ${highestNumber}: use another database or backup.`,
  );
}

/** The identifier of the cluster; undefined if the provider does not show it. */
async function systemOf(sql: SQL): Promise<string | undefined> {
  const [row] = await sql`select system_identifier::text from pg_control_system()`.values().catch((error) => {
    // Insufficient privilege: some providers do not grant this function.
    if (sqlState(error) === '42501') return [];
    throw error;
  });
  return row?.[0];
}

/** Whether the database was last served in another cluster, and not yet in this one. */
export async function isOtherSystem(sql: SQL): Promise<boolean> {
  const [known] = await sql`select value from settings where name = 'system'`.values();
  const system = await systemOf(sql);
  return known !== undefined && system !== undefined && known[0] !== system;
}

/** Throws a StartError unless the tables have the declared columns and types, and the role has the privileges to serve. */
async function requireTables(sql: SQL, collections: readonly Collection[]): Promise<void> {
  const rows: string[][] = await sql`
    select table_name, column_name, data_type from information_schema.columns
    where table_schema = current_schema()`.values();
  const found = new Map(rows.map(([table, column, type]) => [`${table}.${column}`, type]));
  for (const collection of collections) {
    for (const [column, type] of columnTypes(collection)) {
      const there = found.get(`${collection.name}.${column}`);
      if (there !== type)
        throw new StartError(
          `The column ${column} of the table ${collection.name} is ${there ?? 'missing'}, expected ${type}: another program changed the table, or the role cannot read it.`,
        );
    }
  }
  const needed = Object.entries({
    ...Object.fromEntries(collections.map(({ name }) => [name, ['select', 'insert', 'update', 'delete']])),
    ...ownPrivileges,
  }).flatMap(([table, privileges]) => privileges.map((privilege) => `(${literal(table)}, ${literal(privilege)})`));
  const [lacking] = await sql
    .unsafe(
      `select _table, _privilege from (values ${needed.join(', ')}) as _needed(_table, _privilege)
       where not has_table_privilege(quote_ident(_table), _privilege) limit 1`,
    )
    .values();
  if (lacking !== undefined)
    throw new StartError(
      `The database role lacks the privilege ${lacking[1]} on ${lacking[0]}: grant it, or use another role.`,
    );
}

/** Privileges that a server needs on the tables that are not collections. */
const ownPrivileges: Readonly<Record<string, readonly string[]>> = {
  changes: ['select', 'insert', 'update', 'delete'],
  idempotency_keys: ['select', 'insert', 'update', 'delete'],
  settings: ['select', 'insert', 'update'],
  api_keys: ['select'],
  event_tickets: ['select', 'insert', 'update', 'delete'],
};

/** Throws a StartError if the settings of the database would alter stored values. */
export async function requireFaithful(sql: SQL): Promise<void> {
  const [row] = await sql`
    select current_setting('server_encoding'), current_setting('extra_float_digits')::int,
      current_setting('standard_conforming_strings')`.values();
  if (row?.[0] !== 'UTF8')
    throw new StartError(
      `The encoding of the database is ${row?.[0]}, expected UTF8: create a database with encoding UTF8.`,
    );
  if (Number(row?.[1]) < 1)
    throw new StartError(
      `extra_float_digits is ${row?.[1]}, so the database rounds numbers: set it to 1, the default.`,
    );
  if (row?.[2] !== 'on')
    throw new StartError(
      `standard_conforming_strings is ${row?.[2]}, so the database reads a backslash as an escape: set it to on, the default.`,
    );
}
