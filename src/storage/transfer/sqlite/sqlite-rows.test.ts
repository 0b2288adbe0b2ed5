import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { askPair, insertInto } from './sqlite-rows.ts';

test.each([0, 1, 49, 50, 51, 149])('%d rows are inserted, in order', async (count) => {
  using db = new Database(':memory:');
  db.run('create table "a b" (n integer, text text)');
  const rows = Array.from({ length: count }, (_, n) => [n, `'${n}`] as const);
  const batches = [rows.slice(0, 60), rows.slice(60)];
  await insertInto(db, 'a b', ['n', 'text'], batches, (row, values) => values.push(...row));
  expect(db.prepare('select n, text from "a b" order by rowid').values()).toEqual(rows as never);
});

test('a pair of integers has all its digits', async () => {
  using db = new Database(':memory:');
  expect(await askPair(db, 'select 9223372036854775807, -1')).toEqual([2n ** 63n - 1n, -1n]);
  expect(await askPair(db, 'select 1, 2 where false')).toBeUndefined();
});
