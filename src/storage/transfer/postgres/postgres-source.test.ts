import { describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { newDatabase, postgresUrl } from '../../../../test/postgres/database.ts';
import { connection, contentsOf, itemsNamed, makeDatabase } from '../../../../test/support/data/made-database.ts';
import { items } from '../../../collections/items.ts';
import { openPostgresSource } from './postgres-source.ts';

describe.skipIf(postgresUrl === undefined)('a source', () => {
  const options = { ...connection, label: 'here', exclusive: true };
  async function newItems(): Promise<string> {
    const url = await newDatabase();
    await makeDatabase(url, contentsOf(itemsNamed('one')));
    return url;
  }
  /** What another program meets that deletes everything. */
  async function deleting(url: string): Promise<unknown> {
    const sql = new SQL({ url, max: 1 });
    try {
      await sql.unsafe('set lock_timeout = 200');
      return await sql.unsafe('delete from items').then(
        () => 'deleted',
        (error) => error.errno,
      );
    } finally {
      await sql.close();
    }
  }

  test('keeps writers out if it is exclusive', async () => {
    const url = await newItems();
    const source = await openPostgresSource(url, [items], options);
    expect(await deleting(url)).toBe('55P03');
    await source.close();
    expect(await deleting(url)).toBe('deleted');
  });

  test('shows one moment if it is not', async () => {
    const url = await newItems();
    const source = await openPostgresSource(url, [items], { ...options, exclusive: false });
    expect(await deleting(url)).toBe('deleted');
    const read: unknown[] = [];
    for await (const records of source.records(items)) read.push(...records);
    expect(read).toHaveLength(1);
    await source.close();
  });

  test('has the tables of this version', async () => {
    const none = openPostgresSource(await newDatabase(), [items], options);
    await expect(none).rejects.toThrow('The database here has no Shelf tables: correct the URL.');
    const url = await newItems();
    const sql = new SQL({ url, max: 1 });
    await sql.unsafe('update schema_version set version = 99');
    await sql.close();
    await expect(openPostgresSource(url, [items], options)).rejects.toThrow(
      'here was written by a newer Shelf (schema 99',
    );
  });
});
