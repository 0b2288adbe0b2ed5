/** The filter language for a record in memory. */
import { describe, expect, test } from 'bun:test';
import { library } from '../../../test/support/data/library.ts';
import type { Problem } from '../errors.ts';
import { parseJson } from '../input/json.ts';
import type { Collection } from '../record/collection.ts';
import type { FieldValue } from '../types/type.ts';
import { compareStored, type Lookup, matcher } from './match.ts';
import { readWhere } from './read-where.ts';

type Values = Readonly<Record<string, FieldValue>>;

const byName = (name: string) => library.find((one) => one.name === name) as Collection;

/** As it is in memory: decimals are text, lists JSON. */
const book: Values = {
  id: 7,
  title: 'Straße',
  isbn: '9780000000007',
  pages: null,
  weight: -0,
  price: '12.30',
  state: 'draft',
  in_stock: true,
  published_on: '1944-02-29',
  seen_at: null,
  tags: '["classic","a,b"]',
  ratings: '[9007199254740993,5]',
  meta: null,
  author: 3n,
  follows: null,
  version: 1,
  created_at: '2026-11-15T09:30:00.000Z',
  updated_at: '2026-11-15T09:30:00.000Z',
};
const records: Readonly<Record<string, Values>> = {
  authors3: { id: 3, name: 'Borges', born: null, publisher: 2n },
  authors4: { id: 4, name: 'Bioy', born: '1914-09-15', publisher: null },
  publishers2: { id: 2, name: 'Sur' },
};
const lookUp: Lookup = ({ name }, recordId) => records[`${name}${recordId}`];

function matches(json: string, values: Values = {}): boolean {
  const problems: Problem[] = [];
  const where = readWhere(byName('books'), parseJson(json), byName, problems);
  expect(problems).toEqual([]);
  return matcher(byName('books'), where, lookUp)({ ...book, ...values });
}

describe.each([
  // Every operator, with a value that matches and one that does not.
  ['eq', '{"price":"12.3"}', '{"price":"12.31"}'],
  ['eq of a boolean', '{"in_stock":true}', '{"in_stock":false}'],
  ['eq of zeros', '{"weight":0}', '{"weight":1e-300}'],
  ['ne', '{"state":{"ne":"published"}}', '{"state":{"ne":"draft"}}'],
  ['gt, by value', '{"price":{"gt":"9.99"}}', '{"price":{"gt":"12.30"}}'],
  ['gte', '{"price":{"gte":"12.30"}}', '{"price":{"gte":"12.31"}}'],
  ['lt', '{"published_on":{"lt":"1944-03-01"}}', '{"published_on":{"lt":"1944-02-29"}}'],
  ['lte', '{"published_on":{"lte":"1944-02-29"}}', '{"published_on":{"lte":"1944-02-28"}}'],
  ['gt of a day in a time', '{"created_at":{"gt":"2026-11-15"}}', '{"created_at":{"gt":"2026-11-16"}}'],
  ['in', '{"author":{"in":[1,3]}}', '{"author":{"in":[1,2]}}'],
  ['in without values', '{"not":{"author":{"in":[]}}}', '{"author":{"in":[]}}'],
  ['contains', '{"title":{"contains":"traß"}}', '{"title":{"contains":"strasse"}}'],
  ['starts_with', '{"title":{"starts_with":"Str"}}', '{"title":{"starts_with":"str"}}'],
  ['eq_ci', '{"title":{"eq_ci":"sTRAẞE"}}', '{"title":{"eq_ci":"STRASSE"}}'],
  ['contains_ci', '{"title":{"contains_ci":"TRAẞ"}}', '{"title":{"contains_ci":"ss"}}'],
  ['has', '{"tags":{"has":"a,b"}}', '{"tags":{"has":"a"}}'],
  ['has of an integer', '{"ratings":{"has":9007199254740993}}', '{"ratings":{"has":9007199254740992}}'],
  ['is', '{"pages":{"is":"null"}}', '{"pages":{"is":"set"}}'],
  ['several operators', '{"price":{"gt":"12","lt":"13"}}', '{"price":{"gt":"12","lt":"12.30"}}'],
  ['several members', '{"state":"draft","in_stock":true}', '{"state":"draft","in_stock":false}'],
  ['all', '{"all":[{"state":"draft"},{"id":7}]}', '{"all":[{"state":"draft"},{"id":8}]}'],
  ['any', '{"any":[{"state":"published"},{"id":7}]}', '{"any":[{"state":"published"},{"id":8}]}'],
  ['not', '{"not":{"state":"draft","id":8}}', '{"not":{"state":"draft","id":7}}'],
  ['no conditions', '{}', '{"not":{}}'],
  ['another field', '{"created_at":{"gte":{"field":"updated_at"}}}', '{"created_at":{"ne":{"field":"updated_at"}}}'],
  ['numbers of both kinds', '{"id":{"gt":{"field":"version"}}}', '{"id":{"eq":{"field":"version"}}}'],
  ['a path', '{"author.name":"Borges"}', '{"author.name":"Bioy"}'],
  ['a path through two references', '{"author.publisher.name":"Sur"}', '{"author.publisher.name":{"ne":"Sur"}}'],
])('%s', (_, right, wrong) => {
  test(right, () => expect(matches(right)).toBe(true));
  test(wrong, () => expect(matches(wrong)).toBe(false));
});

describe('null', () => {
  const onNull = [
    '{"pages":1}',
    '{"pages":{"ne":1}}',
    '{"pages":{"gt":1}}',
    '{"pages":{"lte":1}}',
    '{"pages":{"in":[1,2]}}',
    '{"pages":{"eq":{"field":"version"}}}',
    '{"pages":{"ne":{"field":"version"}}}',
    '{"version":{"ne":{"field":"pages"}}}',
    '{"pages":{"eq":{"field":"pages"}}}',
    '{"ratings":{"has":5}}',
    '{"follows.title":{"ne":"x"}}',
    '{"follows.title":{"eq_ci":"x"}}',
    '{"follows.pages":{"is":"null"}}',
  ];
  test.each(onNull)('%s is not true, and its negation is', (json) => {
    const values = { ratings: null };
    expect(matches(json, values)).toBe(false);
    expect(matches(`{"not":${json}}`, values)).toBe(true);
    expect(matches(`{"not":{"not":${json}}}`, values)).toBe(false);
    expect(matches(`{"any":[${json},{"id":7}]}`, values)).toBe(true);
  });

  test('a path to a record that is not there matches nothing', () => {
    expect(matches('{"author.id":{"ne":3}}', { author: 99n })).toBe(false);
    expect(matches('{"author.publisher.name":{"ne":"x"}}', { author: 4n })).toBe(false);
    expect(matches('{"author.publisher":{"is":"null"}}', { author: 4n })).toBe(true);
  });
});

test('a field that is absent is null', () => {
  const where = readWhere(byName('books'), parseJson('{"pages":{"is":"null"}}'), byName, []);
  expect(matcher(byName('books'), where)({})).toBe(true);
});

test('text is compared by its UTF-8 bytes, numbers by their values', () => {
  expect(compareStored('\u{1f600}', '\uffee')).toBeGreaterThan(0);
  expect(compareStored(9007199254740993n, 9007199254740992)).toBe(1);
  expect(compareStored(1, 1n)).toBe(0);
  expect(compareStored(1.5, 2n)).toBe(-1);
});
