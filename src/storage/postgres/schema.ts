/** Brings a PostgreSQL database to the shape that this version of the program works with. */
import type { SQL } from 'bun';
import type { Collection } from '../../domain/collection.ts';
import { StartError } from '../../domain/errors.ts';
import { sqlState } from './errors.ts';
import { migrationLock, writeLock } from './locks.ts';
import { migrations } from './migrations.ts';
import { columnTypes, createTable, indexesOf } from './sql.ts';
import { writeFunction } from './write-function.ts';

export type Migrated = {
  /** The name of the function that writes. */
  readonly writeFunction: string;
  /** There were no tables of Shelf's before. */
  readonly isNew: boolean;
};

/** Many instances may do this at once: one works, the others find it done. */
export async function migrate(sql: SQL, collections: readonly Collection[], mustExist: boolean): Promise<Migrated> {
  await requireFaithful(sql);
  let isNew = false;
  const write = writeFunction(collections);
  // A role that may only serve can still start, as long as there is nothing to do.
  if (!(await isCurrent(sql, collections, write.name))) {
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${migrationLock}::bigint)`;
      isNew = await bring(tx, collections, write, mustExist);
    });
  }
  for (const collection of collections) await compare(sql, collection);
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
  const made = new Set((indexes as string[][]).map(([name]) => name));
  const complete =
    collections.every(({ name }) => tables.has(name)) &&
    collections.flatMap(indexesOf).every(({ name }) => made.has(name));
  return version === migrations.length && complete && (await hasFunction(sql, write));
}

/** Answers whether the database is new. */
async function bring(
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
        "The database has no tables of Shelf's: correct --database; to make them, run shelf migrate.",
      );
    }
    const taken = ['changes', ...collections.map(({ name }) => name)].find((name) => tables.has(name));
    if (taken !== undefined) {
      throw new StartError(
        `The database has a table ${taken} that is not Shelf's: give Shelf a database, or a schema, of its own.`,
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
 * Another system identifier is another cluster, made from a dump: what the first one has given out since is not known, so a
 * new epoch begins. A standby that takes over, and a file-level copy of the cluster, keep the identifier.
 */
async function followSystem(sql: SQL): Promise<void> {
  const [row] = await sql`select system_identifier::text from pg_control_system()`.values().catch((error) => {
    // A provider may keep it to itself.
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

/** The table is there with the columns that are declared, each of its type, and may be read and written. */
async function compare(sql: SQL, collection: Collection): Promise<void> {
  const { name } = collection;
  const rows = await sql`
    select column_name, data_type from information_schema.columns
    where table_schema = current_schema() and table_name = ${name} order by ordinal_position`.values();
  const found = (rows as string[][]).map(([column, type]) => `${column} ${type}`);
  const declared = columnTypes(collection);
  if (found.join() !== declared.join()) {
    throw new StartError(
      `The table ${name} in the database has the columns ${found.join(', ')}, but ${declared.join(', ')} are ` +
        'declared: add a migration that brings it there.',
    );
  }
  for (const [table, rights] of Object.entries({ [name]: ['select', 'insert', 'update', 'delete'], ...ownRights })) {
    for (const right of rights) {
      const [row] = await sql`select has_table_privilege(${`"${table}"`}, ${right})`.values();
      if (row?.[0] !== true)
        throw new StartError(`The database role may not ${right} in ${table}: grant it that, or use another role.`);
    }
  }
}

/** What a server does with the tables that are no collections. */
const ownRights: Readonly<Record<string, readonly string[]>> = {
  changes: ['select', 'insert', 'delete'],
  idempotency_keys: ['select', 'insert', 'update', 'delete'],
  settings: ['select', 'insert', 'update'],
  api_keys: ['select'],
  event_tickets: ['select', 'insert', 'update', 'delete'],
};

/** What would let values come back otherwise than they were sent. */
async function requireFaithful(sql: SQL): Promise<void> {
  const [row] = await sql`
    select current_setting('server_encoding'), current_setting('extra_float_digits')::int`.values();
  if (row?.[0] !== 'UTF8') throw new StartError(`The database is encoded as ${row?.[0]}: make one with encoding UTF8.`);
  if (Number(row?.[1]) < 1)
    throw new StartError('The database shortens numbers: set its extra_float_digits to 1, which is the default.');
}
