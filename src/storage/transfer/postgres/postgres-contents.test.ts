import { describe, expect, test } from 'bun:test';
import { newDatabase, postgresUrl } from '../../../../test/postgres/database.ts';
import { connection, contentsOf, itemsNamed, makeDatabase } from '../../../../test/support/data/made-database.ts';
import { items } from '../../../collections/items.ts';
import { bytesAtOnce } from '../../bytes-at-once.ts';
import { batchBounds } from '../contents.ts';
import { begin, connectForTransfer } from './connections.ts';
import { postgresContents } from './postgres-contents.ts';

/** The contents of a new database with items of these names. */
async function contentsWith(names: readonly string[]) {
  const url = await newDatabase();
  await makeDatabase(url, contentsOf(itemsNamed(...names)));
  const sql = await connectForTransfer(url, connection);
  await begin(sql, connection, 'isolation level repeatable read read only');
  return { contents: await postgresContents(sql, [items]), close: () => sql.close() };
}

describe.skipIf(postgresUrl === undefined)('a batch', () => {
  test('of large records has few of them, and all come once, in order', async () => {
    const large = 'x'.repeat(400_000);
    const { contents, close } = await contentsWith([
      large,
      large,
      large,
      large,
      large,
      'y'.repeat(3 * bytesAtOnce),
      'z',
    ]);
    const batches: number[][] = [];
    for await (const records of contents.records(items)) batches.push(records.map(({ recordId }) => recordId));
    // A batch ends with the record that reaches the limit.
    expect(batches).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    await close();
  });

  test('of small records is larger than the one before, until it is full', async () => {
    const { contents, close } = await contentsWith(Array.from({ length: 6000 }, (_, n) => `item ${n}`));
    const sizes: number[] = [];
    for await (const records of contents.records(items)) sizes.push(records.length);
    expect(sizes).toEqual([16, 32, 64, 128, 256, 512, 1024, batchBounds.rows, 6000 - 2032 - batchBounds.rows]);
    await close();
  });
});
