/** Uses of the client that have to compile. */
import {
  type Change,
  createClient,
  type Json,
  type LiveList,
  type Resync,
  ShelfError,
  type WhereOf,
} from 'shelf-client';
import type { Shelf as Halls } from '../halls.d.ts';
import type { Author, Book, Publisher, Shelf } from '../shelf.d.ts';

const shelf = createClient<Shelf>({ url: 'http://127.0.0.1:8000', key: undefined });

export async function reads(): Promise<void> {
  const page = await shelf.books.list({
    where: {
      id: { gt: 7 },
      title: { contains: 'a', starts_with: 'b', ne: 'c' },
      pages: { gte: 100n, is: 'set' },
      weight: 0.5,
      price: { gte: '10', in: ['1', '2'] },
      state: { in: ['draft', 'published'] },
      in_stock: true,
      tags: { has: 'new' },
      ratings: { has: 5n, is: 'null' },
      author: 7,
      created_at: { lt: '2026-01-01T00:00:00Z' },
    },
    sort: ['-price', 'title', 'created_at'],
    limit: 50,
  });
  const book: Book | undefined = page.data[0];
  const cursor: string | null = page.next_cursor;
  const none: undefined = page.total;
  const { total } = await shelf.books.list({ count: 'exact' });
  const count: number = total + (await shelf.books.count({ where: { state: 'draft' } }));
  for await (const one of shelf.books.all({ where: { author: 7 }, fields: ['id', 'pages'] })) {
    const part: { id: number; pages: bigint | null } = one;
    void part;
  }
  const expanded = await shelf.books.list({ fields: ['id'], expand: ['author', 'follows.author'] });
  for (const { id, expanded: found } of expanded.data) {
    const author: Author | null = found.author;
    const before: Author | null | undefined = found.follows?.expanded.author;
    void [id satisfies number, author, before];
  }
  const one = await shelf.books.get(7, { expand: ['author.publisher'] });
  const publisher: Publisher | null | undefined = one.expanded.author?.expanded.publisher;
  void [book, cursor, none, count, publisher];
}

export async function conditions(): Promise<void> {
  const where: WhereOf<Shelf, 'books'> = {
    state: 'published',
    price: { gte: '5', lt: '20' },
    title: { contains_ci: 'a', eq_ci: 'b', ne: { field: 'isbn' } },
    seen_at: { gt: { field: 'created_at' }, is: 'set' },
    pages: { lt: { field: 'version' } },
    'author.name': { starts_with: 'B' },
    'author.publisher.name': 'Sur',
    'follows.pages': { in: [1n, 2n] },
    'follows.author.born': { lt: '1900-01-01' },
    'follows.created_at': { eq: { field: 'updated_at' } },
    any: [{ 'author.born': { is: 'null' } }, { tags: { has: 'classic' } }, { not: { in_stock: true } }],
    all: [{ any: [{ id: 7 }] }],
    not: { title: { starts_with: 'Draft' }, 'author.name': 'x' },
  };
  await shelf.books.list({ where });
  await shelf.books.count({ where: { any: [1n, 2n].map((pages) => ({ pages })) } });
  await shelf.reviews.list({ where: { 'book.author.name': { eq_ci: 'x' }, 'book.follows.state': 'draft' } });
}

