import { expect, test } from 'bun:test';
import { Decoder, isStale, readerOf } from './decode.ts';
import { reading } from './digits.ts';

const integers = { type: 'list', of: 'integer' };
const known = new Map([
  [
    'books',
    readerOf({
      singular: 'book',
      fields: {
        pages: { type: 'integer' },
        tags: { type: 'list', of: 'text' },
        ratings: integers,
        meta: { type: 'json' },
      },
    }),
  ],
]);

const read = (rows: string, tolerated: readonly string[] = []) =>
  reading(rows, (parsed) => {
    new Decoder(parsed, known, new Set(tolerated)).records('books', parsed.value as Record<string, unknown>[]);
    return parsed.value;
  });

const first = '{"id":1,"pages":1,"tags":["a"],"ratings":[1,2],"meta":{"a":5}}';
const firstRead = { id: 1, pages: 1n, tags: ['a'], ratings: [1n, 2n], meta: { a: 5 } };

test('every record of a list is read, whether a number is marked or not', () => {
  for (const [number, value] of [
    ['7', 7],
    ['1e400', 10n ** 400n],
    ['12345678901234567890', 12345678901234567890n],
  ])
    expect(read(`[${first},{"id":2,"pages":3,"tags":[],"ratings":[3],"meta":[${number}]}]`)).toEqual([
      firstRead,
      { id: 2, pages: 3n, tags: [], ratings: [3n], meta: [value] },
    ]);
});

test('the fields can be in any order, and some of all', () => {
  expect(read('[{"meta":null,"pages":5,"id":3},{"meta":1,"pages":null,"id":4}]')).toEqual([
    { meta: null, pages: 5n, id: 3 },
    { meta: 1, pages: null, id: 4 },
  ]);
});

test.each([
  ['pages', '"5"'],
  ['pages', '5.5'],
  ['pages', '1e23'],
  ['pages', '1e400'],
  ['pages', '5.00000000000000000001'],
  ['tags', '["a",1]'],
  ['ratings', '[1,"a"]'],
  ['added', '1'],
])('%s with %s does not fit', (field, value) => {
  const row = `{"${field}":${value}}`;
  const rows = field === 'pages' || field === 'ratings' ? [`[${row}]`, `[{"${field}":null},${row}]`] : [`[${row}]`];
  for (const text of rows) {
    let failure: unknown;
    try {
      read(text);
    } catch (error) {
      failure = error;
    }
    expect(isStale(failure)).toBe(true);
  }
});

test('a field that is tolerated is read as any JSON, whole', () => {
  expect(read('[{"ratings":[1,"a",1e400],"pages":"5"}]', ['books.ratings', 'books.pages'])).toEqual([
    { ratings: [1, 'a', 10n ** 400n], pages: '5' },
  ]);
});
