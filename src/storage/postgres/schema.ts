/** Migrates a PostgreSQL database to the schema of this version. */
import type { SQL } from 'bun';
import type { Collection } from '../../domain/collection.ts';
import { StartError } from '../../domain/errors.ts';
import { sqlState } from './errors.ts';
import { migrationLock, writeLock } from './locks.ts';
import { migrations } from './migrations.ts';
import { columnTypes, createTable, indexesOf } from './sql.ts';
import { writeFunction } from './write-function.ts';

export type Migrated = {
  /** Name of the write function. */
  readonly writeFunction: string;
  /** The database had no Shelf tables before. */
  readonly isNew: boolean;
};

/** Several instances may call this at once: one migrates, the others wait for it. */
export async function migrate(sql: SQL, collections: readonly Collection[], mustExist: boolean): Promise<Migrated> {
  await requireFaithful(sql);
  let isNew = false;
  const write = writeFunction(collections);
  // Without changes to make, a role that may not change tables can start, too.
  if (!(await isCurrent(sql, collections, write.name))) {
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${migrationLock}::bigint)`;
      isNew = await upgrade(tx, collections, write, mustExist);
    });
  }
  for (const collection of collections) await requireTable(sql, collection);
  await followSystem(sql);
  return { writeFunction: write.name, isNew };
}

async function tableNames(sql: SQL): Promise<Set<string>> {
  const rows = await sql`select tablename from pg_tables where schemaname = current_schema()`.values();
  return new Set((rows as string[][]).map(([name = '']) => name));
}

async function currentVersion(sql: SQL): Promise<number> {
  const rows = await sql`select version from schema_version`.values();
  return Number(rows[0]?.[0] ?? 0);
}

async function hasFunction(sql: SQL, name: string): Promise<boolean> {
  const [row] = await sql`select to_regprocedure(${`${name}(text)`}) is not null`.values();
  return row?.[0] === true;
}

async function isCurrent(sql: SQL, collections: readonly Collection[], write: string): Promise<boolean> {
  const tables = await tableNames(sql);
  if (!tables.has('schema_version')) return false;
  const version = await currentVersion(sql);
  if (version > migrations.length) {
    throw new StartError(
      `The database was written by a newer Shelf (schema ${version}, this one knows ${migrations.length}): upgrade Shelf.`,
    );
  }
  const indexes = await sql`select indexname from pg_indexes where schemaname = current_schema()`.values();
  const existing = new Set((indexes as string[][]).map(([name]) => name));
  const complete =
    collections.every(({ name }) => tables.has(name)) &&
    collections.flatMap(indexesOf).every(({ name }) => existing.has(name));
  return version === migrations.length && complete && (await hasFunction(sql, write));
}

/** Returns whether the database is new. */
async function upgrade(
  sql: SQL,
  collections: readonly Collection[],
  write: ReturnType<typeof writeFunction>,
  mustExist: boolean,
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
    if (taken !== undefined) {
      throw new StartError(
        `The database has a table ${taken} that Shelf did not create: use a separate database or schema for Shelf.`,
      );
    }
    await sql`create table schema_version (version int not null)`;
  }
  const version = await currentVersion(sql);
  for (const statement of migrations.slice(version).flat()) await sql.unsafe(statement);
  if (version < migrations.length) {
    await sql`delete from schema_version`;
    await sql`insert into schema_version values (${migrations.length})`;
  }

  await sql`insert into settings values ('secret', ${newSecret()}) on conflict do nothing`;

  const fresh = collections.filter(({ name }) => !tables.has(name));
  for (const collection of fresh) for (const statement of createTable(collection)) await sql.unsafe(statement);
  for (const { statement } of collections.flatMap(indexesOf)) await sql.unsafe(statement);
  if (!(await hasFunction(sql, write.name))) await sql.unsafe(write.statement);
  const firsts = fresh.map(({ name, encode, first }) => `{"to":"${name}","add":[${encode(first)}]}`);
  if (firsts.length > 0) await sql.unsafe(`select ${write.name}($1)`, [`{"runs":[${firsts.join(',')}]}`]);
  return isNew;
}

/**
 * A different system identifier means another cluster, restored from a dump. The numbers that the first cluster has assigned
 * since then are unknown, so a new epoch begins. A promoted standby and a file-level copy of the cluster keep the identifier.
 */
async function followSystem(sql: SQL): Promise<void> {
  const [row] = await sql`select system_identifier::text from pg_control_system()`.values().catch((error) => {
    // Insufficient privilege: some providers do not grant this function.
    if (sqlState(error) === '42501') return [];
    throw error;
  });
  const system = row?.[0];
  if (system === undefined) return;
  const [known] = await sql`select value from settings where name = 'system'`.values();
  if (known?.[0] === system) return;
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${writeLock}::bigint)`;
    const [before] = await tx`select value from settings where name = 'system'`.values();
    if (before !== undefined && before[0] !== system) await tx`select shelf_new_epoch(0, null)`;
    await tx`insert into settings values ('system', ${system})
             on conflict (name) do update set value = excluded.value`;
  });
}

function newSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex');
}

/** Throws a StartError unless the table has the declared columns and types, and the role has the privileges to serve. */
async function requireTable(sql: SQL, collection: Collection): Promise<void> {
  const { name } = collection;
  const rows = await sql`
    select column_name, data_type from information_schema.columns
    where table_schema = current_schema() and table_name = ${name} order by ordinal_position`.values();
  const found = (rows as string[][]).map(([column, type]) => `${column} ${type}`);
  const declared = columnTypes(collection);
  if (found.join() !== declared.join()) {
    throw new StartError(
      `The table ${name} has the columns ${found.join(', ')}, expected ${declared.join(', ')}: ` +
        'add a migration that changes it.',
    );
  }
  for (const [table, privileges] of Object.entries({
    [name]: ['select', 'insert', 'update', 'delete'],
    ...ownPrivileges,
  })) {
    for (const privilege of privileges) {
      const [row] = await sql`select has_table_privilege(${`"${table}"`}, ${privilege})`.values();
      if (row?.[0] !== true)
        throw new StartError(
          `The database role lacks the privilege ${privilege} on ${table}: grant it, or use another role.`,
        );
    }
  }
}

/** Privileges that a server needs on the tables that are not collections. */
const ownPrivileges: Readonly<Record<string, readonly string[]>> = {
  changes: ['select', 'insert', 'delete'],
  idempotency_keys: ['select', 'insert', 'update', 'delete'],
  settings: ['select', 'insert', 'update'],
  api_keys: ['select'],
  event_tickets: ['select', 'insert', 'update', 'delete'],
};

/** Throws a StartError if the settings of the database would alter stored values. */
async function requireFaithful(sql: SQL): Promise<void> {
  const [row] = await sql`
    select current_setting('server_encoding'), current_setting('extra_float_digits')::int`.values();
  if (row?.[0] !== 'UTF8')
    throw new StartError(
      `The encoding of the database is ${row?.[0]}, expected UTF8: create a database with encoding UTF8.`,
    );
  if (Number(row?.[1]) < 1)
    throw new StartError(
      `extra_float_digits is ${row?.[1]}, so the database rounds numbers: set it to 1, the default.`,
    );
}
