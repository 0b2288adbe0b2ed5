/** The filter language in JSON: what it means, and every mistake with the path to it. */
import { describe, expect, test } from 'bun:test';
import { library } from '../../../test/support/data/library.ts';
import { Failure, type Problem } from '../errors.ts';
import { parseJson } from '../input/json.ts';
import { type Collection, collection } from '../record/collection.ts';
import { readWhere } from './read-where.ts';
import { maxConditions, maxContainedFolded, maxFolded, maxLevels, maxText, type Where } from './where.ts';

function named(name: string): Collection {
  const found = library.find((one) => one.name === name);
  if (found === undefined) throw new Failure('forbidden');
  return found;
}
const [books, reviews, authors, publishers] = ['books', 'reviews', 'authors', 'publishers'].map(named) as [
  Collection,
  Collection,
  Collection,
  Collection,
];

function read(json: unknown, of = books): Where {
  const problems: Problem[] = [];
  const where = readWhere(of, parseJson(typeof json === 'string' ? json : JSON.stringify(json)), named, problems);
  expect(problems).toEqual([]);
  return where;
}

/** The mistakes by their places. */
function mistakes(json: unknown, of = books): Record<string, string> {
  const problems: Problem[] = [];
  readWhere(of, parseJson(typeof json === 'string' ? json : JSON.stringify(json)), named, problems);
  const place = ({ at = [], field }: Problem) => (field === undefined ? '' : [...at, field].join('/'));
  expect(new Set(problems.map(place)).size).toBe(problems.length);
  return Object.fromEntries(problems.map((one) => [place(one), one.message]));
}

describe('meaning', () => {
  test('no members are no conditions', () => {
    expect(read({})).toEqual([]);
  });

  test('a value is compared by eq, and each operator is a condition', () => {
    expect(read({ state: 'draft', price: { gte: '5', lt: '20.5' } })).toEqual([
      { field: 'state', operator: 'eq', values: ['draft'] },
      { field: 'price', operator: 'gte', values: ['5.00'] },
      { field: 'price', operator: 'lt', values: ['20.50'] },
    ]);
  });

  test('any, all and not', () => {
    const [one, two] = [{ title: 'a' }, { in_stock: false }];
    const [first, second] = [
      { field: 'title', operator: 'eq', values: ['a'] },
      { field: 'in_stock', operator: 'eq', values: [false] },
    ];
    expect(read({ any: [one, two] })).toEqual([{ any: [[first], [second]] }] as unknown as Where);
    expect(read({ all: [one, two] })).toEqual([first, second] as unknown as Where);
    expect(read({ not: { ...one, ...two } })).toEqual([{ not: [first, second] }] as unknown as Where);
    expect(read({ any: [{}], not: {} })).toEqual([{ any: [[]] }, { not: [] }]);
  });

  test('an integer has every digit', () => {
    expect(read('{ "pages": 9007199254740993, "ratings": { "has": 9223372036854775807 } }')).toEqual([
      { field: 'pages', operator: 'eq', values: [9007199254740993n] },
      { field: 'ratings', operator: 'has', values: ['9223372036854775807'] },
    ]);
    expect(read('{"pages":{"in":[-9223372036854775808, 1e2, 7.0]}}')).toEqual([
      { field: 'pages', operator: 'in', values: [-9223372036854775808n, 100n, 7n] },
    ]);
  });

  test('a list without values is true for no record', () => {
    expect(read({ state: { in: [] } })).toEqual([{ any: [] }]);
  });

  test('null is asked for by name', () => {
    expect(read({ pages: { is: 'null' }, follows: { is: 'set' } })).toEqual([
      { field: 'pages', operator: 'is', values: ['null'] },
      { field: 'follows', operator: 'is', values: ['set'] },
    ]);
  });

  test('another field of the same record and type', () => {
    expect(read({ seen_at: { lt: { field: 'created_at' } } })).toEqual([
      { field: 'seen_at', operator: 'lt', values: [], other: 'created_at' },
    ]);
    expect(read({ 'book.title': { ne: { field: 'isbn' } } }, reviews)).toEqual([
      { field: 'title', operator: 'ne', values: [], other: 'isbn', via: [{ field: 'book', to: books }] },
    ]);
  });

  test('a path leads through at most two references', () => {
    expect(read({ 'author.publisher.name': 'Sur', 'author.id': { in: [1, 2] } })).toEqual([
      {
        field: 'name',
        operator: 'eq',
        values: ['Sur'],
        via: [
          { field: 'author', to: authors },
          { field: 'publisher', to: publishers },
        ],
      },
      { field: 'id', operator: 'in', values: [1n, 2n], via: [{ field: 'author', to: authors }] },
    ]);
  });

  test('where paths may not be followed, each is a mistake', () => {
    const problems: Problem[] = [];
    readWhere(books, parseJson('{"not":{"author.name":"a"}}'), () => ({ refused: 'leads away' }), problems);
    expect(problems).toEqual([{ field: 'author.name', at: ['not'], message: 'leads away' }]);
  });

  test('a path to records that the caller may not read is forbidden', () => {
    const readOnly = (name: string) => {
      throw new Failure('forbidden', { detail: name });
    };
    expect(() => readWhere(books, parseJson('{"author.name":"x"}'), readOnly, [])).toThrow('authors');
  });

  test('of two members with one name, the last counts', () => {
    expect(read('{"title":"a","title":"b"}')).toEqual([{ field: 'title', operator: 'eq', values: ['b'] }]);
  });
});

