import { describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { newDatabase, postgresUrl } from '../../../../test/postgres/database.ts';
import {
  apiKey,
  connection,
  contentsOf,
  itemsNamed,
  makeDatabase,
} from '../../../../test/support/data/made-database.ts';
import { items } from '../../../collections/items.ts';
import { openPostgresTarget } from './postgres-target.ts';

describe.skipIf(postgresUrl === undefined)('a target', () => {
  const options = { ...connection, declared: [items], label: 'here', keepsApiKeys: true, advice: 'choose another' };
  async function run(url: string, statement: string): Promise<unknown[][]> {
    const sql = new SQL({ url, max: 1 });
    try {
      return await sql.unsafe(statement).values();
    } finally {
      await sql.close();
    }
  }

  test('is seen only when it is published, and continues after the last id', async () => {
    const url = await newDatabase();
    const target = await openPostgresTarget(url, options);
    const contents = contentsOf(itemsNamed('one'));
    const outline = { ...contents.outline, parts: contents.outline.parts.map((part) => ({ ...part, last: 7 })) };
    await target.create(outline);
    await target.addRecords(items, contents.records(items));
    await target.complete(outline);
    expect(await run(url, "select to_regclass('items') is null")).toEqual([[true]]);
    await target.publish();
    await target.close();
    expect(await run(url, "select nextval(pg_get_serial_sequence('items', 'seq'))::int")).toEqual([[8]]);
  });

  test('keeps the API keys of an empty database', async () => {
    const url = await newDatabase();
    await makeDatabase(url, contentsOf([], { api_keys: [apiKey] }));
    const target = await openPostgresTarget(url, options);
    expect(target.apiKeys).toEqual([apiKey]);
    await target.close();
    await expect(openPostgresTarget(url, { ...options, keepsApiKeys: false })).rejects.toThrow('it has API keys');
  });

  test('does not replace a table of another program', async () => {
    const url = await newDatabase();
    await run(url, 'create table items (other int)');
    const target = openPostgresTarget(url, options);
    await expect(target).rejects.toThrow('The database has a table items that Shelf did not create');
  });
});
