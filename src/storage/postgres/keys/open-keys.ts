/** The API keys of a database, for administration: no table is changed. */
import type { SQL } from 'bun';
import { StartError } from '../../../domain/errors.ts';
import type { ApiKeys } from '../../../domain/store/api-keys.ts';
import { type ConnectOptions, connect } from '../connect/pool.ts';
import { retryUntilReady, type WaitOptions } from '../connect/wait-for-database.ts';
import { findPrimary } from '../primary/find-primary.ts';
import { migrations } from '../schema/migrations.ts';
import { openApiKeys } from './api-keys.ts';

export async function openDatabaseKeys(
  options: ConnectOptions & WaitOptions,
): Promise<{ readonly apiKeys: ApiKeys; close(): Promise<void> }> {
  const sql = await retryUntilReady(
    options,
    () => false,
    () => connected(options),
  );
  try {
    const version = await versionIn(sql);
    if (version === undefined)
      throw new StartError(
        'The database has no Shelf tables: correct --database, or run shelf migrate to create them.',
      );
    if (version !== migrations.length)
      throw new StartError('The database is of another version of Shelf: run shelf migrate, or use that version.');
    return { apiKeys: openApiKeys((ask) => ask(sql)), close: () => sql.close() };
  } catch (error) {
    await sql.close();
    throw error;
  }
}

async function connected(options: ConnectOptions): Promise<SQL> {
  const sql = connect({ ...options, url: await findPrimary(options.url, options) }, { max: 1, idleTimeout: 0 });
  try {
    await sql`select 1`;
    return sql;
  } catch (error) {
    await sql.close();
    throw error;
  }
}

/** Undefined if the database has no Shelf tables. */
async function versionIn(sql: SQL): Promise<number | undefined> {
  const [there] = await sql`select to_regclass('schema_version') is not null`.values();
  if (there?.[0] !== true) return undefined;
  const [row] = await sql`select version from schema_version`.values();
  return Number(row?.[0] ?? 0);
}