export async function writes(): Promise<void> {
  const least = await shelf.books.create({ title: 'Dune', isbn: '9780441013593', price: '9.99', author: 7 });
  const all = await shelf.books.create({
    title: 'Dune',
    isbn: '9780441013593',
    pages: 412n,
    weight: 0.5,
    price: '9.99',
    state: 'published',
    in_stock: true,
    published_on: null,
    seen_at: null,
    tags: ['a'],
    ratings: [5n],
    meta: { any: ['thing', 1, 2n, null] } satisfies Json,
    author: 7,
    follows: null,
  });
  await shelf.books.update(least, { in_stock: false, pages: null });
  await shelf.books.update(all.id, {}, { signal: AbortSignal.timeout(1000), timeout: 500 });
  await shelf.books.replace(all, { title: 'Dune', isbn: '9780441013593', price: '9.99', author: 7 });
  await shelf.books.delete(all);
  await shelf.items.create({ external_id: 7n, name: 'Lamp', price: 20 });
  const { created }: { created: number } = await shelf.authors.createMany(new Set([{ name: 'Borges' }]), {
    onProgress: (progress) => void (progress.created satisfies number),
  });
  void created;
  const stored: { created: number; updated: number } = await shelf.books.createMany(
    [
      { isbn: '9780441013593', price: '9.99' },
      { isbn: '9780441013594', pages: null, author: 7 },
    ],
    { key: ['isbn'], onProgress: ({ first_id }) => void (first_id satisfies number | null) },
  );
  void stored;
  const halls = createClient<Halls>({ url: '' });
  await halls.seats.createMany([{ hall: 7, place: 1n, holder: 'Ada' }], { key: ['hall', 'place'] });
  await halls.seats.createMany([{ holder: 'Ada', place: 1n }], { key: ['holder'] });
  await createClient({ url: '' }).any?.createMany([{ a: 1, b: null }], { key: ['a'] });
}

export async function follows(): Promise<void> {
  for await (const change of shelf.books.changes({ after: 7 })) {
    if (change.type === 'resync') break;
    const { record, type }: { record: Book; type: 'book.created' | 'book.updated' | 'book.deleted' } = change;
    void [record, type];
  }
  for await (const change of shelf.changes()) {
    if (change.type === 'book.created') change.record satisfies Book;
    if (change.type === 'author.deleted') change.record satisfies Author;
  }
  const any: Change<Shelf, 'books'> | Resync = { seq: 1, type: 'resync' };
  void any;
  for await (const change of shelf.books.changes())
    if (change.type === 'book.updated') change.before?.pages satisfies bigint | null | undefined;
}

export async function stays(signal: AbortSignal): Promise<void> {
  const live: LiveList<Book> = shelf.books.live({
    where: {
      price: { gte: '5' },
      any: [{ pages: { is: 'null' } }, { title: { contains_ci: 'x' } }],
      not: { updated_at: { gt: { field: 'created_at' } } },
    },
    sort: ['-price', 'title', 'id'],
    signal,
  });
  for await (const books of live) {
    const first: Book | undefined = books[0];
    const copy: Book[] = [...books];
    void [first, copy];
    break;
  }
  const end: () => void = live.subscribe(
    (books) => void (books.length satisfies number),
    (error) => void (error.code satisfies string),
  );
  end();
  shelf.authors.live().subscribe((authors) => void (authors[0]?.born satisfies string | null | undefined));
  createClient({ url: '' }).books?.live({ where: { 'not known': 1 }, sort: ['-title'] });
}

export function fails(error: unknown): string {
  if (!(error instanceof ShelfError)) throw error;
  // A proxy can answer with any status.
  if (error.status === 412) return error.code satisfies 'precondition_failed' | 'unexpected_answer';
  if (error.code === 'already_exists')
    return String((error.details.id satisfies number) + (error.status satisfies 409));
  if (error.code === 'check_failed' || error.code === 'out_of_bounds' || error.code === 'too_many_records')
    return String(error.status satisfies 409);
  if (error.status === 409)
    return error.code satisfies 'reference_missing' | 'still_referenced' | 'plan_refused' | 'unexpected_answer';
  if (error.code === 'outcome_unknown') return error.idempotencyKey ?? '';
  return `${error.code} ${error.problems.map(({ field, detail, line }) => `${field} ${detail} ${line}`)}`;
}

/** A record has exactly the fields of its declaration. */
type Expected = {
  id: number;
  name: string;
  born: string | null;
  publisher: number | null;
  version: number;
  created_at: string;
  updated_at: string;
};
export const exact: Expected extends Author ? (Author extends Expected ? true : false) : false = true;

/** Without generated types, fields have any type. */
export async function untyped(): Promise<unknown> {
  const any = createClient({ url: '' });
  const page = await any.books?.list({ where: { title: 'x' }, sort: ['-title'], expand: ['author'] });
  await any.books?.list({ where: { 'author.name': 'x', any: [{ title: { eq_ci: 'x' } }], not: { a: 1n } } });
  return page?.data[0]?.title;
}
