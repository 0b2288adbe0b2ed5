/** Fills a PostgreSQL database in one transaction. */
import type { ReservedSQL, SQL } from 'bun';
import type { Collection } from '../../../domain/record/collection.ts';
import type { Stored } from '../../../domain/record/record.ts';
import { identifier } from '../../../domain/sql-text.ts';
import { migrationLock, writeLock } from '../../postgres/connect/locks.ts';
import { keepConstraints, keepIndexes } from '../../postgres/schema/indexes-and-constraints.ts';
import { migrations } from '../../postgres/schema/migrations.ts';
import { currentVersion, foreignTable, requireFaithful, upgradeOwnTables } from '../../postgres/schema/schema.ts';
import { createTable, dialect } from '../../postgres/statements/table-sql.ts';
import { requireConstraints } from '../constraints.ts';
import {
  type Batches,
  type Contents,
  lastNumberOf,
  type Outline,
  type OwnTable,
  ownTables,
  settingsOf,
  type TableRow,
} from '../contents.ts';
import { requireVersion } from '../require-version.ts';
import { requireEmpty, type TargetDatabase, type TargetOptions } from '../target-database.ts';
import { begin, type ConnectionOptions, connectForTransfer, requireNoServers } from './connections.ts';
import { copyRows } from './copy-rows.ts';
import { postgresContents } from './postgres-contents.ts';
import { askPair, recordRow } from './postgres-rows.ts';

export type PostgresTargetOptions = ConnectionOptions &
  TargetOptions & {
    /** Collections of the configuration file. */
    readonly declared: readonly Collection[];
    /** For messages, without the password. */
    readonly label: string;
  };

/** Throws a StartError if the database is in use, or not empty. */
export async function openPostgresTarget(url: string, options: PostgresTargetOptions): Promise<TargetDatabase> {
  const pool = await connectForTransfer(url, options);
  try {
    const sql = await pool.reserve();
    await begin(sql, options);
    await sql.unsafe(`select pg_advisory_xact_lock(${migrationLock}), pg_advisory_xact_lock(${writeLock})`);
    await requireNoServers(sql, options.label, options);
    await requireFaithful(sql);
    return await PostgresTarget.over(pool, sql, options);
  } catch (error) {
    await pool.close({ timeout: 0 });
    throw error;
  }
}

class PostgresTarget implements TargetDatabase {
  private constructor(
    readonly pool: SQL,
    readonly sql: ReservedSQL,
    readonly declared: readonly Collection[],
    /** Undefined if the database has no Shelf tables yet. */
    readonly existing: Outline | undefined,
    readonly apiKeys: readonly TableRow[],
  ) {}

  static async over(pool: SQL, sql: ReservedSQL, options: PostgresTargetOptions): Promise<TargetDatabase> {
    const { declared, label } = options;
    const [there] = await sql`select to_regclass('schema_version') is not null`.values();
    if (there?.[0] !== true) {
      await upgradeOwnTables(sql, declared);
      return new PostgresTarget(pool, sql, declared, undefined, []);
    }
    requireVersion(await currentVersion(sql), migrations.length, label);
    const contents = await postgresContents(sql, declared, 'exact');
    const apiKeys = await requireEmpty(contents, label, options);
    return new PostgresTarget(pool, sql, declared, contents.outline, apiKeys);
  }

  get reached(): number {
    return this.existing === undefined ? 0 : lastNumberOf(this.existing);
  }

  /** Tables that are there have other columns, perhaps: they are empty, and made anew. */
  async create({ parts }: Outline): Promise<void> {
    const old = this.existing?.parts.map(({ collection }) => identifier(collection.name)) ?? [];
    if (old.length > 0) await this.sql.unsafe(`drop table ${old.join(', ')}`);
    for (const { name } of ownTables) await this.sql.unsafe(`delete from ${identifier(name)}`);
    for (const { collection } of parts)
      for (const statement of createTable(collection).slice(0, 1)) await this.#create(statement, collection);
  }

  async addRecords(to: Collection, batches: Batches<Stored>): Promise<void> {
    const { into, fields } = recordRow(to);
    await copyRows(this.sql, into, batches, fields);
  }

  async addRows({ name, columns }: OwnTable, batches: Batches<TableRow>): Promise<void> {
    const into = `${identifier(name)} (${columns.map(identifier).join(', ')})`;
    await copyRows(this.sql, into, batches, (row) => row.map((value) => (value === null ? null : String(value))));
  }

  async complete(outline: Outline): Promise<void> {
    const { parts, changes } = outline;
    const { sql } = this;
    const collections = parts.map(({ collection }) => collection);
    await requireConstraints(collections, { ask: (query) => askPair(sql, query), dialect });
    for (const collection of collections) {
      for (const statement of createTable(collection).slice(1)) await sql.unsafe(statement);
      await keepIndexes(sql, collection);
    }
    // After all tables: they refer to each other.
    for (const collection of collections) await keepConstraints(sql, collection);
    for (const { collection, last } of parts) await this.#setLast(collection.name, last);
    await this.#setLast('changes', changes.last);
    for (const [name, value] of settingsOf(outline))
      await sql`insert into settings values (${name}, ${value}) on conflict (name) do update set value = excluded.value`;
  }

  async read<Result>(use: (contents: Contents) => Promise<Result>): Promise<Result> {
    return use(await postgresContents(this.sql, this.declared, 'exact'));
  }

  async publish(): Promise<void> {
    await this.sql.unsafe('analyze');
    await this.sql.unsafe('commit');
  }

  async close(): Promise<void> {
    // A transaction that was not committed ends with its connection.
    await this.pool.close({ timeout: 0 });
  }

  async #create(statement: string, { name }: Collection): Promise<void> {
    try {
      await this.sql.unsafe(statement);
    } catch (error) {
      if ((error as { errno?: string }).errno !== '42P07') throw error;
      throw foreignTable(name);
    }
  }

  /** 0 if no number was given yet. */
  async #setLast(table: string, last: number): Promise<void> {
    await this
      .sql`select setval(pg_get_serial_sequence(${identifier(table)}, 'seq'), ${Math.max(last, 1)}, ${last > 0})`;
  }
}
