import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { contentsOf, itemsNamed, makeDatabase } from '../../../../test/support/data/made-database.ts';
import { items } from '../../../collections/items.ts';
import { copyMark, findFile } from '../../sqlite/file/copy-mark.ts';
import { lock } from '../../sqlite/file/lock.ts';
import { restoreFile } from './restore-file.ts';

const folder = temporaryFolder();
const options = { declared: [items], onCopied: () => {}, onCheck: () => {}, signal: new AbortController().signal };
let made = 0;

/** A file without the lock beside it, as `shelf backup` leaves it. */
async function backupOf(...names: readonly string[]): Promise<string> {
  const [path, copy] = [join(folder, `${made++}.db`), join(folder, `${made++}.backup`)];
  await makeDatabase(`sqlite:${path}`, contentsOf(itemsNamed(...names)));
  copyFileSync(path, copy);
  return copy;
}
const namesIn = (path: string) => {
  using db = new Database(path);
  return db.prepare('select name from items').values().flat();
};

test('the backup takes the place of the database, which is kept, and is marked as a copy', async () => {
  const path = join(folder, 'served', 'a.db');
  const copied: [number, number][] = [];
  const onCopied = (records: number, of: number) => copied.push([records, of]);
  const first = await restoreFile(await backupOf('one'), path, { ...options, onCopied });
  expect(first).toEqual({ records: 1, collections: 1, kept: undefined });
  expect(copied.at(-1)).toEqual([1, 1]);
  const second = await restoreFile(await backupOf('two', 'three'), path, options);
  expect(second.records).toBe(2);
  expect(second.kept).toStartWith(`${path}.before-`);
  expect([namesIn(path), namesIn(second.kept ?? '')]).toEqual([['two', 'three'], ['one']]);
  expect(findFile(path).mark).toBe(copyMark);
  expect(readdirSync(join(folder, 'served')).filter((name) => name.includes('partial'))).toEqual([]);
});

test('a backup that is not sound, and a stop, change nothing', async () => {
  const path = await backupOf('one');
  const damaged = await backupOf('two');
  const text = join(folder, 'text');
  writeFileSync(text, 'not a database, and long enough to have a header'.repeat(10));
  await expect(restoreFile(text, path, options)).rejects.toThrow(/is not (sound|a)/);
  const db = new Database(damaged);
  db.run('update items set version = 9');
  db.close();
  await expect(restoreFile(damaged, path, options)).rejects.toThrow('has the id 1 with the version 9');
  const stopped = restoreFile(await backupOf('two'), path, {
    ...options,
    signal: AbortSignal.abort(new Error('stopped')),
  });
  await expect(stopped).rejects.toThrow('stopped');
  expect(namesIn(path)).toEqual(['one']);
  expect(existsSync(join(folder, `.${path.slice(folder.length + 1)}.partial`))).toBe(false);
});

test('a database in use is neither restored nor a backup', async () => {
  const [path, other] = [await backupOf('one'), await backupOf('two')];
  const held = lock(path);
  await expect(restoreFile(other, path, options)).rejects.toThrow('is in use by a Shelf server: stop it first');
  await expect(restoreFile(path, other, options)).rejects.toThrow('is a database in use, not a backup');
  if (held !== 'taken') held.release();
  await expect(restoreFile(path, path, options)).rejects.toThrow('is the database itself');
  await expect(restoreFile(join(folder, 'none'), path, options)).rejects.toThrow('does not exist, or is empty');
});
