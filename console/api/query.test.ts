import { expect, test } from 'bun:test';
import { hasPath, parseQuery, searchOf } from './query.ts';

test('an address comes back as it was', () => {
  for (const search of [
    '',
    'state=published&sort=-price',
    'price[gte]=10&price[lt]=20&sort=-price,title&fields=id,title',
    'limit[eq]=3',
    'group[eq]=a&collection[eq]=b&having[eq]=c',
    'where=%7B%22pages%22:7%7D&where[eq]=x',
    'tags[has]=a%26b%3Dc&title=caf%C3%A9+noir',
    'seen_at[gte]=2026-11-15T08:00:00Z',
  ])
    expect(searchOf(parseQuery(search))).toBe(search);
});

test('its parts', () => {
  expect(parseQuery('title[contains]=a+b&state=x&sort=-price,id&limit=5&cursor=c&count=exact&expand=author')).toEqual({
    filters: [
      { field: 'title', operator: 'contains', value: 'a b' },
      { field: 'state', operator: 'eq', value: 'x' },
    ],
    sort: [
      { field: 'price', down: true },
      { field: 'id', down: false },
    ],
    fields: undefined,
  });
});

test.each([
  ['author.country=AR', true],
  ['price[gte]=1.5', false],
  ['where={"title":"a.b","due_on":{"lt":{"field":"returned_on"}}}', false],
  ['where={"any":[{"title":"a"},{"not":{"author.country":"AR"}}]}', true],
  ['where={', false],
])('whether %s leads to other records', (search, expected) => {
  expect(parseQuery(search).filters.some(hasPath)).toBe(expected);
});
