import { describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { newDatabase, postgresUrl } from '../../../../test/postgres/database.ts';
import { connection, contentsOf, itemsNamed, makeDatabase } from '../../../../test/support/data/made-database.ts';
import { items } from '../../../collections/items.ts';
import { bytesAtOnce } from '../../bytes-at-once.ts';
import { openPostgresMerge } from './postgres-merge.ts';

describe.skipIf(postgresUrl === undefined)('a merge', () => {
  const large = 'x'.repeat(bytesAtOnce);
  const records = itemsNamed('one', large, large, 'four');
  const [one, , , four] = records;
  async function newItems(): Promise<string> {
    const url = await newDatabase();
    await makeDatabase(url, contentsOf(records.slice(0, 3)));
    return url;
  }

  test('finds the records that are there, also large ones', async () => {
    const merge = await openPostgresMerge(await newItems(), [items], { ...connection, label: 'here' });
    const found = await merge.existing(items, [1, 2, 3, 4]);
    expect([...found.keys()]).toEqual([1, 2, 3]);
    expect(found.get(1)).toBe(one === undefined ? '' : items.record.encode(one));
    expect(found.get(3)?.length).toBeGreaterThan(bytesAtOnce);
    await merge.close();
  });

  test('goes on after records that cannot be added, and is undone unless it is committed', async () => {
    const url = await newItems();
    if (one === undefined || four === undefined) throw new Error('there are four');
    for (const commits of [false, true]) {
      const merge = await openPostgresMerge(url, [items], { ...connection, label: 'here' });
      await expect(merge.insert(items, [four, one])).rejects.toMatchObject({ errno: '23505' });
      await merge.insert(items, [four]);
      if (commits) await merge.commit();
      await merge.close();
      const sql = new SQL({ url, max: 1 });
      const [row] = await sql`select (select count(*) from items)::int, (select count(*) from changes)::int`.values();
      await sql.close();
      expect([...row]).toEqual(commits ? [4, 1] : [3, 0]);
    }
  });
});