describe('mistakes', () => {
  test('all are found at once, each with its place', () => {
    const found = mistakes({
      colour: 'red',
      price: { gte: 5, like: '1' },
      any: [{ pages: 'many' }, 7, { not: { state: 'sold', tags: 'classic' } }],
      all: [],
      not: [],
      'author.born': { is: 'empty' },
      pages: { in: [1, 'x', null] },
      title: null,
      meta: 1,
    });
    expect(found).toEqual({
      colour: expect.stringContaining('unknown field; known fields: id, title, isbn'),
      'price/gte': 'must be a decimal number with at most 2 places, in a string',
      'price/like': 'is no operator of this field: it has eq, ne, gt, gte, lt, lte, in',
      'any/0/pages': expect.stringMatching(/^must be .*, without quotes$/),
      'any/1': 'must be an object of conditions',
      'any/2/not/state': 'must be one of draft, published',
      'any/2/not/tags': 'must be an object of operators: it has has',
      all: 'must be a list of at least one object of conditions',
      not: 'must be an object of conditions',
      'author.born/is': 'must be "null" or "set"',
      'pages/in/1': expect.stringMatching(/without quotes$/),
      'pages/in/2': 'cannot be null: compare with {"is":"null"}',
      title: 'cannot be null: compare with {"is":"null"}',
      meta: 'must be an object of operators: it has is',
    });
  });

  test.each(['[]', '"x"', '7', 'null', 'true'])('%s is no object', (text) => {
    expect(mistakes(text)).toEqual({ '': 'must be an object of conditions' });
  });

  test.each([
    [{ any: {} }, 'any'],
    [{ all: { title: 'a' } }, 'all'],
    [{ any: [] }, 'any'],
    [{ pages: { in: 1 } }, 'pages/in'],
    [{ pages: { in: { field: 'id' } } }, 'pages/in'],
    [{ title: { is: 'null' } }, 'title/is'],
    [{ title: { contains: { field: 'isbn' } } }, 'title/contains'],
    [{ in_stock: 'true' }, 'in_stock'],
    [{ in_stock: 1 }, 'in_stock'],
    [{ title: ['a'] }, 'title'],
    [{ published_on: '2026-02-30' }, 'published_on'],
    [{ title: 'a\0' }, 'title'],
    ['{"title":"\\ud800"}', 'title'],
    ['{"pages":1.5}', 'pages'],
    ['{"pages":9223372036854775808}', 'pages'],
    ['{"weight":1e400}', 'weight'],
  ])('%j: %s', (json, place) => {
    expect(Object.keys(mistakes(json))).toEqual([place]);
  });

  test('another field must be of the same type, and in the same record', () => {
    expect(
      mistakes({
        price: { lt: { field: 'weight' } },
        pages: { eq: { field: 'author' } },
        author: { ne: { field: 'follows' } },
        title: { gt: { field: 'author.name' } },
        isbn: { lte: { field: 'colour' } },
        id: { gte: { field: 7 } },
        version: { lt: { field: 'id', and: 1 } },
        published_on: { lt: {} },
        seen_at: { field: 'created_at' },
      }),
    ).toEqual({
      'price/lt/field': 'has another type than the field that is compared',
      'pages/eq/field': 'has another type than the field that is compared',
      'author/ne/field': 'has another type than the field that is compared',
      'title/gt/field': expect.stringContaining('must be a field of books: id, title'),
      'isbn/lte/field': expect.stringContaining('must be a field of books: id, title'),
      'id/gte': 'must be a value, or {"field":"name"}',
      'version/lt': 'must be a value, or {"field":"name"}',
      'published_on/lt': 'must be a value, or {"field":"name"}',
      'seen_at/field': expect.stringContaining('is no operator of this field'),
    });
  });

  test('paths', () => {
    expect(mistakes({ 'book.author.publisher.name': 'x' }, reviews)).toEqual({
      'book.author.publisher.name': 'leads through more than 2 references',
    });
    expect(mistakes({ 'title.name': 'x', 'author.colour': 'x', 'author.': 'x', '.': 1, '': 1 })).toEqual({
      'title.name': 'has title, which is no reference of books',
      'author.colour': expect.stringContaining('unknown field; authors has the fields: id, name'),
      'author.': expect.stringContaining('unknown field; authors has the fields'),
      '.': 'has , which is no reference of books',
      '': expect.stringContaining('unknown field; known fields'),
    });
  });

  test('a field without operators', () => {
    const notes = collection('notes', { singular: 'note', fields: { meta: { type: 'json' } } });
    expect(mistakes({ meta: { is: 'null' } }, notes)).toEqual({ meta: 'cannot be filtered by: json has no operators' });
  });

  test('names of properties that every object has are no fields', () => {
    expect(Object.keys(mistakes('{"__proto__":1,"constructor":{"toString":1}}'))).toEqual(['__proto__', 'constructor']);
    expect(Object.keys(mistakes('{"title":{"__proto__":1}}'))).toEqual(['title/__proto__']);
  });

  test('more levels than the limit', () => {
    const nested = (levels: number) => `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`;
    expect(mistakes(nested(maxLevels))).toEqual({});
    const place = Array(maxLevels + 1)
      .fill('not')
      .join('/');
    expect(mistakes(nested(maxLevels + 1))).toEqual({ [place]: 'is more than 5 levels of any, all and not deep' });
    // As deep as JSON may be.
    expect(Object.keys(mistakes(nested(999)))).toEqual([place]);
  });

  test('a text that is compared without case has a limit', () => {
    expect(read({ title: { eq_ci: 'x'.repeat(maxFolded) } })).toHaveLength(1);
    expect(mistakes({ title: { eq_ci: 'x'.repeat(maxFolded + 1), contains: 'x'.repeat(maxFolded + 1) } })).toEqual({
      'title/eq_ci': 'must have at most 1000 characters',
    });
  });

  test('texts have a limit together', () => {
    const of = (operator: string, length: number) => ({
      any: [{ title: { [operator]: 'x'.repeat(length - 1) } }, { not: { 'author.name': { [operator]: 'x' } } }],
    });
    expect(mistakes(of('contains', maxText))).toEqual({});
    expect(mistakes(of('contains', maxText + 1))).toEqual({ '': 'has 16385 characters: at most 16384 together' });
    expect(mistakes(of('contains_ci', maxContainedFolded))).toEqual({});
    expect(mistakes(of('contains_ci', maxContainedFolded + 1))).toEqual({
      '': 'has 301 characters in contains_ci: at most 300 together',
    });
  });

  const pages = (count: number) => Array.from({ length: count }, (_, n) => n);
  test.each([
    ['values', (count: number) => ({ pages: { in: pages(count) } })],
    ['alternatives', (count: number) => ({ any: pages(count).map((n) => ({ pages: n })) })],
    [
      'comparisons of fields',
      (count: number) => ({ all: pages(count).map(() => ({ id: { lt: { field: 'pages' } } })) }),
    ],
    ['empty alternatives', (count: number) => ({ any: pages(count).map(() => ({})) })],
    ['empty lists', (count: number) => ({ all: pages(count).map(() => ({ pages: { in: [] } })) })],
    ['empty negations', (count: number) => ({ all: pages(count).map(() => ({ not: {} })) })],
  ])('a hundred %s are the most', (_, of) => {
    expect(mistakes(of(maxConditions))).toEqual({});
    expect(mistakes(of(maxConditions + 1))).toEqual({ '': 'has 101 values: at most 100 together' });
  });

  const wrong = Array.from({ length: maxConditions + 1 }, (_, n) => `x${n}`);
  test.each([
    ['a list of values', { pages: { in: wrong } }],
    ['a list of alternatives', { any: wrong }],
    ['an object of conditions', Object.fromEntries(wrong.map((name) => [name, 1]))],
  ])('nothing in %s is looked at if it is too long', (_, one) => {
    expect(mistakes(one)).toEqual({ '': 'has 101 values: at most 100 together' });
    expect(mistakes({ any: [one, one] })).toEqual({ '': 'has 202 values: at most 100 together' });
  });

  test('of operators that a field does not have, some are named', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`x${n}`, 1]));
    expect(Object.keys(mistakes({ pages: { ...many, gte: 'a' } }))).toHaveLength(201);
  });

  test('an object is no value, whatever its members are called', () => {
    expect(mistakes({ title: { contains: { toString: 1 }, in: [{ valueOf: 1 }, [[]]] } })).toEqual({
      'title/contains': 'must be text without U+0000, in a string',
      'title/in/0': 'must be text without U+0000, in a string',
      'title/in/1': 'must be text without U+0000, in a string',
    });
  });
});
