/** Every mistake in the rules that each record meets, each with the path to it. */
import { expect, test } from 'bun:test';
import { collection } from '../../domain/record/collection.ts';
import type { CollectionDeclaration } from '../../domain/record/declaration.ts';
import { readDeclarations } from '../check.ts';
import { checkStored } from '../check-stored.ts';
import { Mistakes } from '../mistakes.ts';

const fields = {
  title: 'text',
  code: { type: 'text', max: 10_000 },
  number: { type: 'integer', optional: true },
  tags: { type: 'list', of: 'text' },
  lent_on: 'date',
  due_on: { type: 'date', optional: true },
  before: { type: 'reference', to: 'loans', optional: true },
  data: 'json',
};
const message = 'is wrong';

function mistakesOf(check: unknown, more: object = {}): readonly string[] {
  const mistakes = new Mistakes();
  readDeclarations({ loans: { singular: 'loan', fields, check, ...more } }, '', {}, mistakes);
  return mistakes.lines.map((line) => line.replace('.loans.', ''));
}
const where = (condition: unknown) => mistakesOf([{ where: condition, message }]);

test('rules of every form are right, with every operator', () => {
  const conditions = [
    { due_on: { gte: { field: 'lent_on' } } },
    { number: 1 },
    { number: { in: [1, 2], ne: 3, gt: 0, lt: 9, lte: 8 } },
    { any: [{ due_on: { is: 'null' } }, { not: { tags: { has: 'x' }, title: { contains: 'x', starts_with: 'y' } } }] },
    { all: [{ code: { eq_ci: 'x' } }, { code: { contains_ci: 'x' } }] },
    { before: { is: 'set' } },
  ];
  expect(mistakesOf(conditions.map((one) => ({ where: one, message })))).toEqual([]);
});

test('a list of rules, each with a condition and a message', () => {
  const such =
    '[{ "where": { "due_on": { "gte": { "field": "lent_on" } } }, "message": "is before the day of lending" }]';
  expect(mistakesOf({})).toEqual([`check: must be a list of rules, such as ${such}, not an object`]);
  const right = { number: 1 };
  const needed = 'must say what is wrong, to follow the name of a field, not';
  const long = 'must have at most 200 characters, none of them a control character';
  expect(
    mistakesOf([
      'number',
      { message },
      { where: right },
      { where: { number: 2 }, message: ' ' },
      { where: { number: 3 }, message: 'x'.repeat(201) },
      { where: { number: 4 }, message: 'a\nb' },
      { where: { number: 5 }, message: '\ud800' },
      { where: { number: 6 }, message: 'x'.repeat(200), were: 1 },
      { where: right, message: 'is something else' },
    ]),
  ).toEqual([
    'check[0]: must be an object with "where" and "message", not "number"',
    'check[1].where: must be an object with conditions, not undefined',
    `check[2].message: ${needed} undefined`,
    `check[3].message: ${needed} " "`,
    `check[4].message: ${long}`,
    `check[5].message: ${long}`,
    `check[6].message: ${long}`,
    'check[7].were: there is no such option; did you mean "where"?',
    'check[8]: is there already; remove one of them',
  ]);
  expect(mistakesOf(Array.from({ length: 21 }, (_, n) => ({ where: { number: n }, message })))).toEqual([
    'check: has 21 rules; at most 20 are possible',
  ]);
});

test('a condition is on fields of the record itself, and depends on one', () => {
  expect(where({})).toEqual(['check[0].where: must be an object with conditions, not an object']);
  expect(where('x')).toEqual(['check[0].where: must be an object with conditions, not "x"']);
  expect(where({ not: { number: { in: [] } } })).toEqual([
    'check[0].where: must compare at least one field with a value',
  ]);
  expect(
    where({
      numbr: 1,
      version: 1,
      number: { over: 1, gt: 'x' },
      'before.title': 'x',
      data: { eq: 1 },
      title: { is: 'null' },
    }),
  ).toEqual([
    expect.stringMatching(/^check\[0\]\.where\.numbr: unknown field; known fields: title, code, number, [^;]*, data$/),
    expect.stringMatching(/^check\[0\]\.where\.version: unknown field; /),
    'check[0].where.number.over: is no operator of this field: it has eq, ne, gt, gte, lt, lte, in, is',
    expect.stringMatching(/^check\[0\]\.where\.number\.gt: must be /),
    'check[0].where.before.title: leads to another record, which may change alone: a rule can name fields of its own record',
    'check[0].where.data: cannot be filtered by: json has no operators',
    expect.stringMatching(/^check\[0\]\.where\.title\.is: is no operator of this field/),
  ]);
});

test('a condition is bounded as a filter is', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
  expect(where({ number: { in: numbers(100) } })).toEqual([]);
  const long = 'a text that is compared without case needs "max" of 10000 or less';
  expect(where({ not: { title: { contains_ci: 'x', eq_ci: 'y' } } })).toEqual([`check[0].where.title: ${long}`]);
  expect(where({ number: { in: numbers(101) } })).toEqual(['check[0].where: has 101 values: at most 100 together']);
});

test('a field with a mistake of its own is one mistake', () => {
  expect(mistakesOf([{ where: { due_on: '2026-01-01' }, message }], { fields: { ...fields, due_on: 'dat' } })).toEqual([
    'fields.due_on.type: there is no type "dat"; did you mean "date"?',
  ]);
});

test('the first record meets every rule', () => {
  const first = { title: 'x', code: 'x', tags: [], lent_on: '2026-02-01', data: 1 };
  const check = [{ where: { due_on: { gte: { field: 'lent_on' } } }, message }];
  expect(mistakesOf(check, { first: { ...first, due_on: '2026-02-01' } })).toEqual([]);
  expect(mistakesOf(check, { first: { ...first, due_on: '2026-01-01' } })).toEqual([
    'first.due_on: is wrong',
    'first.lent_on: is wrong',
  ]);
});

test('what a database has is checked in the same way, without what a newer Shelf may have added', () => {
  const stored = (check: unknown, more: object = {}) =>
    checkStored({ loans: { now: { singular: 'loan', fields: { ...fields, ...more }, check }, earlier: [] } });
  expect(stored([{ where: { numbr: 1 }, message }])).toStartWith('loans.check[0].where.numbr: unknown field');
  expect(stored([{ where: { number: 1 } }])).toStartWith('loans.check[0].message: must say');
  expect(stored([{ where: { number: 1 }, message, newer: 1 }])).toBeObject();
  expect(stored([{ where: { place: { near: 'x' } }, message }], { place: { type: 'point' } })).toBeObject();
});

test('compiled, a rule has the fields of its condition', () => {
  const declaration = {
    singular: 'loan',
    fields: { due_on: { type: 'date', optional: true }, lent_on: { type: 'date' } },
    check: [{ where: { any: [{ due_on: { is: 'null' } }, { lent_on: { lte: { field: 'due_on' } } }] }, message }],
  } as CollectionDeclaration;
  expect(collection('loans', declaration).checks).toEqual([
    {
      fields: ['due_on', 'lent_on'],
      message,
      condition: '{"any":[{"due_on":{"is":"null"}},{"lent_on":{"lte":{"field":"due_on"}}}]}',
      where: expect.any(Array),
    },
  ]);
});
