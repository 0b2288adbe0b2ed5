/** Fills a PostgreSQL database in one transaction. */
import type { ReservedSQL, SQL } from 'bun';
import type { Collection } from '../../../domain/collection.ts';
import { identifier } from '../../../domain/sql-text.ts';
import { migrationLock, writeLock } from '../../postgres/connect/locks.ts';
import { keepConstraints, keepIndexes } from '../../postgres/schema/indexes-and-constraints.ts';
import { migrations } from '../../postgres/schema/migrations.ts';
import { currentVersion, foreignTable, requireFaithful, upgradeOwnTables } from '../../postgres/schema/schema.ts';
import { createTable } from '../../postgres/statements/tables.ts';
import { type ApiKeyRow, apiKeyColumns } from '../../rows/api-key.ts';
import { changeColumns } from '../../rows/change.ts';
import { idempotencyKeyColumns } from '../../rows/idempotency-key.ts';
import { declarationsSetting, encodeDeclarations } from '../../stored-declarations.ts';
import { requireConstraints } from '../constraints.ts';
import { type Batches, type Contents, lastNumberOf, type Outline } from '../contents.ts';
import { requireVersion } from '../require-version.ts';
import { notEmpty, requireEmpty, type TargetDatabase, type TargetOptions } from '../target-database.ts';
import { begin, type ConnectionOptions, connectForTransfer, requireNoServers } from './connections.ts';
import { copyRows, type Field } from './copy-rows.ts';
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
    readonly apiKeys: readonly ApiKeyRow[],
  ) {}

  static async over(pool: SQL, sql: ReservedSQL, options: PostgresTargetOptions): Promise<TargetDatabase> {
    const { declared, keepsApiKeys, advice, label } = options;
    const [there] = await sql`select to_regclass('schema_version') is not null`.values();
    if (there?.[0] !== true) {
      await upgradeOwnTables(sql, declared);
      return new PostgresTarget(pool, sql, declared, undefined, []);
    }
    requireVersion(await currentVersion(sql), migrations.length, label);
    const contents = await postgresContents(sql, declared, 'exact');
    await requireEmpty(contents, label, advice);
    const apiKeys: ApiKeyRow[] = [];
    for await (const rows of contents.apiKeys()) apiKeys.push(...rows);
    if (apiKeys.length > 0 && !keepsApiKeys) throw notEmpty(label, 'it has API keys', advice);
    return new PostgresTarget(pool, sql, declared, contents.outline, apiKeys);
  }

  get reached(): number {
    return this.existing === undefined ? 0 : lastNumberOf(this.existing);
  }

  /** Tables that are there have other columns, perhaps: they are empty, and made anew. */
  async create({ parts }: Outline): Promise<void> {
    const old = this.existing?.parts.map(({ collection }) => identifier(collection.name)) ?? [];
    if (old.length > 0) await this.sql.unsafe(`drop table ${old.join(', ')}`);
    await this.sql.unsafe('delete from changes');
    await this.sql.unsafe('delete from idempotency_keys');
    await this.sql.unsafe('delete from api_keys');
    for (const { collection } of parts)
      for (const statement of createTable(collection).slice(0, 1)) await this.#create(statement, collection);
  }

  async addRecords(to: Collection, batches: Parameters<TargetDatabase['addRecords']>[1]): Promise<void> {
    const { into, fields } = recordRow(to);
    await copyRows(this.sql, into, batches, fields);
  }

  async addChanges(batches: Parameters<TargetDatabase['addChanges']>[0]): Promise<void> {
    await this.#copy('changes', changeColumns, batches, (row) => row.map(fieldOf));
  }

  async addApiKeys(batches: Parameters<TargetDatabase['addApiKeys']>[0]): Promise<void> {
    await this.#copy('api_keys', apiKeyColumns, batches, (row) => apiKeyColumns.map((column) => row[column]));
  }

  async addIdempotencyKeys(batches: Parameters<TargetDatabase['addIdempotencyKeys']>[0]): Promise<void> {
    await this.#copy('idempotency_keys', idempotencyKeyColumns, batches, (row) =>
      idempotencyKeyColumns.map((column) => fieldOf(row[column])),
    );
  }

  async complete({ parts, changes, declarations, trimmed, gaps, secret }: Outline): Promise<void> {
    const { sql } = this;
    const collections = parts.map(({ collection }) => collection);
    await requireConstraints(collections, (query) => askPair(sql, query));
    for (const collection of collections) {
      for (const statement of createTable(collection).slice(1)) await sql.unsafe(statement);
      await keepIndexes(sql, collection);
    }
    // After all tables: they refer to each other.
    for (const collection of collections) await keepConstraints(sql, collection);
    for (const { collection, last } of parts) await this.#setLast(collection.name, last);
    await this.#setLast('changes', changes.last);
    await this.#set(declarationsSetting, encodeDeclarations(declarations));
    await this.#set('secret', secret);
    await this.#set('trimmed', String(trimmed));
    await this.#set('gaps', JSON.stringify(gaps));
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

  async #copy<Row>(
    table: string,
    columns: readonly string[],
    batches: Batches<Row>,
    fields: (row: Row) => readonly Field[],
  ): Promise<void> {
    await copyRows(this.sql, `${identifier(table)} (${columns.map(identifier).join(', ')})`, batches, fields);
  }

  /** 0 if no number was given yet. */
  async #setLast(table: string, last: number): Promise<void> {
    await this
      .sql`select setval(pg_get_serial_sequence(${identifier(table)}, 'seq'), ${Math.max(last, 1)}, ${last > 0})`;
  }

  async #set(name: string, value: string): Promise<void> {
    await this
      .sql`insert into settings values (${name}, ${value}) on conflict (name) do update set value = excluded.value`;
  }
}

function fieldOf(value: string | number | bigint | null | undefined): Field {
  return value === null || value === undefined ? null : String(value);
}
