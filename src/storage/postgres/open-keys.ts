/** The API keys of a database, for administration: no table is changed. */
import type { ApiKeys } from '../../domain/api-keys.ts';
import { StartError } from '../../domain/errors.ts';
import { openApiKeys } from './api-keys.ts';
import { migrations } from './migrations.ts';
import { connect } from './pool.ts';
import { retryUntilReady, type WaitOptions } from './start.ts';

type Options = Parameters<typeof connect>[0] & WaitOptions;

export async function openDatabaseKeys(
  options: Options,
): Promise<{ readonly apiKeys: ApiKeys; close(): Promise<void> }> {
  const sql = connect(options, { max: 1, idleTimeout: 0 });
  try {
    const version = await retryUntilReady(
      options,
      () => false,
      async () => {
        const [there] = await sql`select to_regclass('schema_version') is not null`.values();
        if (there?.[0] !== true) return undefined;
        const [row] = await sql`select version from schema_version`.values();
        return Number(row?.[0] ?? 0);
      },
    );
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
