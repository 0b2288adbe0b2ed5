import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { contentsOf, itemsNamed, makeDatabase } from '../../../../test/support/data/made-database.ts';
import { items } from '../../../collections/items.ts';
import { farJump } from '../../../domain/feed/feed-history.ts';
import { lock } from '../../sqlite/file/lock.ts';
import { openSqliteMerge } from './sqlite-merge.ts';

const folder = temporaryFolder();
const [one, two, three] = itemsNamed('one', 'two', 'three');
if (one === undefined || two === undefined || three === undefined) throw new Error('there are three');
let made = 0;

async function newFile(): Promise<string> {
  const path = join(folder, `${made++}.db`);
  await makeDatabase(`sqlite:${path}`, contentsOf([one as never]));
  return path;
}
const idsIn = (path: string) => {
  using db = new Database(path);
  return db.prepare('select seq from items').values().flat();
};
const noteOf = (path: string) => {
  const held = lock(path);
  if (held === 'taken') return undefined;
  held.release();
  return held.note;
};

test('what is not committed is undone', async () => {
  const path = await newFile();
  const merge = await openSqliteMerge(path, [items]);
  await merge.insert(items, [two]);
  expect(await merge.existing(items, [1, 2, 3])).toEqual(
    new Map([one, two].map((stored) => [stored.recordId, items.record.encode(stored)])),
  );
  await merge.close();
  expect(idsIn(path)).toEqual([1]);
});

test('if one of several records cannot be added, none is, and others can be added', async () => {
  const path = await newFile();
  const merge = await openSqliteMerge(path, [items]);
  await expect(merge.insert(items, [two, one])).rejects.toThrow('UNIQUE');
  await merge.insert(items, [two, three]);
  await merge.commit();
  await merge.close();
  expect(idsIn(path)).toEqual([1, 2, 3]);
});

test('the note beside the lock has the numbers of the new epoch before they are given out', async () => {
  const path = await newFile();
  const merge = await openSqliteMerge(path, [items]);
  await merge.beginEpoch(5, 2);
  await merge.close();
  expect(noteOf(path)).toMatchObject({ reached: 5 + farJump + 2 });
  expect(noteOf(path)?.lastNumber).toBeUndefined();
  const again = await openSqliteMerge(path, [items]);
  await again.beginEpoch(5, 1);
  await again.insert(items, [two]);
  await again.commit();
  await again.close();
  expect(noteOf(path)).toMatchObject({ lastNumber: 6 + farJump, reached: 6 + farJump });
});

test('a database that does not exist is not created', async () => {
  await expect(openSqliteMerge(join(folder, 'none.db'), [items])).rejects.toThrow(
    'does not exist, or is empty: leave out',
  );
});
