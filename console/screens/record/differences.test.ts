import { expect, test } from 'bun:test';
import { differences } from './differences.ts';

const columns = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, field: { type: 'integer' }, isOwn: false }));
const values = (text: string) => new Map([...text].map((value, place) => ['abcde'[place] ?? '', value]));

test('fields that only one has changed are taken from there; others are asked about', () => {
  const mine = new Map([
    ['b', '2'],
    ['c', '3'],
    ['d', '9'],
  ]);
  const found = differences(columns, values('11111'), mine, values('11394'));
  expect(found.map(({ column, yours, theirs, preset }) => [column.name, yours, theirs, preset])).toEqual([
    ['b', '2', '1', 'yours'],
    ['e', '1', '4', 'theirs'],
  ]);
  expect(differences(columns, values('11111'), mine, values('11511')).map(({ preset }) => preset)).toEqual([
    'yours',
    undefined,
    'yours',
  ]);
});

test('digits decide, not their value', () => {
  const found = differences(
    columns.slice(0, 1),
    values('1'),
    new Map([['a', '9007199254740993']]),
    new Map([['a', '9007199254740992']]),
  );
  expect(found.length).toBe(1);
  expect(found[0]?.preset).toBeUndefined();
});
