/** The console judges a record as the server does. */
import { expect, test } from 'bun:test';
import { Failure } from '../../src/domain/errors.ts';
import { parseJson } from '../../src/domain/input/json.ts';
import { collection } from '../../src/domain/record/collection.ts';
import type { CollectionDeclaration } from '../../src/domain/record/declaration.ts';
import { objectOf } from '../../src/exact/json-text.ts';
import { brokenRules } from './check-rules.ts';
import { plain } from './json.ts';

const optional = { optional: true };
const fields = {
  text: { type: 'text', ...optional },
  whole: { type: 'integer', ...optional },
  other: { type: 'integer', ...optional },
  weight: { type: 'number', ...optional },
  price: { type: 'decimal', scale: 2, ...optional },
  lent: { type: 'boolean', ...optional },
  day: { type: 'date', ...optional },
  until: { type: 'date', ...optional },
  at: { type: 'timestamp', ...optional },
  state: { type: 'choice', of: ['new', 'old'], ...optional },
  words: { type: 'list', of: 'text', ...optional },
  numbers: { type: 'list', of: 'number', ...optional },
  owner: { type: 'reference', to: 'items', ...optional },
};

const conditions = [
  '{"text":{"contains_ci":"\u1e9e"}}',
  '{"text":{"starts_with":"a"}}',
  '{"text":{"gt":"\uffff"}}',
  '{"whole":9007199254740993}',
  '{"whole":{"gt":{"field":"other"}}}',
  '{"whole":{"in":[1,9007199254740993]}}',
  '{"whole":{"in":[]},"other":1}',
  '{"weight":{"lte":-0}}',
  '{"price":{"gte":"5"}}',
  '{"price":{"in":["1.5","0.00"]}}',
  '{"lent":true}',
  '{"until":{"gte":{"field":"day"}}}',
  '{"any":[{"until":{"is":"null"}},{"not":{"until":{"lt":{"field":"day"}}}}]}',
  '{"all":[{"day":{"gte":"2026-01-01"}},{"day":{"is":"set"}}]}',
  '{"at":{"gte":"2026-01-02"}}',
  '{"at":"2026-01-01T01:00:00+01:00"}',
  '{"state":{"ne":"old"}}',
  '{"words":{"has":"a, b"}}',
  '{"not":{"numbers":{"has":0}}}',
  '{"owner":{"in":[7,8]}}',
];

const values: Readonly<Record<string, readonly string[]>> = {
  text: ['null', '""', '"STRASSE \u00df"', '"a"', '"\ud83d\ude00"', '"\uffff"'],
  whole: ['null', '1', '9007199254740992', '9007199254740993', '-1'],
  other: ['null', '1', '9007199254740992'],
  weight: ['null', '-0', '0', '1e-7', '1e21'],
  price: ['null', '"5"', '"4.99"', '"1.50"', '"-0"'],
  lent: ['null', 'true', 'false'],
  day: ['null', '"2026-01-01"', '"2025-12-31"'],
  until: ['null', '"2026-01-01"', '"2025-12-31"'],
  at: ['null', '"2026-01-01T00:00:00Z"', '"2026-01-02T00:00:00+01:00"', '"2026-01-02T00:00:00.000Z"'],
  state: ['null', '"new"', '"old"'],
  words: ['null', '[]', '["a","b"]', '["x","a, b"]'],
  numbers: ['null', '[]', '[1,-0]', '[10,0.5]'],
  owner: ['null', '7', '9'],
};

test.each(conditions)('%s', (condition) => {
  const text = `{"singular":"one","fields":${JSON.stringify(fields)},"check":[{"where":${condition},"message":"no"}]}`;
  const { record } = collection('ones', JSON.parse(text, exact) as CollectionDeclaration);
  const shown = { ...(plain(text) as object), name: 'ones', contract: false } as Parameters<typeof brokenRules>[0];
  const names = Object.keys(fields).filter((name) => condition.includes(`"${name}"`));
  const outcomes = new Set<boolean>();
  for (const given of combinations(names)) {
    const found = brokenRules(shown, new Map(given));
    outcomes.add(found.size === 0);
    const broken = problemsOf(() => record.parse(parseJson(objectOf(given))));
    expect({ given, broken: [...found.keys()].sort() }).toEqual({ given, broken });
  }
  expect(outcomes.size).toBe(condition.includes('[]') ? 1 : 2);
});

test('a rule whose fields are not all known, or wrong, is left to the server', () => {
  const check = [{ where: { whole: { gt: { field: 'other' } } }, message: 'no' }];
  const of = { name: 'ones', singular: 'one', contract: false, fields: fields as never, check };
  expect(brokenRules(of, new Map([['whole', '1']])).size).toBe(0);
  expect(
    brokenRules(
      of,
      new Map([
        ['whole', '1.5'],
        ['other', '2'],
      ]),
    ).size,
  ).toBe(0);
  expect(
    brokenRules(
      of,
      new Map([
        ['whole', '1'],
        ['other', 'null'],
      ]),
    ).size,
  ).toBe(2);
});

function exact(_: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source ?? '';
  return typeof value === 'number' && String(value) !== source && /^-?[1-9]\d*$/.test(source) ? BigInt(source) : value;
}

function* combinations(names: readonly string[]): Generator<[string, string][]> {
  const [name, ...rest] = names;
  if (name === undefined) return yield [];
  for (const others of combinations(rest)) for (const value of values[name] ?? []) yield [[name, value], ...others];
}

function problemsOf(parse: () => unknown): string[] {
  try {
    parse();
    return [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return (error.problems ?? []).map(({ field = '' }) => field).sort();
  }
}
