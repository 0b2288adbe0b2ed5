import { expect, test } from 'bun:test';
import { searchOf } from './query.ts';

const decoded = (options: Parameters<typeof searchOf>[0]) => decodeURIComponent(searchOf(options) ?? 'nothing');

test('options become parameters', () => {
  expect(searchOf({})).toBe('');
  expect(
    decoded({ where: { price: { gte: '10', lt: '20' }, state: 'published' }, sort: ['-price', 'title'], limit: 50 }),
  ).toBe('price[gte]=10&price[lt]=20&state[eq]=published&sort=-price,title&limit=50');
  expect(decoded({ fields: ['id', 'title'], expand: ['author'], count: 'exact', cursor: 'abc', sort: [] })).toBe(
    'cursor=abc&fields=id,title&expand=author&count=exact',
  );
});

test('values are written with every digit, and encoded', () => {
  expect(decoded({ where: { pages: { in: [9007199254740993n, -1n] }, weight: -0, in_stock: false } })).toBe(
    'pages[in]=9007199254740993,-1&weight[eq]=-0&in_stock[eq]=false',
  );
  expect(searchOf({ where: { title: 'a&b=c d+é' } })).toBe('title%5Beq%5D=a%26b%3Dc%20d%2B%C3%A9');
});

test('an empty in matches nothing', () => {
  expect(searchOf({ where: { author: { in: [] } } })).toBeUndefined();
});

test.each([
  [{ title: { in: ['a,b', 'c'] } }, 'where: title[in] has "a,b": a value of "in" cannot have a comma.'],
  [{ author: undefined }, 'where: author[eq] is undefined: expected a value to compare with.'],
  [{ author: { in: [1, undefined] } }, 'where: author[in] is undefined: expected a value to compare with.'],
  [{ weight: Number.NaN }, 'where: weight[eq] is NaN: expected a value to compare with.'],
  [{ pages: null }, 'where: pages[eq] is null: expected a value to compare with.'],
  [{ title: '\ud800' }, '"\\ud800" has half of a surrogate pair.'],
])('%p is refused', (where, message) => {
  expect(() => searchOf({ where })).toThrow(message);
});
