/** Transactions that have to compile. */
import { type CreatedRecord, createClient, type Operations, ShelfError } from 'shelf-client';
import type { Shelf as Halls } from '../halls.d.ts';
import type { Author, Book, Publisher, Shelf } from '../shelf.d.ts';

const shelf = createClient<Shelf>({ url: 'http://127.0.0.1:8000' });
const book = null as unknown as Book;
const draft = { title: 'Dune', isbn: '9780441013593', price: '9.99' };

export async function operations(): Promise<void> {
  const none: undefined = await shelf.transaction((t) => {
    const publisher = t.publishers.create({ name: 'Sur' });
    const author = t.authors.create({ name: 'Borges', publisher });
    const first = t.books.create({ ...draft, author, pages: 412n, follows: null });
    t.books.create({ ...draft, author: 7, follows: first });
    t.reviews.create({ text: 'good', book: first });

    t.books.update(7, { author, in_stock: false }, { version: 3, where: { state: 'draft', 'author.name': 'x' } });
    t.books.update(book, { follows: first });
    t.books.update(first, {}, { where: { any: [{ pages: { gt: 5n } }] } });
    t.books.replace(first, { ...draft, author });
    t.books.add(7, { pages: 9007199254740993n, weight: -0.5, price: '-2.50' }, { version: 1 });
    t.books.add(first, { pages: 1n });
    t.items.add(7, { price: 0.5 });
    t.books.delete(7, { where: { in_stock: true } });
    t.books.delete(book);
    t.books.upsert({ isbn: '9780441013593' }, { title: 'Dune', price: '9.99', author });
    t.publishers.upsert({ name: 'Sur' }, {});

    t.books.check(7);
    t.books.check(book, { where: { state: 'published' } });
    t.books.check(first, { exists: true, version: 1 });
    t.books.check(7, { exists: false });
    t.books.check({ author: 7, pages: { is: 'null' } }, { count: { lt: 5, gte: 1 } });
    t.books.check({ id: 7, version: 2 }, { count: 1 });
    t.books.updateWhere({ state: 'draft' }, { state: 'published', author }, { count: { lte: 50 } });
    t.books.addWhere({ author: 7 }, { price: '0.50' });
    t.books.deleteWhere({ not: { in_stock: true } }, { count: { ne: 0 } });
    return undefined;
  });
  void none;
}

/** Ids and references may be of the same type as integers. */
export async function bigints(): Promise<void> {
  await shelf.transaction((t) => {
    t.books.check({ author: 7n, pages: { is: 'null' } }, { count: { lt: 5 } });
    t.books.check(7n, { exists: false });
    t.books.update(7n, { author: 3n }, { where: { author: 3n, state: 'draft' } });
    t.books.add(7n, { pages: 1n });
    t.books.delete(7n);
    t.books.create({ ...draft, author: 7n });
    t.books.upsert({ isbn: '9780441013593' }, { title: 'Dune', price: '9.99', author: 7n });
    t.books.updateWhere({ author: 7n }, { author: 8n });
    t.books.addWhere({ author: 7n }, { price: '0.50' });
    t.books.deleteWhere({ author: 7n });
  });
}

export async function results(): Promise<void> {
  const { author, deep, deleted, checked, absent, count, changes, title } = await shelf.transaction((t) => {
    const author = t.authors.create({ name: 'Borges' });
    return {
      author,
      deep: { books: [1, 2].map((id) => t.books.update(id, { author })), pair: [author, 'x'] as const },
      deleted: t.books.delete(3),
      checked: t.authors.check(7),
      absent: t.books.check(7, { exists: false }),
      count: t.books.deleteWhere({ state: 'draft' }),
      changes: t.changes,
      title: 'kept',
    };
  });
  author.id satisfies number;
  deep.books[0]?.version satisfies number | undefined;
  deep.pair[0].version satisfies number;
  deep.pair[1] satisfies 'x';
  [deleted.id, checked.version, count.count] satisfies number[];
  absent.version satisfies null;
  changes?.firstChange satisfies number | undefined;
  title satisfies string;

  const one = await shelf.transaction((t) => t.books.update(7, {}), {
    idempotencyKey: 'a',
    timeout: 5,
    signal: AbortSignal.timeout(1),
  });
  one.version satisfies number;

  const whole = await shelf.transaction(
    (t) => ({
      book: t.books.add(7, { pages: 1n }),
      publisher: t.publishers.upsert({ name: 'Sur' }, {}),
      made: t.authors.create({ name: 'x' }),
      count: t.books.addWhere({}, { pages: 1n }),
    }),
    { return: 'records' },
  );
  whole.book satisfies Book;
  whole.publisher satisfies Publisher;
  whole.made satisfies Author;
  whole.count.count satisfies number;
  // What a transaction resolves to is a target of the next one.
  await shelf.transaction((t) => t.authors.update(author, { name: 'y' }));
}

/** A part of a transaction can be a function of its own. */
export function withAuthor(t: Operations<Shelf>, name: string): CreatedRecord<Shelf, 'authors'> {
  return t.authors.create({ name });
}

export function fails(error: unknown): string | undefined {
  if (!(error instanceof ShelfError)) throw error;
  if (error.code === 'check_failed') return String(error.details.count satisfies number | undefined);
  const [problem] = error.problems;
  return `${error.operation satisfies number | undefined} ${error.collection satisfies string | undefined} ${problem?.pointer} ${problem?.operation} ${problem?.collection}`;
}

/** The key has all fields of one rule. */
export async function rules(): Promise<void> {
  await createClient<Halls>({ url: '' }).transaction((t) => {
    const hall = t.halls.create({ name: 'A' });
    t.seats.upsert({ hall, place: 1n }, { holder: 'Ada' });
    t.seats.upsert({ place: 2n, hall: 7 }, {});
    t.seats.upsert({ holder: 'Ada' }, { hall, place: 3n });
  });
}

/** Without generated types, fields have any type. */
export async function untyped(): Promise<number | undefined> {
  const any = createClient({ url: '' });
  const made = await any.transaction((t) => {
    const author = t.authors?.create({ name: 'x' });
    t.books?.create({ author, pages: 1n });
    t.books?.add(7, { pages: 1n });
    t.books?.upsert({ isbn: 'x' }, { title: 'x' });
    t.books?.upsert({ isbn: 'x', copy: 1n }, { title: 'x' });
    t.books?.check({ pages: 1n }, { count: 0 });
    return author;
  });
  return made?.id;
}
