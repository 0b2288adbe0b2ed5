/** The parameters of a list, parsed without a server. */
import { describe, expect, test } from 'bun:test';
import { Failure } from '../errors.ts';
import { collection } from '../record/collection.ts';
import { directFilters, maxConditions } from '../where/where.ts';
import { parseQuery } from './query.ts';

const books = collection('books', {
  singular: 'book',
  fields: { title: { type: 'text' }, pages: { type: 'integer' }, price: { type: 'number' } },
  first: { title: 'First', pages: 1, price: 1 },
  contract: { operations: [], id: 'id' },
});
const parse = (search: string) => parseQuery(books, search, () => books);

/** The detail of the failure that the parameters cause. */
function complaint(search: string): string {
  try {
    parse(search);
  } catch (error) {
    if (error instanceof Failure) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'none';
}

test('without parameters a query is the first hundred records, with all fields and in order', () => {
  expect(parse('')).toEqual({
    where: [],
    sort: [],
    limit: 100,
    fields: undefined,
    count: false,
    cursor: undefined,
    expand: undefined,
    explain: false,
  });
});

test('every column has a name, a name in SQL and a type', () => {
  expect([...books.columns].map(([key, { name, field }]) => [key, name, field.declared.type])).toEqual([
    ['id', '"seq"', 'integer'],
    ['external_id', '"id"', 'integer'],
    ['title', '"title"', 'text'],
    ['pages', '"pages"', 'integer'],
    ['price', '"price"', 'number'],
    ['version', '"version"', 'integer'],
    ['created_at', '"created_at"', 'timestamp'],
    ['updated_at', '"updated_at"', 'timestamp'],
  ]);
});

describe('sort', () => {
  const up = (field: string) => ({ field, descending: false });
  const down = (field: string) => ({ field, descending: true });
  test.each([
    ['sort=title', [up('title')]],
    ['sort=-price,title', [down('price'), up('title')]],
    ['sort=price&sort=-title', [up('price'), down('title')]],
    // A repeated field has no effect, and neither have fields after the unique id.
    ['sort=title,-title,price', [up('title'), up('price')]],
    ['sort=price,-id,title', [up('price'), down('id')]],
    ['sort=id,title', [up('id')]],
  ])('%s', (search, sort) => {
    expect(parse(search).sort).toEqual(sort);
  });
});

describe('limit', () => {
  test.each([
    ['1', 1],
    ['1000', 1000],
    ['1001', 1000],
    ['9223372036854775807', 1000],
    ['007', 7],
  ])('%s is %d', (limit, expected) => {
    expect(parse(`limit=${limit}`).limit).toBe(expected);
  });

  test.each(['0', '-1', '', 'ten', '1.5', '1e2', '9223372036854775808'])('%s is refused', (limit) => {
    expect(complaint(`limit=${limit}`)).toContain(`limit: expected a whole number from 1 to 1000, got "${limit}"`);
  });
});

describe('filters', () => {
  test('have the exact value that was sent, and the operator eq by default', () => {
    expect(parse('title=a%20b&pages[gte]=3&price[lt]=2.5').where).toEqual([
      { field: 'title', operator: 'eq', values: ['a b'] },
      { field: 'pages', operator: 'gte', values: [3n] },
      { field: 'price', operator: 'lt', values: [2.5] },
    ]);
  });

  test('in takes several values per field, also from several parameters', () => {
    expect(parse('pages[in]=1,2&price[in]=5&pages[in]=3&pages[ne]=4&pages[ne]=5').where).toEqual([
      { field: 'pages', operator: 'in', values: [1n, 2n, 3n] },
      { field: 'price', operator: 'in', values: [5] },
      { field: 'pages', operator: 'ne', values: [4n] },
      { field: 'pages', operator: 'ne', values: [5n] },
    ]);
  });

  test('a comma is part of every other value', () => {
    expect(parse('title=a,b').where).toEqual([{ field: 'title', operator: 'eq', values: ['a,b'] }]);
  });

  test('have at most a hundred values', () => {
    const values = (count: number) => `pages[in]=${Array.from({ length: count }, (_, n) => n).join(',')}`;
    expect(directFilters(parse(values(maxConditions)).where)[0]?.values).toHaveLength(maxConditions);
    expect(complaint(values(maxConditions + 1))).toContain('at most 100 values together');
    expect(complaint(`${values(maxConditions)}&title=x`)).toContain('at most 100 values together');
  });
});

describe('a path', () => {
  const reviews = collection('reviews', {
    singular: 'review',
    fields: { book: { type: 'reference', to: 'books' } },
  });
  const parsed = (search: string) => parseQuery(reviews, search, () => books).where;

  test('leads to a field of another record', () => {
    const via = [{ field: 'book', to: books }];
    expect(parsed('book.title=a&book.pages[in]=1,2&book.pages[in]=3&book=7')).toEqual([
      { field: 'title', operator: 'eq', values: ['a'], via },
      { field: 'pages', operator: 'in', values: [1n, 2n, 3n], via },
      { field: 'book', operator: 'eq', values: [7n] },
    ]);
  });

  test.each([
    ['book.colour=red', 'book.colour: unknown field; books has the fields: id, external_id, title, '],
    ['book.title.x=1', 'book.title.x: has title, which is no reference of books.'],
    ['book.a.b.c[ne]=1', 'book.a.b.c[ne]: leads through more than 2 references.'],
  ])('%s is refused', (search, detail) => {
    expect(() => parsed(search)).toThrow(`Invalid query parameter ${detail}`);
  });
});

test('the error of an invalid time names the first and the last valid time', () => {
  const bounds = /a time from (\S+) to (\S+), such as/;
  for (const refused of ['yesterday', '0000-12-31', '+010000-01-01']) {
    const [, first = '', last = ''] = bounds.exec(complaint(`created_at[gt]=${encodeURIComponent(refused)}`)) ?? [];
    expect([first, last]).toEqual(['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']);
    expect(directFilters(parse(`created_at[in]=${first},${last}`).where)[0]?.values).toEqual([first, last]);
  }
});

test('fields, count and cursor', () => {
  const { fields, count, cursor } = parse('fields=title,price&fields=id&count=exact&cursor=abc');
  expect({ fields, count, cursor }).toEqual({ fields: ['title', 'price', 'id'], count: true, cursor: 'abc' });
});

test.each([
  [
    'colour=red',
    'Unknown query parameter colour; known parameters: limit, cursor, sort, fields, count, expand, where, explain, id',
  ],
  [
    'title[like]=a',
    'title[like]: expected an operator of title (eq, ne, gt, gte, lt, lte, in, contains, starts_with, eq_ci, contains_ci), got "like"',
  ],
  [
    'pages[contains]=1',
    'pages[contains]: expected an operator of pages (eq, ne, gt, gte, lt, lte, in), got "contains"',
  ],
  ['pages=many', 'pages'],
  [
    'sort=colour',
    'sort: expected names out of id, external_id, title, pages, price, version, created_at, updated_at, got "colour"',
  ],
  ['fields=-title', 'fields: expected names without a minus sign, got "-title"'],
  ['fields=colour', 'got "colour"'],
  ['count=about', 'count: expected exact, got "about"'],
  ['limit=1&limit=2', 'limit is given twice'],
  ['cursor=a&cursor=b', 'cursor is given twice'],
])('%s is refused', (search, detail) => {
  expect(complaint(search)).toStartWith('invalid_query: ');
  expect(complaint(search)).toContain(detail);
});
