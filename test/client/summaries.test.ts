/** Summaries of the client: values as exact as the server has them, and what is refused. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type AnyShelf, createClient } from '../../src/client/index.ts';
import { declared, libraryFile } from '../support/data/library.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';
import { failureOf } from './failure-of.ts';
import type { Shelf } from './shelf.d.ts';

let server: TestServer;
const shelfAt = (url: string) => createClient<Shelf>({ url, retries: 0 });
let shelf: ReturnType<typeof shelfAt>;
beforeAll(async () => {
  const counts = { singular: 'tally', fields: { count: { type: 'integer' }, not: { type: 'integer' } } };
  server = await startServer({ collections: declared({ ...libraryFile, tallies: counts }) });
  shelf = shelfAt(server.url);
  const { id: author } = await shelf.authors.create({ name: 'Borges', born: '1899-08-24' });
  let isbn = 9780000000000;
  const book = {
    title: 'x',
    price: '0.10',
    author,
    get isbn() {
      return String(isbn++);
    },
  };
  const most = 9223372036854775807n;
  await shelf.books.create({ ...book, pages: most, weight: 0.1, published_on: '1944-02-29', state: 'published' });
  await shelf.books.create({ ...book, pages: most, weight: 0.2, published_on: '1944-12-31', state: 'published' });
  await shelf.books.create({ ...book, price: '0.25', weight: 3, seen_at: '2026-11-15T09:30:00Z' });
});
afterAll(() => server.stop());

test('every value has every digit, and its type', async () => {
  const found = await shelf.books.summary({
    group: ['state', 'published_on.year', 'published_on.quarter', 'seen_at.hour'],
    measures: [
      'count',
      'pages.sum',
      'pages.avg',
      'pages.max',
      'price.sum',
      'price.avg',
      'weight.sum',
      'weight.avg',
      'author.distinct',
      'isbn.min',
    ],
    sort: ['-weight.sum', 'published_on.quarter'],
  });
  const one = { count: 1, 'author.distinct': 1 };
  const pages = {
    'pages.sum': 9223372036854775807n,
    'pages.avg': '9223372036854775807.0000000',
    'pages.max': 9223372036854775807n,
  };
  const year = { state: 'published' as const, 'published_on.year': 1944, 'seen_at.hour': null };
  const price = { 'price.sum': '0.10', 'price.avg': '0.100000000' };
  expect(found).toEqual({
    data: [
      {
        ...{ state: 'draft', 'published_on.year': null, 'published_on.quarter': null, 'seen_at.hour': '2026-11-15T09' },
        ...{
          ...one,
          'pages.sum': null,
          'pages.avg': null,
          'pages.max': null,
          'price.sum': '0.25',
          'price.avg': '0.250000000',
        },
        ...{ 'weight.sum': 3, 'weight.avg': 3, 'isbn.min': '9780000000002' },
      },
      {
        ...year,
        'published_on.quarter': '1944-Q4',
        ...one,
        ...pages,
        ...price,
        'weight.sum': 0.2,
        'weight.avg': 0.2,
        'isbn.min': '9780000000001',
      },
      {
        ...year,
        'published_on.quarter': '1944-Q1',
        ...one,
        ...pages,
        ...price,
        'weight.sum': 0.1,
        'weight.avg': 0.1,
        'isbn.min': '9780000000000',
      },
    ],
    groups: 3,
  });
  const both = await shelf.books.summary({ measures: ['pages.sum', 'weight.sum'], where: { pages: { is: 'set' } } });
  expect(both.data).toEqual([{ 'pages.sum': 18446744073709551614n, 'weight.sum': 0.30000000000000004 }]);
});

test('all conditions are sent', async () => {
  const states = async (options: Parameters<typeof shelf.books.summary<'state', 'count' | 'pages.sum'>>[0]) => {
    const { data } = await shelf.books.summary({ group: ['state'], measures: ['count', 'pages.sum'], ...options });
    return data.map(({ state }) => state);
  };
  expect(await states({})).toEqual(['draft', 'published']);
  expect(await states({ sort: ['-count'], limit: 1 })).toEqual(['published']);
  expect(await states({ having: { 'pages.sum': { gt: 18446744073709551613n } } })).toEqual(['published']);
  expect(await states({ having: { not: { count: { gte: 2 } }, any: [{ count: 1 }, { count: 7 }] } })).toEqual([
    'draft',
  ]);
  expect(await states({ where: { 'author.born': { lt: '1900-01-01' }, weight: { gt: 1 } } })).toEqual(['draft']);
  // Without groups there is a row even if no record can match.
  expect(await shelf.books.summary({ where: { id: { in: [] } } })).toEqual({ data: [{ count: 0 }], groups: 1 });
});

test('a group can have the name of a measure', async () => {
  const any = createClient<AnyShelf>({ url: server.url });
  await any.tallies?.create({ count: 9007199254740993n, not: 2n });
  const found = await any.tallies?.summary({ group: ['count', 'not'], measures: ['count.sum'] });
  expect(found?.data).toEqual([{ count: 9007199254740993n, not: 2n, 'count.sum': 9007199254740993n }]);
  expect((await any.tallies?.summary({ group: ['not'] }))?.data).toEqual([{ not: 2n, count: 1 }]);
});

test('a mistake names its parameter', async () => {
  const wrong = { group: ['colour'], having: { count: { like: 1 } } } as object;
  const failure = await failureOf(shelf.books.summary(wrong));
  expect({ code: failure.code, problems: failure.problems }).toEqual({
    code: 'invalid_query',
    problems: [
      { field: undefined, detail: expect.stringMatching(/^has "colour": expected id, title/), parameter: 'group' },
      { field: 'count/like', detail: expect.any(String), parameter: 'having', pointer: '#/count/like' },
    ],
  });
  const without = { where: { state: undefined } } as object;
  expect(await failureOf(shelf.books.summary(without))).toMatchObject({
    code: 'invalid_argument',
    message: 'where: state is undefined: expected a value to compare with.',
  });
  const long = await failureOf(
    shelf.books.summary({ where: { title: { in: Array.from({ length: 99 }, () => 'x'.repeat(200)) } } }),
  );
  expect(long).toMatchObject({
    code: 'invalid_argument',
    message: expect.stringMatching(/^The address of this summary has/),
  });
});
