import { expect, test } from 'bun:test';
import { parametersOf } from './parameters.ts';

test.each([
  ['/api/v2/books', []],
  ['/api/v2/books?title[contains]=secret&sort=-pages&limit=5', ['title[contains]', 'sort', 'limit']],
  ['/api/v2/books?price%5Bgte%5D=1&price%5blt%5d=2&tags[has]=a&tags[has]=b', ['price[gte]', 'price[lt]', 'tags[has]']],
  ['/api/v2/reviews?book.author.name%5Bin%5D=a&book.title=b&where={}', ['book.author.name[in]', 'book.title', 'where']],
  ['/api/v2/books?a.b.c.d=1&a..b=1&.a=1&a.=1&eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln=1', []],
  ['/api/v2/books?c2VjcmV0', []],
  ['/api/v2/books?c2VjcmV0==&%73ecret=1&a-b=1&limit', []],
  [`/api/v2/books?${'x'.repeat(65)}=1&x[${'y'.repeat(17)}]=1`, []],
  ['/x?limit=a?b=&sort=', ['limit', 'sort']],
])('%s', (target, names) => {
  expect(parametersOf(target)).toEqual(names);
});

test('no more than twenty', () => {
  const target = `/x?${Array.from({ length: 30 }, (_, n) => `p${n}=1`).join('&')}`;
  expect(parametersOf(target)).toHaveLength(20);
});
