/** The searches of one transaction take no longer than they may, whatever the records are. */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test';
import { maxExamined } from '../../../../domain/store/operation.ts';
import type { Search } from '../../search/search.ts';
import { PreparedStatements } from '../../statements/prepared-statements.ts';
import { BoundedSearch } from './bounded-search.ts';
import { sentSearch } from './transaction-message.ts';

const db = new Database(':memory:');
db.run('create table notes (seq integer primary key, title text)');
const add = (rows: number) =>
  db.run(
    `insert into notes (title) with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows}) select 'x' from n`,
  );

/** Milliseconds that pass with each look at the clock. */
let pace = 0;
/** The thread has run for an hour: how long a search takes does not depend on that. */
let now = 3_600_000;
beforeEach(() => {
  spyOn(performance, 'now').mockImplementation(() => (now += pace));
  db.run('delete from notes');
});
afterEach(() => void spyOn(performance, 'now').mockRestore());

const searches = () => new BoundedSearch(db, new PreparedStatements(db));
const walk: Search['walk'] = {
  ...{ from: 'notes', keys: ['seq'], descending: false },
  ...{ base: '', baseParameters: [], order: 'none' },
};
const count = (from: Search['walk']) =>
  sentSearch({
    ...{ select: 'select count(*) from notes', where: "title = 'x'", parameters: [] },
    ...{ order: undefined, sort: [], limit: 1, bytes: 0, walk: from, sets: [] },
  });
const refused = { fault: 'too many to read' };

test.each([
  ['in the order of an index', walk],
  ['by words', { ...walk, from: '(select seq as rowid from notes)', base: 'true', words: ['title'] }],
])('as many rows as may be read are read %s, and no more', (_, from) => {
  pace = 0.0001;
  add(maxExamined.records);
  expect(searches().find(count(from))).toEqual([[BigInt(maxExamined.records)]]);
  add(1);
  expect(() => searches().find(count(from))).toThrow(expect.objectContaining(refused));
});

test('a long search ends when its time is over', () => {
  pace = 20;
  add(5000);
  expect(() => searches().find(count(walk))).toThrow(expect.objectContaining(refused));
});

test.each([
  ['a search', (all: BoundedSearch) => all.find(count(walk))],
  ['one by an index', (all: BoundedSearch) => all.find(count(undefined))],
  [
    'a condition on one record',
    (all: BoundedSearch) => all.record({ sql: 'select 1 where ?1 = 1', parameters: [] }, 1),
  ],
])('%s of few records takes time as well: each little, all together no more than they may', (_, find) => {
  pace = 10;
  add(3);
  const all = searches();
  const many = () => {
    for (let at = 0; at < 1000; at++) find(all);
  };
  find(all);
  expect(many).toThrow(expect.objectContaining(refused));
});

test('the first rows of a search are few', () => {
  pace = 5000;
  add(1000);
  const prepare = spyOn(db, 'prepare');
  expect(() => searches().find(count(walk))).toThrow(expect.objectContaining(refused));
  expect(prepare.mock.calls[0]?.[0]).toContain('offset 3');
  // One slice: the row where it ends, and its rows.
  expect(prepare).toHaveBeenCalledTimes(2);
});
