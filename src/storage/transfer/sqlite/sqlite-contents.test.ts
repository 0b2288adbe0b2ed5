import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import {
  apiKey,
  contentsOf,
  createdChange,
  itemsNamed,
  makeDatabase,
  quietly,
} from '../../../../test/support/data/made-database.ts';
import { items } from '../../../collections/items.ts';
import { batchBounds, type Contents } from '../contents.ts';
import { differences, tally } from '../digest.ts';
import { sqliteContents } from './sqlite-contents.ts';

const folder = temporaryFolder();
let made = 0;

async function fileWith(contents: Contents): Promise<string> {
  const path = join(folder, `${made++}.db`);
  await makeDatabase(`sqlite:${path}`, contents);
  return path;
}

test('everything is read, with all digits', async () => {
  const records = itemsNamed('one').map((one) => ({ ...one, row: { ...one.row, id: 2n ** 63n - 1n, price: -0 } }));
  const contents = contentsOf(records, { changes: records.map((one) => createdChange(3, one)), api_keys: [apiKey] });
  using db = new Database(await fileWith(contents));
  const read = sqliteContents(db, []);
  expect(read.outline).toMatchObject({
    parts: [{ records: 1, last: 1 }],
    changes: { kept: 1, last: 3 },
    secret: 'secret',
  });
  expect(differences(await tally(contents, quietly), await tally(read, quietly))).toEqual([]);
});

test('a batch has few large records, or many small ones', async () => {
  const large = 'x'.repeat(batchBounds.characters / 2);
  const small = Array.from({ length: batchBounds.rows + 1 }, (_, n) => `item ${n}`);
  using db = new Database(await fileWith(contentsOf(itemsNamed(large, large, large, ...small))));
  const sizes = [...(sqliteContents(db, []).records(items) as Iterable<unknown[]>)].map(({ length }) => length);
  expect(sizes).toEqual([2, batchBounds.rows, 2]);
});

test('a table that cannot be counted has no records, if the file may be damaged', async () => {
  const path = await fileWith(contentsOf(itemsNamed('one')));
  using db = new Database(path);
  db.run('alter table items rename to other');
  expect(() => sqliteContents(db, [])).toThrow('no such table');
  db.run('create view items as select * from missing');
  expect(() => sqliteContents(db, [])).toThrow('no such table');
  expect(sqliteContents(db, [], 'damaged').outline.parts).toMatchObject([{ records: 0 }]);
});
