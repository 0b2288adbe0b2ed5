import { expect, test } from 'bun:test';
import { orderOf } from './compare.ts';

const columns = ['integer', 'number', 'decimal', 'boolean', 'text', 'date'].map((type) => ({
  name: type,
  field: { type },
  isOwn: false,
}));
const id = { name: 'id', field: { type: 'integer' }, isOwn: true };

test.each([
  ['integer', ['-3', '9007199254740992', '9007199254740993']],
  ['number', ['-1e3', '-0.5', '1e-7', '0.1', '20']],
  ['decimal', ['"-2.50"', '"0.10"', '"9.99"', '"10.00"', '"92233720368547758.07"']],
  ['boolean', ['false', 'true']],
  ['text', ['""', '"A"', '"a"', '"a\\"b"', '"é"', '"\uffee"', '"📚"']],
  ['date', ['"0001-01-01"', '"1999-12-31"', '"2024-02-29"']],
])('%s, in both directions, and nulls last', (type, values) => {
  const rows = [...values, 'null'].map(
    (value, place) =>
      new Map([
        [type, value],
        ['id', String(place)],
      ]),
  );
  const mixed = rows.toReversed();
  expect(mixed.toSorted(orderOf([{ field: type, down: false }], [...columns, id]))).toEqual(rows);
  expect(mixed.toSorted(orderOf([{ field: type, down: true }], [...columns, id]))).toEqual([
    ...rows.slice(0, -1).reverse(),
    ...rows.slice(-1),
  ]);
});

test('equal records are in the order of their ids, whatever the direction', () => {
  const rows = ['2', '10', '9007199254740993'].map(
    (one) =>
      new Map([
        ['text', '"x"'],
        ['id', one],
      ]),
  );
  expect(rows.toReversed().toSorted(orderOf([{ field: 'text', down: true }], [...columns, id]))).toEqual(rows);
});
