/** openapi-typescript and openapi-fetch, with collections of a user. */
import createClient from 'openapi-fetch';
import type { components, paths } from './openapi-fetch.gen';

const { GET, POST, PATCH, DELETE } = createClient<paths>({ baseUrl: process.argv[2] ?? '' });

const author = await POST('/api/v2/authors', { body: { name: 'Borges' } });
if (author.data === undefined) throw new Error(author.error.detail);
const draft: components['schemas']['BookDraft'] = {
  title: 'Ficciones',
  isbn: '9780802130303',
  pages: 174,
  weight: 0.1,
  price: '12.3',
  state: 'published',
  in_stock: false,
  published_on: '1944-01-01',
  seen_at: '2026-11-15T08:00:00.000Z',
  tags: ['a', 'b'],
  ratings: [5, 4],
  meta: { any: ['thing'] },
  author: author.data.id,
  follows: null,
};
const made = await POST('/api/v2/books', { body: draft });
if (made.data === undefined) throw new Error(made.error.detail);
const least = await POST('/api/v2/books', {
  body: { title: 'x', isbn: '9780000000001', price: '1', author: author.data.id },
});
// @ts-expect-error there is no such choice
await POST('/api/v2/books', { body: { ...draft, state: 'gone' } });
// @ts-expect-error an author is required
await POST('/api/v2/books', { body: { title: 'x', isbn: '9780000000002', price: '1' } });
const taken = await POST('/api/v2/books', { body: draft });

const where: components['schemas']['BookWhere'] = {
  any: [{ title: { contains_ci: 'FICC' } }, { 'author.name': 'Nobody' }],
  not: { updated_at: { lt: { field: 'created_at' } } },
};
// @ts-expect-error there is no such operator
export const wrong: typeof where = { title: { like: 'Ficciones' } };
const listed = await GET('/api/v2/books', {
  params: {
    query: {
      'price[gte]': '5',
      'state[in]': ['published'],
      'pages[is]': 'set',
      'tags[has]': 'b',
      in_stock: false,
      author: author.data.id,
      sort: ['-price', 'title'],
      expand: ['author'],
      count: 'exact',
      where: JSON.stringify(where),
    },
  },
});
const summary = await GET('/api/v2/books/summary', {
  params: {
    query: {
      group: ['state', 'published_on.year'],
      measures: ['count', 'price.sum', 'pages.sum'],
      having: JSON.stringify({ count: { gte: 1 } }),
      sort: ['-price.sum'],
    },
  },
});
const sums = summary.data?.data.map((row) => [
  row.state satisfies 'draft' | 'published' | undefined,
  row['published_on.year'] satisfies number | null | undefined,
  row['price.sum'] satisfies string | null | undefined,
  row['pages.sum'] satisfies number | null | undefined,
]);
const path = { id: made.data.id };
const stale = await PATCH('/api/v2/books/{id}', {
  params: { path, header: { 'If-Match': '"7"' } },
  body: { price: '1' },
});
const patched = await PATCH('/api/v2/books/{id}', { params: { path }, body: { pages: null, tags: [] } });
const referenced = await DELETE('/api/v2/authors/{id}', { params: { path: { id: author.data.id } } });
const committed = await POST('/api/v2/transactions', {
  body: {
    operations: [
      { op: 'check', collection: 'books', where: {}, count: { eq: 2 } },
      { op: 'create', collection: 'authors', as: 'new', record: { name: 'Woolf' } },
      { op: 'update', collection: 'authors', id: { created: 'new' }, version: 1, record: { name: 'Virginia Woolf' } },
    ],
  },
});
// @ts-expect-error an update has a record
await POST('/api/v2/transactions', { body: { operations: [{ op: 'update', collection: 'books', id: 1 }] } });
// @ts-expect-error there is no such operation
await POST('/api/v2/transactions', { body: { operations: [{ op: 'merge', collection: 'books', id: 1 }] } });
const changes = await GET('/api/v2/changes', { params: { query: { after: 0, collection: 'books' } } });
const prices = changes.data?.data.flatMap((change) =>
  change.type === 'book.created' ? [change.record.price satisfies string] : [],
);

const report = {
  made: made.data,
  least: [least.data?.state, least.data?.pages, least.data?.weight],
  taken: taken.error?.type,
  titles: listed.data?.data.map((row) => row.title satisfies string),
  sums,
  total: listed.data?.total,
  stale: stale.error?.type,
  patched: [patched.data?.pages, patched.data?.tags],
  referenced: referenced.error?.type,
  prices,
  committed: committed.data?.results,
};
process.stdout.write(JSON.stringify(report));
