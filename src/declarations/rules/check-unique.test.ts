/** Every mistake in unique rules, each with the path to it. */
import { expect, test } from 'bun:test';
import { collection } from '../../domain/record/collection.ts';
import type { CollectionDeclaration } from '../../domain/record/declaration.ts';
import { readDeclarations } from '../check.ts';
import { checkStored } from '../check-stored.ts';
import { Mistakes } from '../mistakes.ts';

const fields = {
  title: 'text',
  isbn: { type: 'text', max: 13, unique: true },
  code: { type: 'text', max: 300 },
  shelf: { type: 'text', max: 300, default: 'A' },
  number: { type: 'integer', optional: true },
  price: { type: 'decimal', scale: 2 },
  weight: 'number',
  main: 'boolean',
  tags: { type: 'list', of: 'text' },
  state: { type: 'choice', of: ['lent', 'free'] },
  until: { type: 'date', optional: true },
  before: { type: 'reference', to: 'books', optional: true },
};

function mistakesOf(unique: unknown, more: object = {}): readonly string[] {
  const mistakes = new Mistakes();
  const books = { singular: 'book', fields: { ...fields, ...more }, unique };
  readDeclarations({ books }, '', {}, mistakes);
  return mistakes.lines.map((line) => line.replace('.books.', ''));
}

test('rules of every form are right', () => {
  expect(
    mistakesOf([
      ['before', 'number'],
      ['code', 'main', 'state'],
      ['before'],
      { fields: ['until', 'price'] },
      { fields: ['main'], where: { main: true } },
      { fields: ['number'], where: { until: { is: 'null' } } },
      { fields: ['number'], where: { until: { is: 'set' } } },
      {
        fields: ['shelf'],
        where: {
          any: [{ title: { contains: 'x', starts_with: 'y' } }, { weight: { lt: 0.5 }, price: { in: ['1', '2.5'] } }],
          not: { code: { ne: { field: 'shelf' } } },
        },
      },
    ]),
  ).toEqual([]);
});

test('a list of rules, each with fields that exist and can be unique', () => {
  expect(mistakesOf({})).toEqual(['unique: must be a list of rules, such as [["book", "copy"]], not an object']);
  expect(
    mistakesOf([
      'number',
      [],
      ['number', 'number'],
      ['number', 7],
      { where: { number: 1 } },
      { fields: 'number' },
      ['numbr', 'weight'],
      ['tags', 'number'],
      ['main'],
      ['title', 'number'],
      ['code', 'shelf'],
      ['shelf'],
      { fields: ['number', 'state'], were: {} },
    ]),
  ).toEqual([
    'unique[0]: must be a list of fields, or an object with "fields" and "where", not "number"',
    'unique[1]: must have a list of 1 to 10 different fields, not a list',
    'unique[2]: must have a list of 1 to 10 different fields, not a list',
    'unique[3]: must have a list of 1 to 10 different fields, not a list',
    'unique[4]: must be a list of fields, or an object with "fields" and "where", not an object',
    'unique[5]: must have a list of 1 to 10 different fields, not "number"',
    'unique[6]: there is no field "numbr"; did you mean "number"?',
    'unique[6]: a field of type number cannot be unique',
    'unique[7]: a field of type list cannot be unique',
    'unique[8]: a field of type boolean cannot be unique',
    'unique[9]: a unique text needs "max" of 500 or less',
    'unique[10]: the texts of an index need "max" of 500 or less together',
    'unique[11]: two records could not have the default of shelf: remove the default',
    'unique[12].were: there is no such option; did you mean "where"?',
  ]);
  expect(mistakesOf(Array.from({ length: 21 }, (_, n) => ({ fields: ['code'], where: { number: n } })))).toEqual([
    'unique: has 21 rules; at most 20 are possible',
  ]);
});

test('the same rule twice, in any order of its fields', () => {
  const where = { state: 'lent' };
  expect(
    mistakesOf([
      ['isbn'],
      ['number', 'state'],
      ['state', 'number'],
      { fields: ['state', 'number'], where },
      { fields: ['number', 'state'], where },
    ]),
  ).toEqual([
    'unique[0]: is there already: isbn is unique by itself; remove one of them',
    'unique[2]: is there already; remove one of them',
    'unique[4]: is there already; remove one of them',
  ]);
});

