import { describe, expect, test } from 'bun:test';
import { engineOf, engineOptions } from '../../../../test/engine.ts';
import { newDatabase, postgresUrl } from '../../../../test/postgres/database.ts';
import { items } from '../../../collections/items.ts';
import { bytesAtOnce } from '../../bytes-at-once.ts';
import { openEngine } from '../../open.ts';
import { batchBounds } from '../contents.ts';
import { begin, connectForTransfer } from './connections.ts';
import { postgresContents } from './postgres-contents.ts';

const options = { timeoutMs: 10_000, prepare: true };

/** The contents of a new database with items of these names, besides the first one. */
async function contentsWith(names: readonly string[]) {
  const url = await newDatabase();
  const store = openEngine(engineOf(url), [items], engineOptions);
  await store.admin.ready;
  const bulk = await store.writes.bulk(items, undefined);
  await bulk.add(names.map((name) => items.encode({ id: 7n, name, price: 1 })));
  await bulk.commit(undefined);
  await bulk.close();
  await store.admin.close();
  const sql = await connectForTransfer(url, options);
  await begin(sql, options, 'isolation level repeatable read read only');
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
    for await (const records of contents.records(items)) batches.push(records.map(({ seq }) => seq));
    // A batch ends with the record that reaches the limit.
    expect(batches).toEqual([[1, 2, 3, 4], [5, 6, 7], [8]]);
    await close();
  });

  test('of small records is larger than the one before, until it is full', async () => {
    const { contents, close } = await contentsWith(Array.from({ length: 6000 }, (_, n) => `item ${n}`));
    const sizes: number[] = [];
    for await (const records of contents.records(items)) sizes.push(records.length);
    expect(sizes).toEqual([16, 32, 64, 128, 256, 512, 1024, batchBounds.rows, 6001 - 2032 - batchBounds.rows]);
    await close();
  });
});
