/** Conditions as text, and what counts towards their limits. */
import { expect, test } from 'bun:test';
import { library } from '../../../test/support/data/library.ts';
import { Random } from '../../../test/support/data/random.ts';
import { parseJson } from '../input/json.ts';
import type { Collection } from '../record/collection.ts';
import { readWhere } from './read-where.ts';
import { directFilters, type Where, whereText } from './where.ts';

const byName = (name: string) => library.find((one) => one.name === name) as Collection;

function read(json: string): Where {
  return readWhere(byName('books'), parseJson(json), byName, []);
}

/** A filter with at most `levels` levels of any, all and not. */
function anyWhere(random: Random, levels: number): object {
  const inner = () => anyWhere(random, levels - 1);
  const group = () => Array.from({ length: 1 + random.below(3) }, inner);
  const members: readonly (readonly [string, () => unknown])[] = [
    ['title', () => random.pick(['a', 'b', { ne: { field: 'isbn' }, contains: 'c' }])],
    ['price', () => ({ gte: random.pick(['1', '2']), lt: '3' })],
    ['author.name', () => random.pick(['x', 'y'])],
    ['author.publisher.name', () => random.pick(['x', 'y'])],
    ...(levels === 0
      ? []
      : ([
          ['any', group],
          ['all', group],
          ['not', inner],
        ] as const)),
  ];
  return Object.fromEntries(members.filter(() => random.chance(0.6)).map(([name, value]) => [name, value()]));
}

/** The same JSON with its members and elements in another order. */
function shuffled(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return random.shuffled(value.map((one) => shuffled(one, random)));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(random.shuffled(Object.entries(value)).map(([key, one]) => [key, shuffled(one, random)]));
}

test('the text of conditions does not depend on the order of members and alternatives', () => {
  for (let seed = 0; seed < 500; seed++) {
    const random = new Random(seed);
    const json = anyWhere(random, 3);
    const other = JSON.stringify(shuffled(json, random));
    expect(whereText(read(other))).toBe(whereText(read(JSON.stringify(json))));
  }
});

test('conditions that differ have different texts', () => {
  const texts = [
    '{}',
    '{"title":"a"}',
    '{"title":{"ne":"a"}}',
    '{"title":{"eq_ci":"a"}}',
    '{"title":{"in":["a"]}}',
    '{"isbn":"a"}',
    '{"author.name":"a"}',
    '{"author.publisher.name":"a"}',
    '{"not":{"title":"a"}}',
    '{"not":{"not":{"title":"a"}}}',
    '{"any":[{"title":"a"},{"isbn":"b"}]}',
    '{"all":[{"title":"a"},{"isbn":"b"}]}',
    '{"not":{"title":"a","isbn":"b"}}',
    '{"not":{"title":"a"},"isbn":"b"}',
    '{"title":{"eq":{"field":"isbn"}}}',
    '{"title":"isbn"}',
    '{"pages":9007199254740993}',
    '{"pages":9007199254740992}',
    '{"title":{"in":[]}}',
    '{"not":{}}',
  ].map((json) => whereText(read(json)));
  expect(new Set(texts).size).toBe(texts.length);
});

test('all is the same as its members', () => {
  expect(whereText(read('{"all":[{"title":"a"},{"all":[{"isbn":"b"}]}]}'))).toBe(
    whereText(read('{"isbn":"b","title":"a"}')),
  );
});

test('an index can answer comparisons of own fields with values only', () => {
  const where = read(
    '{"title":"a","isbn":{"ne":{"field":"title"}},"author.name":"x","any":[{"pages":1}],"not":{"pages":2},"pages":{"gt":3}}',
  );
  expect(directFilters(where)).toEqual([
    { field: 'title', operator: 'eq', values: ['a'] },
    { field: 'pages', operator: 'gt', values: [3n] },
  ]);
});
