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

test('what brackets cannot say is JSON in where, with every digit', () => {
  const where = {
    price: { gte: '5', lt: { field: 'cost' } },
    'author.country': 'AR',
    title: { in: ['a,b', 'c'], contains_ci: 'é' },
    any: [{ pages: 9007199254740993n }, { weight: -0, in_stock: true }, { author: { in: [] } }],
    not: { 'author.name': { eq_ci: 'x' } },
  };
  const [inBrackets, json] = decoded({ where, limit: 5 }).split('&where=');
  expect(inBrackets).toBe('price[gte]=5&author.country[eq]=AR&title[contains_ci]=é');
  expect(json).toBe(
    '{"price":{"lt":{"field":"cost"}},"title":{"in":["a,b","c"]},"any":[{"pages":9007199254740993},{"weight":-0,"in_stock":true},{"author":{"in":[]}}],"not":{"author.name":{"eq_ci":"x"}}}&limit=5',
  );
});

test('words in any searched field have no operator', () => {
  expect(decoded({ where: { words: 'a b*', 'author.words': 'c', title: { words: 'd' } } })).toBe(
    'words=a b*&author.words=c&title[words]=d',
  );
  expect(decoded({ where: { any: [{ words: 'a' }] } })).toBe('where={"any":[{"words":"a"}]}');
});

test('a field can be called any or all, and not with a plain value', () => {
  expect(decoded({ where: { any: 'x', all: { contains: 'y' }, not: true } })).toBe(
    'any[eq]=x&all[contains]=y&not[eq]=true',
  );
});

test.each([
  [{ author: undefined }, 'where: author[eq] is undefined: expected a value to compare with.'],
  [{ author: { in: [1, undefined] } }, 'where: author[in] is undefined: expected a value to compare with.'],
  [{ weight: Number.NaN }, 'where: weight[eq] is NaN: expected a value to compare with.'],
  [{ created_at: new Date(0) }, 'where: created_at[eq] is Thu Jan 01 1970'],
  [{ any: [{ author: undefined }] }, 'where: any[0].author is undefined: expected a value to compare with.'],
  [{ not: { pages: { in: [1n, Number.NaN] } } }, 'where: not.pages.in[1] is NaN: expected a value to compare with.'],
  [{ all: [{ seen_at: new Date(0) }] }, 'where: all[0].seen_at is Thu Jan 01 1970'],
  [{ pages: null }, 'where: pages[eq] is null: expected a value to compare with.'],
  [{ title: '\ud800' }, '"\\ud800" has half of a surrogate pair.'],
])('%p is refused', (where, message) => {
  expect(() => searchOf({ where })).toThrow(message);
});