test('a condition is on fields of the record itself, and one that an index can hold', () => {
  const where = (condition: unknown) => mistakesOf([{ fields: ['number'], where: condition }]);
  const held = 'use eq, ne, gt, gte, lt, lte, in, is, contains, starts_with';
  expect(where({})).toEqual([
    'unique[0].where: must be an object with conditions, not an object: leave it out for all records',
  ]);
  expect(where('x')).toEqual([
    'unique[0].where: must be an object with conditions, not "x": leave it out for all records',
  ]);
  expect(
    where({
      stat: 'lent',
      version: 1,
      id: { gt: 5 },
      state: 'gone',
      number: { over: 1 },
      any: [{ tags: { has: 'x' } }, { title: { eq_ci: 'x', contains_ci: 'y' } }],
      'before.title': 'x',
      not: { until: { gt: { field: 'created_at' } } },
    }),
  ).toEqual([
    expect.stringMatching(/^unique\[0\]\.where\.stat: unknown field; known fields: title, isbn, [^;]*, before$/),
    expect.stringMatching(/^unique\[0\]\.where\.version: unknown field; /),
    expect.stringMatching(/^unique\[0\]\.where\.id: unknown field; /),
    'unique[0].where.state: must be one of lent, free',
    'unique[0].where.number.over: is no operator of this field: it has eq, ne, gt, gte, lt, lte, in, is',
    'unique[0].where.before.title: leads to another record, which may change alone: a rule can name fields of its own record',
    expect.stringMatching(/^unique\[0\]\.where\.not\.until\.gt\.field: must be a field of /),
    `unique[0].where.tags: an index cannot hold a condition with has: ${held}`,
    `unique[0].where.title: an index cannot hold a condition with eq_ci: ${held}`,
    `unique[0].where.title: an index cannot hold a condition with contains_ci: ${held}`,
  ]);
});

test('a condition is bounded', () => {
  const where = (condition: unknown) => mistakesOf([{ fields: ['number'], where: condition }]);
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
  expect(where({ number: { in: numbers(20) } })).toEqual([]);
  expect(where({ number: { in: numbers(20) }, weight: 1 })).toEqual([
    'unique[0].where: has 21 values: at most 20 together',
  ]);
  expect(where({ title: 'x'.repeat(988) })).toEqual([]);
  expect(where({ title: 'x'.repeat(989) })).toEqual(['unique[0].where: must have at most 1000 bytes']);
});

test('a field with a mistake of its own is one mistake', () => {
  expect(mistakesOf([{ fields: ['until', 'number'], where: { until: '2026-01-01' } }], { until: 'dat' })).toEqual([
    'fields.until.type: there is no type "dat"; did you mean "date"?',
  ]);
});

test('what a database has is checked in the same way, without what a newer Shelf may have added', () => {
  const stored = (unique: unknown, more: object = {}) =>
    checkStored({ books: { now: { singular: 'book', fields: { ...fields, ...more }, unique }, earlier: [] } });
  expect(stored([['numbr', 'state']])).toBe('books.unique[0]: there is no field "numbr"; did you mean "number"?');
  expect(stored([{ fields: ['number'], where: { tags: { has: "'; drop table books; --" } } }])).toStartWith(
    'books.unique[0].where.tags: an index cannot hold a condition with has',
  );
  expect(stored([{ fields: ['number'], where: { state: 'lent' }, newer: 1 }])).toBeObject();
  const newer = { place: { type: 'point' } };
  expect(stored([{ fields: ['place'], where: { place: { near: 'x' } } }], newer)).toBeObject();
});

test('compiled, a unique field is a rule of one field, and each rule has its condition', () => {
  const declaration = {
    singular: 'book',
    fields: { isbn: { type: 'text', unique: true }, number: { type: 'integer' }, state: { type: 'text' } },
    unique: [['number', 'state'], { fields: ['number'], where: { state: { ne: 'lent' } } }],
  } as CollectionDeclaration;
  expect(collection('books', declaration).unique).toEqual([
    { fields: ['isbn'] },
    { fields: ['number', 'state'] },
    {
      fields: ['number'],
      where: [{ field: 'state', operator: 'ne', values: ['lent'] }],
      condition: '{"state":{"ne":"lent"}}',
    },
  ]);
});
