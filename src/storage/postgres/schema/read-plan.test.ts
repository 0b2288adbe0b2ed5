import { describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { newDatabase, postgresUrl } from '../../../../test/postgres/database.ts';
import { items } from '../../../collections/items.ts';
import { planDatabase } from './read-plan.ts';

describe.skipIf(postgresUrl === undefined)('PostgreSQL', () => {
  test('a plan leaves no connection: a server makes one for each look at its file', async () => {
    const url = await newDatabase();
    const options = { url, timeoutMs: 60_000, prepare: true, giveUpOn: 'statement_timeout' } as const;
    expect((await planDatabase(options, [items], false)).changes).toHaveLength(1);
    const sql = new SQL(url, { max: 1 });
    const left = () =>
      sql`select application_name from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`.values();
    // PostgreSQL ends a session after its client has left.
    while ((await left()).length > 0) await Bun.sleep(5);
    await sql.close();
  });
});
