import { expect, test } from 'bun:test';
import { orderOf, type Row } from './order.ts';

const types = new Map([
  ['price', 'decimal'],
  ['title', 'text'],
]);

/** The values of a field in their order. */
function sorted(
  sort: readonly string[],
  values: readonly unknown[],
  name = sort[0]?.replace('-', '') ?? '',
): unknown[] {
  const rows: Row[] = values.map((value, index) => ({ id: index + 1, [name]: value }));
  return rows.sort(orderOf(sort, types)).map((row) => row[name]);
}

test('decimals by their value, integers with every digit, doubles, booleans', () => {
  expect(sorted(['price'], ['10.00', '9.50', '-0.01', '-10.00', '0.00', '92233720368547758.07'])).toEqual([
    '-10.00',
    '-0.01',
    '0.00',
    '9.50',
    '10.00',
    '92233720368547758.07',
  ]);
  expect(sorted(['pages'], [9007199254740993n, 9007199254740992n, -1n])).toEqual([
    -1n,
    9007199254740992n,
    9007199254740993n,
  ]);
  expect(sorted(['-weight'], [0.5, 1e300, -0, 5e-324])).toEqual([1e300, 0.5, 5e-324, -0]);
  expect(sorted(['in_stock'], [true, false, true])).toEqual([false, true, true]);
});

test('texts by their bytes in UTF-8', () => {
  expect(sorted(['title'], ['\u{1f600}', '\ufffd', 'a', 'B', 'é', ''])).toEqual([
    '',
    'B',
    'a',
    'é',
    '\ufffd',
    '\u{1f600}',
  ]);
});

test('nulls come last in both directions, and ties are in the order of their ids', () => {
  expect(sorted(['pages'], [null, 2n, undefined, 1n])).toEqual([1n, 2n, null, undefined]);
  expect(sorted(['-pages'], [null, 2n, undefined, 1n])).toEqual([2n, 1n, null, undefined]);
  const rows: Row[] = [3, 1, 2].map((id) => ({ id, title: 'same', price: id === 2 ? '2.00' : '1.00' }));
  const idsBy = (...sort: string[]) => rows.toSorted(orderOf(sort, types)).map(({ id }) => id);
  expect(idsBy()).toEqual([1, 2, 3]);
  expect(idsBy('-title')).toEqual([1, 2, 3]);
  expect(idsBy('-id')).toEqual([3, 2, 1]);
  expect(idsBy('title', '-price')).toEqual([2, 1, 3]);
  expect(idsBy('-price', '-id')).toEqual([2, 3, 1]);
});
