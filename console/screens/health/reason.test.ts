import { expect, test } from 'bun:test';
import { libraryFile } from '../../../test/support/data/library.ts';
import type { Collection } from '../../api/declarations.ts';
import { reasonsOf } from './reason.ts';

const fields = libraryFile.books.fields as unknown as Collection['fields'];
const books: Collection = { ...libraryFile.books, fields, name: 'books', contract: false };
const items: Collection = { name: 'items', singular: 'item', fields: { name: { type: 'text' } }, contract: true };

function reasons(parameters: readonly string[], route = '/api/v2/books', method = 'GET', status = 200) {
  return reasonsOf({ method, route, status, parameters }, [books, items]);
}
const onePerOne = 'the records of books are looked at one by one until the page is full, and all of them if few match.';
const order =
  'sort has to compare all records that match, unless an index has their order. books has an index on id, isbn, author, follows, state + published_on, state + price.';
const advice = 'Fields that are often filtered or sorted by belong under "indexes" in the declaration of books.';

test('nothing is certain about conditions in JSON, and about paths', () => {
  expect(reasons(['where', 'author.name'])).toEqual([
    'Whether where and author.name can use an index depends on the database and on the order.',
  ]);
});

test('a filter that no index helps', () => {
  expect(reasons(['title[contains]', 'limit'])).toEqual([`title[contains] can use no index: ${onePerOne}`]);
  expect(reasons(['title[contains_ci]', 'isbn[eq_ci]'])).toEqual([
    `title[contains_ci] and isbn[eq_ci] can use no index: ${onePerOne}`,
  ]);
  expect(reasons(['author[ne]', 'tags[has]'])).toEqual([`author[ne] and tags[has] can use no index: ${onePerOne}`]);
});

test('a filter on a field without an index, with the advice to declare one', () => {
  expect(reasons(['pages[gte]'])).toEqual([`pages[gte] can use no index: ${onePerOne}`, advice]);
  expect(reasons(['price'])).toEqual([`price can use no index: ${onePerOne}`, advice]);
});

test('filters with an index are no reason', () => {
  for (const filter of ['id[gt]', 'isbn', 'author', 'follows', 'author[in]'])
    expect(reasons([filter, 'limit', 'fields', 'expand'])).toEqual([]);
  expect(reasons(['external_id'], '/api/v2/items')).toEqual([]);
});

test('a rule has an index, unless it is for some records only', () => {
  const unique = [['title', 'price'], { fields: ['pages'] }, { fields: ['price'], where: { pages: { is: 'set' } } }];
  const reasonsFor = (parameter: string) =>
    reasonsOf({ method: 'GET', route: '/api/v2/books', status: 200, parameters: [parameter] }, [{ ...books, unique }]);
  expect(reasonsFor('pages')).toEqual([]);
  expect(reasonsFor('title')).toEqual(['Whether title can use an index depends on the database and on the order.']);
  expect(reasonsFor('price')).toEqual([`price can use no index: ${onePerOne}`, advice]);
});

test('a filter that may have an index is called so', () => {
  const unsure = (name: string) => `Whether ${name} can use an index depends on the database and on the order.`;
  for (const filter of ['state', 'isbn[gte]', 'isbn[starts_with]', 'follows[is]'])
    expect(reasons([filter])).toEqual([unsure(filter)]);
  expect(reasons(['author', 'state'])).toEqual([]);
});

test('a filter with an index limits what the others compare', () => {
  expect(reasons(['author', 'title[contains]'])).toEqual([
    'title[contains] can use no index: each record that author leaves is compared.',
  ]);
});

test('an order names the indexes', () => {
  expect(reasons(['sort'])).toEqual([order, advice]);
  expect(reasons(['sort'], '/api/v2/items')).toEqual([
    'sort has to compare all records that match, unless an index has their order. items has an index on id, external_id.',
  ]);
});

test('a count and an export look at every record', () => {
  const all = 'title[contains] can use no index: every record of books is looked at.';
  expect(reasons(['title[contains]'], '/api/v2/books/export')).toEqual([all]);
  expect(reasons(['title[contains]', 'count'])).toEqual([
    all,
    'count goes through all records that match, not only those of the page.',
  ]);
  // The engines count a whole table without reading it.
  expect(reasons(['count'])).toEqual([]);
});

test('a bulk', () => {
  expect(reasons([], '/api/v2/books/bulk', 'POST')).toEqual([
    'A bulk is one commit: it takes longer with each of its rows.',
  ]);
});

test('nothing is said about what is not certain', () => {
  expect(reasons([])).toEqual([]);
  expect(reasons(['title[contains]'], '/api/v2/others')).toEqual([]);
  expect(reasons(['title[contains]'], '/api/v2/books/{id}')).toEqual([]);
  expect(reasons(['title[contains]'], '/api/v2/books', 'POST')).toEqual([]);
  expect(reasons(['title[contains]'], '/api/v2/books', 'GET', 400)).toEqual([]);
  expect(reasons(['title[contains]'], '/api/v2/books', 'GET', 503)).toHaveLength(1);
});
