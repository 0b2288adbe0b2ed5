import { expect, test } from 'bun:test';
import type { Collection } from '../api/declarations.ts';
import { firstSummary, parseSummary, summarySearchOf } from './summary-query.ts';

test('an address comes back as it was', () => {
  for (const search of [
    'measures=count',
    'group=state,published_on.year&measures=count,price.sum&state=published&price[gte]=10&sort=-price.sum,state&limit=10',
    'group=count&measures=count&count=3&fields=x',
    'measures=count&group[eq]=a&limit[eq]=3&where=%7B%22pages%22:7%7D&having=%7B%22count%22:2%7D&where[eq]=x',
  ])
    expect(summarySearchOf(parseSummary(search))).toBe(
      search.replace('&count=3&fields=x', '&count[eq]=3&fields[eq]=x'),
    );
});

test('its parts', () => {
  expect(parseSummary('group=a&group=b&sort=-count&limit=5&having={}&title[contains]=x')).toEqual({
    groups: ['a', 'b'],
    measures: ['count'],
    filters: [
      { field: 'having', operator: 'json', value: '{}' },
      { field: 'title', operator: 'contains', value: 'x' },
    ],
    sort: [{ field: 'count', down: true }],
    limit: '5',
  });
});

test.each([
  [{ title: 'text', state: 'choice', seller: 'reference' }, 'state'],
  [{ seller: 'reference', is_paid: 'boolean' }, 'is_paid'],
  [{ title: 'text', seller: 'reference', day: 'date' }, 'seller'],
  [{ title: 'text', at: 'timestamp', day: 'date' }, 'day.year'],
  [{ title: 'text' }, 'created_at.month'],
])('the first group of %j', (types: Readonly<Record<string, string>>, group) => {
  const fields = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]));
  const collection: Collection = { name: 'sales', singular: 'sale', fields, contract: false };
  expect(firstSummary(collection, []).groups).toEqual([group]);
});
