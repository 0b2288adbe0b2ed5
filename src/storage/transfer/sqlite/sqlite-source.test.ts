import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { contentsOf, itemsNamed, makeDatabase } from '../../../../test/support/data/made-database.ts';
import { items } from '../../../collections/items.ts';
import { lock } from '../../sqlite/file/lock.ts';
import { openSqliteSource } from './sqlite-source.ts';

const folder = temporaryFolder();
let made = 0;

async function newFile(): Promise<string> {
  const path = join(folder, `${made++}.db`);
  await makeDatabase(`sqlite:${path}`, contentsOf(itemsNamed('one')));
  return path;
}
const isFree = (path: string) => {
  const held = lock(path);
  if (held === 'taken') return false;
  held.release();
  return true;
};

test('an exclusive source keeps servers out until it is closed; others do not', async () => {
  const path = await newFile();
  const exclusive = await openSqliteSource(path, [items], 'exclusive');
  expect(isFree(path)).toBe(false);
  await expect(openSqliteSource(path, [items], 'exclusive')).rejects.toThrow(
    'is in use by a Shelf server: stop it first',
  );
  await exclusive.close();
  const shared = await openSqliteSource(path, [items], 'shared');
  expect(isFree(path)).toBe(true);
  await shared.close();
});

test('a source is one moment, and leaves no files', async () => {
  const path = await newFile();
  using db = new Database(path);
  db.run('pragma journal_mode = wal');
  const source = await openSqliteSource(path, [items], 'shared');
  db.run('delete from items');
  expect([...(source.records(items) as Iterable<unknown[]>)].flat()).toHaveLength(1);
  await source.close();
  db.close();
  const next = await openSqliteSource(path, [items], 'shared');
  await next.close();
  expect(['-wal', '-shm'].filter((end) => existsSync(path + end))).toEqual([]);
});

test('a file that cannot be read leaves the lock free', async () => {
  await expect(openSqliteSource(join(folder, 'none.db'), [items], 'shared')).rejects.toThrow(
    'does not exist, or is empty',
  );
  const path = await newFile();
  const copy = join(folder, 'copy.db');
  copyFileSync(path, copy);
  await expect(openSqliteSource(copy, [items], 'exclusive')).rejects.toThrow('is a copy that was never started');
  expect(isFree(copy)).toBe(true);
  using db = new Database(path);
  db.run('delete from schema_version');
  db.run('insert into schema_version values (99)');
  db.close();
  await expect(openSqliteSource(path, [items], 'exclusive')).rejects.toThrow('was written by a newer Shelf (schema 99');
  expect(isFree(path)).toBe(true);
});
