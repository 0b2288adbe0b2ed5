/** orval, with its client on fetch, with collections of a user. */
import {
  type BookDraft,
  type BookWhere,
  commitTransactionV2,
  createAuthorV2,
  createBookV2,
  deleteAuthorV2,
  listBooksV2,
  listChangesV2,
  patchBookV2,
  summarizeBooksV2,
} from './orval.gen';

const author = await createAuthorV2({ name: 'Borges' });
if (author.status !== 201) throw new Error(author.data.detail);
const draft: BookDraft = {
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
const made = await createBookV2(draft);
if (made.status !== 201) throw new Error(made.data.detail);
const least = await createBookV2({ title: 'x', isbn: '9780000000001', price: '1', author: author.data.id });
if (least.status !== 201) throw new Error(least.data.detail);
// @ts-expect-error there is no such choice
await createBookV2({ ...draft, state: 'gone' });
// @ts-expect-error an author is required
await createBookV2({ title: 'x', isbn: '9780000000002', price: '1' });
const taken = await createBookV2(draft);

const where: BookWhere = {
  any: [{ title: { contains_ci: 'FICC' } }, { 'author.name': 'Nobody' }],
  not: { updated_at: { lt: { field: 'created_at' } } },
};
// @ts-expect-error there is no such operator
export const wrong: typeof where = { title: { like: 'Ficciones' } };
const listed = await listBooksV2({
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
});
if (listed.status !== 200) throw new Error(`answered with ${listed.status}`);
const summary = await summarizeBooksV2({
  group: ['state', 'published_on.year'],
  measures: ['count', 'price.sum', 'pages.sum'],
  having: JSON.stringify({ count: { gte: 1 } }),
  sort: ['-price.sum'],
});
if (summary.status !== 200) throw new Error(`answered with ${summary.status}`);
const sums = summary.data.data.map((row) => [
  row.state satisfies 'draft' | 'published' | undefined,
  row['published_on.year'] satisfies number | null | undefined,
  row['price.sum'] satisfies string | null | undefined,
  row['pages.sum'] satisfies number | null | undefined,
]);
const stale = await patchBookV2(made.data.id, { price: '1' }, { headers: { 'If-Match': '"7"' } });
const patched = await patchBookV2(made.data.id, { pages: null, tags: [] });
if (patched.status !== 200) throw new Error(`answered with ${patched.status}`);
const referenced = await deleteAuthorV2(author.data.id);
const committed = await commitTransactionV2({
  operations: [
    { op: 'check', collection: 'books', where: {}, count: { eq: 2 } },
    { op: 'create', collection: 'authors', as: 'new', record: { name: 'Woolf' } },
    { op: 'update', collection: 'authors', id: { created: 'new' }, version: 1, record: { name: 'Virginia Woolf' } },
  ],
});
// @ts-expect-error an update has a record
await commitTransactionV2({ operations: [{ op: 'update', collection: 'books', id: 1 }] });
// @ts-expect-error there is no such operation
await commitTransactionV2({ operations: [{ op: 'merge', collection: 'books', id: 1 }] });
const changes = await listChangesV2({ after: 0, collection: 'books' });
if (changes.status !== 200) throw new Error(`answered with ${changes.status}`);
const prices = changes.data.data.flatMap((change) =>
  change.type === 'book.created' ? [change.record.price satisfies string] : [],
);

const report = {
  made: made.data,
  least: [least.data.state, least.data.pages, least.data.weight],
  taken: taken.status === 409 ? taken.data.type : undefined,
  titles: listed.data.data.map((row) => row.title satisfies string),
  sums,
  total: listed.data.total,
  stale: stale.status === 412 ? stale.data.type : undefined,
  patched: [patched.data.pages, patched.data.tags],
  referenced: referenced.status === 409 ? referenced.data.type : undefined,
  prices,
  committed: committed.status === 200 ? committed.data.results : undefined,
};
process.stdout.write(JSON.stringify(report));
