import { expect, test } from 'bun:test';
import type { Collection } from '../api/declarations.ts';
import { filterParameters, filtersIn } from '../api/query.ts';
import { alternativesIn, anyOf } from './alternatives.ts';

const books: Collection = {
  name: 'books',
  singular: 'book',
  contract: false,
  fields: {
    title: { type: 'text', search: true },
    pages: { type: 'integer' },
    price: { type: 'decimal', scale: 2 },
    in_stock: { type: 'boolean' },
    ratings: { type: 'list', of: 'integer' },
    author: { type: 'reference', to: 'authors' },
  },
};

const filter = (field: string, operator: string, value: string) => ({ field, operator, value });

test('the values are written as in a record, and come back with every digit', () => {
  const filters = [
    filter('title', 'contains_ci', 'a "b"'),
    filter('pages', 'gte', '9007199254740993'),
    filter('price', 'lt', '12.30'),
    filter('in_stock', 'eq', 'true'),
    filter('ratings', 'has', '5'),
    filter('author', 'in', '1,2'),
    filter('pages', 'is', 'null'),
    filter('words', 'eq', 'borges'),
    filter('pages', 'eq', 'many'),
  ];
  const any = anyOf(books, filters);
  expect(any.value).toBe(
    '{"any":[{"title":{"contains_ci":"a \\"b\\""}},{"pages":{"gte":9007199254740993}},{"price":{"lt":"12.30"}},' +
      '{"in_stock":{"eq":true}},{"ratings":{"has":5}},{"author":{"in":[1,2]}},{"pages":{"is":"null"}},{"words":"borges"},' +
      '{"pages":{"eq":"many"}}]}',
  );
  expect(alternativesIn(any)).toEqual(filters);
});

test('other conditions are no alternatives', () => {
  for (const value of [
    '{"not":{"pages":1}}',
    '{"any":[{"pages":1,"title":"a"}]}',
    '{"any":[{"not":{"pages":1}}]}',
    '{"any":[{"pages":{"lt":{"field":"id"}}}]}',
    '{"any":[{"pages":1}],"title":"a"}',
    '[',
  ])
    expect(alternativesIn(filter('where', 'json', value))).toBeUndefined();
  expect(alternativesIn(filter('title', 'eq', '{"any":[]}'))).toBeUndefined();
});

test('several are one parameter', () => {
  const [first, second] = [anyOf(books, [filter('pages', 'eq', '1')]), anyOf(books, [filter('pages', 'eq', '2')])];
  const search = filterParameters([first, filter('title', 'eq', 'a'), second]).join('&');
  expect(new URLSearchParams(search).getAll('where')).toHaveLength(1);
  expect(filtersIn(search, ['where'])).toEqual([first, second, filter('title', 'eq', 'a')]);
});
