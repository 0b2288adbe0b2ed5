import { describe, expect, test } from 'bun:test';
import { Failure, type Problem } from '../errors.ts';
import { parseJson } from '../input/json.ts';
import { collection } from './collection.ts';

const books = collection('books', {
  singular: 'audio_book',
  fields: { title: { type: 'text' }, weight: { type: 'number' }, pages: { type: 'integer' } },
  first: { title: 'One', weight: 0.5, pages: 100 },
  contract: { operations: [], id: 'id' },
});

const parse = (body: string) => books.parse(parseJson(body));

function problems(body: string): readonly Problem[] {
  try {
    parse(body);
  } catch (error) {
    if (error instanceof Failure) return error.problems ?? [];
    throw error;
  }
  return [];
}

test('a record is parsed without its unknown fields, and encoded in the declared order', () => {
  const row = parse('{"pages":3,"extra":true,"weight":1,"title":"T","id":7}');
  expect(row).toEqual({ id: 7n, title: 'T', weight: 1, pages: 3n });
  expect(books.encode(row)).toBe('{"id":7,"title":"T","weight":1,"pages":3}');
});

test.each([
  '{"id":-9223372036854775808,"title":"","weight":5e-324,"pages":9223372036854775807}',
  '{"id":9007199254740993,"title":"\u{1f600}\\u2028 \\"\\\\","weight":-0,"pages":0}',
  '{"id":0,"title":"é","weight":1.7976931348623157e+308,"pages":-1}',
])('%s keeps its values when it is encoded and parsed', (body) => {
  const row = parse(body);
  expect(parse(books.encode(row))).toEqual(row);
  expect(Object.is(row.weight, JSON.parse(body).weight)).toBe(true);
});

describe('a refusal names every problem at once', () => {
  const range = 'must be an integer from -9223372036854775808 to 9223372036854775807';
  test.each([
    ['{}', 'id is required, title is required, weight is required, pages is required'],
    [
      '{"id":"7","title":7,"weight":true}',
      'id must be an integer, title must be a string, weight must be a number, pages is required',
    ],
    ['{"id":1.5,"title":"t","weight":null,"pages":1}', 'id must be an integer, weight must be a number'],
    ['{"id":9223372036854775808,"title":"t","weight":1,"pages":1e400}', `id ${range}, pages ${range}`],
    [
      '{"id":1.00000000000000000001,"title":"t","weight":1,"pages":1e-400}',
      'id must be an integer, pages must be an integer',
    ],
    ['{"id":1,"title":"t","weight":1e400,"pages":1}', 'weight must be a number that a 64-bit double can hold'],
    [
      '{"id":1,"title":"\\ud800","weight":1,"pages":1}',
      'title must be well-formed Unicode (it has half of a surrogate pair)',
    ],
    ['{"id":1,"title":"a\\u0000b","weight":1,"pages":1}', 'title must not contain the character U+0000'],
    ['[]', 'the body must be a JSON object'],
    ['null', 'the body must be a JSON object'],
    ['7', 'the body must be a JSON object'],
  ])('%s', (body, expected) => {
    expect(
      problems(body)
        .map(({ field, message }) => `${field ?? 'the body'} ${message}`)
        .join(', '),
    ).toBe(expected);
  });
});

test('the schema is named for one record', () => {
  expect(books.schemaName).toBe('AudioBook');
});
