import { expect, test } from 'bun:test';
import type { Collection } from '../../api/declarations.ts';
import { parseSummary } from '../../query/summary-query.ts';
import { rangeOf, recordFilters } from './record-filters.ts';

const collection: Collection = {
  name: 'sales',
  singular: 'sale',
  contract: false,
  fields: { day: { type: 'date' }, at: { type: 'timestamp' }, name: { type: 'text', optional: true } },
};

test.each([
  ['year', '1944', '1944-01-01T00:00:00.000Z', '1944-12-31T23:59:59.999Z'],
  ['year', '1', '0001-01-01T00:00:00.000Z', '0001-12-31T23:59:59.999Z'],
  ['year', '9999', '9999-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
  ['quarter', '2026-Q1', '2026-01-01T00:00:00.000Z', '2026-03-31T23:59:59.999Z'],
  ['quarter', '2026-Q4', '2026-10-01T00:00:00.000Z', '2026-12-31T23:59:59.999Z'],
  ['month', '2024-02', '2024-02-01T00:00:00.000Z', '2024-02-29T23:59:59.999Z'],
  ['month', '0099-12', '0099-12-01T00:00:00.000Z', '0099-12-31T23:59:59.999Z'],
  ['week', '0001-W01', '0001-01-01T00:00:00.000Z', '0001-01-07T23:59:59.999Z'],
  ['week', '2020-W53', '2020-12-28T00:00:00.000Z', '2021-01-03T23:59:59.999Z'],
  ['week', '2025-W01', '2024-12-30T00:00:00.000Z', '2025-01-05T23:59:59.999Z'],
  ['week', '9999-W52', '9999-12-27T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
  ['day', '2026-06-30', '2026-06-30T00:00:00.000Z', '2026-06-30T23:59:59.999Z'],
  ['hour', '2026-06-30T23', '2026-06-30T23:00:00.000Z', '2026-06-30T23:59:59.999Z'],
])('the range of the %s %s', (part, value, first, last) => {
  expect(rangeOf(part, value)).toEqual([first, last]);
});

const filters = (search: string, row: Readonly<Record<string, string>>) =>
  recordFilters(collection, parseSummary(search), new Map(Object.entries(row))).map(
    ({ field, operator, value }) => `${field} ${operator} ${value}`,
  );

test('a group is an equality, a range or no value', () => {
  const group = 'group=name,day.week,at.hour,day.day';
  expect(
    filters(group, { name: '"a,\\"b"', 'day.week': '"2020-W53"', 'at.hour': 'null', 'day.day': '"2021-01-03"' }),
  ).toEqual(['name eq a,"b', 'day gte 2020-12-28', 'day lte 2021-01-03', 'at is null', 'day eq 2021-01-03']);
  expect(filters('group=at.year', { 'at.year': '99' })).toEqual([
    'at gte 0099-01-01T00:00:00.000Z',
    'at lte 0099-12-31T23:59:59.999Z',
  ]);
});

test('the filters of the summary stay, but conditions on measures concern no record', () => {
  expect(filters('name=a&where={}&having={}&day[gte]=2021-01-01&group=name', { name: '"a"' })).toEqual([
    'name eq a',
    'where json {}',
    'day gte 2021-01-01',
  ]);
  expect(filters('', {})).toEqual([]);
});
