/** Tallies against sums of big numbers, whatever the order of the rows. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { FieldDeclaration } from '../../../domain/record/declaration.ts';
import { bounds } from '../../../domain/summary/bounds.ts';
import { nearestDouble } from '../../../domain/summary/rounding.ts';
import { compileField } from '../../../domain/types/all-types.ts';
import type { Row } from './slices.ts';
import { Tallies } from './tallies.ts';

const field = (declared: FieldDeclaration) => compileField({ ...declared, optional: true });
const all = { sum: true, range: true, distinct: true };
const integers = { key: 'n', ...all, field: field({ type: 'integer' }) };
const texts = { key: 't', sum: false, range: true, distinct: true, field: field({ type: 'text' }) };
const doubles = { key: 'd', ...all, field: field({ type: 'number' }) };

function groupsOf(tallies: Tallies, rows: Iterable<Row>) {
  for (const row of rows) tallies.add(row);
  return [...tallies.groups()];
}

const anyRow = fc.tuple(
  fc.constantFrom('a', 'b', null),
  fc.option(fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.constantFrom(0n, 2n ** 63n - 1n))),
);

test('integers are added up with every digit', () => {
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 100 }), (rows) => {
      const found = groupsOf(new Tallies([texts.field], [integers]), rows);
      const expected = [...Map.groupBy(rows, ([key]) => key)].map(([key, some]) => {
        const values = some.map(([, value]) => value).filter((value) => value !== null);
        const sorted = values.toSorted((one, other) => (one < other ? -1 : 1));
        const sum = values.reduce((total, value) => total + value, 0n);
        const [min = null, max = null] = [sorted[0], sorted.at(-1)];
        const tally = { count: values.length, sum, min, max, distinct: new Set(values).size };
        return { values: [key], count: some.length, tallies: [tally] };
      });
      expect(found).toEqual(expected);
    }),
  );
});

test('a double is the same one, whether it is stored as an integer or not', () => {
  const rows: Row[] = [[5n], [5], [-0], [0n], [null], [2 ** 60], [BigInt(2 ** 60)]];
  const [sum] = groupsOf(new Tallies([], [doubles]), rows);
  expect(sum).toMatchObject({ count: 7, tallies: [{ count: 6, max: 2 ** 60, distinct: 3 }] });
  expect(nearestDouble(sum?.tallies[0]?.sum ?? 0n)).toBe(2 ** 61 + 10);
  expect(groupsOf(new Tallies([doubles.field], []), rows).map(({ count }) => count)).toEqual([2, 2, 1, 2]);
});

test('texts of any length are counted once, and none is taken for another', () => {
  const long = 'x'.repeat(1000);
  const digest = new Bun.CryptoHasher('sha256').update(long).digest('base64');
  const rows = [long, long, `${long}y`, digest, `'${digest}`, '', 'x'].map((text): Row => [text]);
  expect(groupsOf(new Tallies([], [texts]), rows)[0]?.tallies[0]).toMatchObject({
    distinct: 6,
    min: '',
    max: `${long}y`,
  });
});

test('groups differ if one of their values does', () => {
  const rows: Row[] = [
    ['a', 'b'],
    ['a', 'b'],
    ['a', null],
    ['a', ''],
    ['', 'a'],
    [null, 'a'],
    ['a=b', ''],
    ['a', '=b'],
    [null, null],
    ['null', null],
  ];
  const counts = groupsOf(new Tallies([texts.field, texts.field], []), rows).map(({ count }) => count);
  expect(counts).toEqual([2, 1, 1, 1, 1, 1, 1, 1, 1]);
});

test('without fields to group by there is one group', () => {
  const empty = { count: 0, sum: 0n, min: null, max: null, distinct: 0 };
  expect(groupsOf(new Tallies([], [integers]), [])).toEqual([{ values: [], count: 0, tallies: [empty] }]);
  expect(groupsOf(new Tallies([texts.field], [integers]), [])).toEqual([]);
});

test('the texts that are held at the same time have so many bytes', () => {
  const integer = integers.field;
  const text = (at: number) => `${at % 10}${'é'.repeat(2 ** 19 - 1)}x`;
  const rows = (count: number, row: (at: number) => Row) => Array.from({ length: count }, (_, at) => row(at));
  const inGroups = (count: number) =>
    groupsOf(
      new Tallies([texts.field, integer], []),
      rows(count, (at) => [text(at), BigInt(at)]),
    );
  expect(inGroups(16)).toHaveLength(16);
  expect(() => inGroups(17)).toThrow(`more than ${bounds.bytes} bytes of text`);
  // Only the longest text of a group counts.
  const longest = (count: number) =>
    groupsOf(
      new Tallies([integer], [texts]),
      rows(3 * count, (at) => [BigInt(at % count), text(at)]),
    );
  expect(longest(16)).toHaveLength(16);
  expect(() => longest(17)).toThrow(`more than ${bounds.bytes} bytes of text`);
});
