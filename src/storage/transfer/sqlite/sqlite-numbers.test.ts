import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/data/folder.ts';
import { contentsOf, createdChange, itemsNamed, makeDatabase } from '../../../../test/support/data/made-database.ts';
import { highestNumber } from '../../../domain/feed/feed-history.ts';
import { requireFileNumbers } from './sqlite-numbers.ts';

const folder = temporaryFolder();
const [one = { recordId: 0, version: 0, createdAt: '', updatedAt: '', row: {} }] = itemsNamed('one');
let made = 0;

test.each([
  ['nothing is wrong', 'select 1', undefined],
  [
    'an id',
    'update items set seq = 9',
    'items in here has the id 9 with the version 1, and the last number given out is 2',
  ],
  ['a version', 'update items set version = 3', 'items in here has the id 1 with the version 3'],
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
  ['a transaction', 'update changes set transaction_first = 1, transaction_size = 2', undefined],
  [
    'a transaction that begins before the first change',
    'update changes set transaction_first = 0, transaction_size = 3',
    'Change 1 in here is of a transaction that is not possible: restore another backup.',
  ],
  [
    'a transaction without a size',
    'update changes set transaction_first = 1 where seq = 1',
    'Change 1 in here is of a transaction that is not possible',
  ],
  [
    'a transaction of one change',
    'update changes set transaction_first = seq, transaction_size = 1 where seq = 2',
    'Change 2 in here is of a transaction that is not possible',
  ],
  [
    'a change after the end of its transaction',
    'update changes set transaction_first = 1, transaction_size = 2; insert into changes select 3, collection, type, record_seq, version, created_at, at, record, updated_at, singular, made_by, 1, 2, before, trace_id from changes where seq = 2',
    'Change 3 in here is of a transaction that is not possible',
  ],
  [
    'a transaction that ends after the last change',
    'update changes set transaction_first = seq, transaction_size = 2 where seq = 2',
    'Change 2 in here is of a transaction that is not possible',
  ],
  ['a file of a release without transactions', 'alter table changes drop column transaction_size', undefined],
])('%s', async (_, statement, problem) => {
  const path = join(folder, `${made++}.db`);
  await makeDatabase(`sqlite:${path}`, contentsOf([one], { changes: [createdChange(1, one), createdChange(2, one)] }));
  using db = new Database(path);
  db.exec(statement);
  const required = () => requireFileNumbers(db, 'here', ['items']);
  if (problem === undefined) expect(required()).toBeUndefined();
  else expect(required).toThrow(problem);
});
