import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { contentsOf, itemsNamed, makeDatabase } from '../../../../test/support/data/made-database.ts';
import { highestNumber } from '../../../domain/store/feed-history.ts';
import { requireFileNumbers } from './sqlite-numbers.ts';

const folder = temporaryFolder();
let made = 0;

test.each([
  ['nothing is wrong', 'select 1', undefined],
  [
    'an id',
    'update items set seq = 9',
    'items in here has the id 9 with the version 1, and the last number given out is 1',
  ],
  ['a version', 'update items set version = 2', 'items in here has the id 1 with the version 2'],
  [
    'a last number',
    `update sqlite_sequence set seq = ${highestNumber + 1}`,
    'The last number of "items" in here is not one',
  ],
  [
    'a gap',
    `update settings set value = '[[0,${highestNumber + 1}]]' where name = 'gaps'`,
    'A gap in the history of here ends above',
  ],
  [
    'a trimmed change',
    "update settings set value = '-1' where name = 'trimmed'",
    'The last trimmed change in here has no',
  ],
])('%s', async (_, statement, problem) => {
  const path = join(folder, `${made++}.db`);
  await makeDatabase(`sqlite:${path}`, contentsOf(itemsNamed('one')));
  using db = new Database(path);
  db.run(statement);
  const required = () => requireFileNumbers(db, 'here', ['items']);
  if (problem === undefined) expect(required()).toBeUndefined();
  else expect(required).toThrow(problem);
});
