import { expect, test } from 'bun:test';
import { items } from '../../collections/items.ts';
import { users } from '../../collections/users.ts';
import { everything } from '../access/view.ts';
import type { Where } from '../where/where.ts';
import type { Change, Changes } from './change.ts';
import { everyChange, matching, matchingPage, selectionOf } from './selection.ts';

const at = '2026-01-01T00:00:00.000Z';
const cheap: Where = [{ field: 'price', operator: 'lt', values: [10] }];

/** `3` is a change that matches, `3-` one that does not, `3?` one that cannot be judged, `4/2` one of a transaction whose first change is 2. */
const changes = (text: string): Change[] =>
  text
    .split(' ')
    .filter((one) => one !== '')
    .map((one) => {
      const [, number, mark, first] = /^(\d+)([-?]?)(?:\/(\d+))?$/.exec(one) ?? [];
      const json = mark === '?' ? '{"id":1,"name":"x"}' : `{"id":1,"name":"x","price":${mark === '-' ? 20 : 5}}`;
      return {
        changeNumber: Number(number),
        type: 'created',
        at,
        by: undefined,
        transaction: first === undefined ? undefined : { first: Number(first), size: 4 },
        collection: items,
        singular: 'item',
        record: { recordId: 1, version: 1, createdAt: at, updatedAt: at, json },
      };
    });

const { filter } = selectionOf(everything(items), cheap);
if (filter === undefined) throw new Error('there is a filter');

const read = (text: string, more: boolean, isPartial: boolean): Changes => ({
  changes: changes(text),
  more,
  isPartial,
  to: 50,
  history: { last: 60, trimmed: 0, gaps: [] },
});

test.each([
  ['nothing', '', 3, '', 50, ''],
  ['nothing that matches', '1- 2- 3-', 3, '', 50, 'more'],
  ['some that match', '1- 2 3- 4', 3, '2 4', 50, ''],
  ['as many as fit', '1- 2 3 4 5-', 3, '2 3 4', 50, ''],
  ['more than fit', '1- 2 3 4 5', 3, '2 3 4', 4, 'more'],
  ['the beginning of a transaction', '1 2/2 3-/2 4/2 5/2', 2, '1', 1, 'more'],
  ['a transaction of which a part matches', '2/2 3-/2 4/2 5-/2', 2, '2 4', 50, ''],
  ['the same, and one more', '2/2 3-/2 4/2 5-/2 6', 2, '2 4', 4, 'more'],
  ['a transaction that fits no page', '2/2 3/2 4/2', 2, '2 3', 3, 'partial more'],
  ['a read that ends inside a transaction', '2/2 3-/2', 2, '2', 50, 'partial more'],
])('a page of %s', (_, text, limit, numbers, to, flags) => {
  const more = flags.includes('more') && numbers.split(' ').length <= limit;
  const page = matchingPage(read(text, more, flags.includes('partial') && to === 50), filter, limit);
  if ('unknown' in page) return expect.unreachable();
  expect(page.found.map(({ change }) => change.changeNumber).join(' ')).toBe(numbers);
  expect([page.to, page.isPartial, page.more]).toEqual([to, flags.includes('partial'), flags.includes('more')]);
});

test('a change that cannot be judged is named, whatever the others are', () => {
  const found = matching(changes('1 2- 3? 4?'), filter);
  expect('unknown' in found ? found.unknown.changeNumber : found).toBe(3);
});

test('the same filter has the same key, and every other selection another one', () => {
  const both: Where = [...cheap, { field: 'name', operator: 'eq', values: ['x'] }];
  expect(selectionOf(everything(items), both).key).toBe(selectionOf(everything(items), both.toReversed()).key);
  const keys = [
    everyChange,
    selectionOf(everything(items)),
    selectionOf(everything(users)),
    selectionOf(everything(items), []),
    selectionOf(everything(users), []),
  ];
  const all = [...keys, selectionOf(everything(items), cheap), selectionOf(everything(items), both)].map(
    ({ key }) => key,
  );
  expect(new Set(all).size).toBe(all.length);
});
