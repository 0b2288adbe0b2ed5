/** Transactions of the client, against a server, also behind a proxy that loses requests and answers. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createClient } from '../../src/client/index.ts';
import { library } from '../support/data/library.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';
import { failureOf } from './failure-of.ts';
import { type Fault, type FaultyProxy, faultyProxy } from './faulty-proxy.ts';
import type { Shelf } from './shelf.d.ts';

let server: TestServer;
let proxy: FaultyProxy;
const connect = () => createClient<Shelf>({ url: proxy.url });
let shelf: ReturnType<typeof connect>;
beforeAll(async () => {
  server = await startServer({ collections: library });
  proxy = await faultyProxy(server.url);
  shelf = connect();
});
afterAll(async () => {
  await proxy.stop();
  await server.stop();
});

let isbns = 0;
const draft = (title = 'Ficciones') => ({ title, isbn: String(9780000000000 + ++isbns), price: '9.99' });
const newAuthor = async (name = 'Borges') => (await shelf.authors.create({ name })).id;
const newBook = async (more: object = {}) => shelf.books.create({ ...draft(), author: await newAuthor(), ...more });

describe('a transaction', () => {
  test('creates records that refer to each other', async () => {
    const { author, review, changes } = await shelf.transaction((t) => {
      const author = t.authors.create({ name: 'Borges', publisher: t.publishers.create({ name: 'Sur' }) });
      const first = t.books.create({ ...draft(), author });
      t.books.update(first, { follows: first, pages: 9007199254740993n });
      return { author, review: t.reviews.create({ text: 'good', book: first }), changes: t.changes };
    });
    expect({ author, review }).toEqual({ author: { id: 1, version: 1 }, review: { id: 1, version: 1 } });
    const book = await shelf.books.get(1, { expand: ['author.publisher'] });
    expect(book).toMatchObject({ author: author.id, follows: 1, pages: 9007199254740993n, version: 2 });
    expect(book.expanded.author?.expanded.publisher?.name).toBe('Sur');
    expect((changes?.lastChange ?? 0) - (changes?.firstChange ?? 0)).toBe(4);
  });

  test('does each operation, and resolves to what its function returned', async () => {
    const [a, b, c] = [await newBook({ pages: 5n }), await newBook(), await newBook()];
    const author = await newAuthor('Woolf');
    const results = await shelf.transaction((t) => {
      t.books.check({ id: { in: [a.id, b.id, c.id] }, version: 1 }, { count: 3 });
      return {
        updated: t.books.update(a, { title: 'changed' }),
        replaced: t.books.replace(
          b.id,
          { ...draft('replaced'), author },
          { version: 1, where: { 'author.name': 'Borges' } },
        ),
        added: t.books.add(
          a.id,
          { pages: 9007199254740993n, price: '0.01', weight: 0.25 },
          { where: { title: 'changed' } },
        ),
        deleted: t.books.delete(c),
        absent: t.books.check(c.id, { exists: false }),
        created: t.books.upsert({ isbn: '9789999999999' }, { title: 'new', price: '1', author }),
        found: t.books.upsert({ isbn: a.isbn }, { title: 'found', price: '2', author }),
        checked: t.authors.check(author, { version: 1, where: { name: 'Woolf' } }),
        all: [t.books.updateWhere({ author }, { in_stock: false }, { count: { lte: 3 } })],
        more: t.books.addWhere({ author, title: { in: [] } }, { pages: 1n }),
        none: t.books.deleteWhere({ title: 'nothing' }, { count: 0 }),
      };
    });
    expect(results).toEqual({
      updated: { id: a.id, version: 2 },
      replaced: { id: b.id, version: 2 },
      added: { id: a.id, version: 3 },
      deleted: { id: c.id, version: 1 },
      absent: { id: c.id, version: null },
      created: { id: c.id + 1, version: 1 },
      found: { id: a.id, version: 4 },
      checked: { id: author, version: 1 },
      all: [{ count: 3 }],
      more: { count: 0 },
      none: { count: 0 },
    });
    expect(await shelf.books.get(a.id)).toMatchObject({
      title: 'found',
      pages: 9007199254740998n,
      price: '2.00',
      weight: 0.75,
      in_stock: false,
      version: 5,
    });
    expect(await shelf.books.get(b.id)).toMatchObject({ title: 'replaced', author, in_stock: false });
  });

  test('returns whole records, with every digit', async () => {
    const book = await newBook({ pages: 9007199254740993n, meta: { n: 12345678901234567890n } });
    const { added, author, count, absent, changes } = await shelf.transaction(
      (t) => ({
        added: t.books.add(book, { pages: 2n }),
        author: t.authors.create({ name: 'Lem', born: '1921-09-12' }),
        count: t.books.check({ id: book.id }, { count: 1 }),
        absent: t.books.check(999_999, { exists: false }),
        changes: t.changes,
      }),
      { return: 'records' },
    );
    const { updated_at, ...rest } = book;
    expect(added).toEqual({ ...rest, pages: 9007199254740995n, version: 2, updated_at: expect.any(String) });
    expect(author).toEqual(await shelf.authors.get(author.id));
    expect([count, absent]).toEqual([{ count: 1 }, { id: 999_999, version: null }]);
    expect((changes?.lastChange ?? 0) - (changes?.firstChange ?? 0)).toBe(1);
  });

  test('that only checks has no changes', async () => {
    const author = await newAuthor();
    expect(await shelf.transaction((t) => [t.authors.check(author), t.changes])).toEqual([
      { id: author, version: 1 },
      null,
    ]);
  });
});

describe('a transaction that fails', () => {
  test('names the operation, its collection and the number that was found, and changes nothing', async () => {
    const { id: book, author } = await newBook();
    const failure = await failureOf(
      shelf.transaction((t) => {
        t.authors.update(author, { name: 'changed' });
        t.books.check({ author }, { count: { eq: 0 } });
        t.books.delete(book);
      }),
    );
    expect(failure).toMatchObject({ code: 'check_failed', status: 409, operation: 1, collection: 'books' });
    expect(failure.details).toMatchObject({ count: 1 });
    expect(failure.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    expect((await shelf.authors.get(author)).name).toBe('Borges');
  });

  test('has the code that the single call has', async () => {
    const { id: book, author, isbn } = await newBook();
    const stale = { id: book, version: 7 };
    const codeOf = async (call: Promise<unknown>) => {
      const { code, operation, collection } = await failureOf(call);
      return [code, operation, collection];
    };
    expect([
      await codeOf(shelf.transaction((t) => t.books.update(stale, {}))),
      await codeOf(shelf.transaction((t) => t.books.update(book, {}, { version: 7 }))),
      await codeOf(shelf.transaction((t) => t.books.delete(999_999))),
      await codeOf(shelf.transaction((t) => t.authors.delete(author))),
      await codeOf(shelf.transaction((t) => t.books.create({ ...draft(), isbn, author }))),
      await codeOf(shelf.transaction((t) => t.books.create({ ...draft(), author: 999_999 }))),
      await codeOf(shelf.transaction((t) => t.books.add(book, { price: '-10' }))),
      await codeOf(shelf.transaction((t) => t.books.check(book, { where: { state: 'published' } }))),
    ]).toEqual([
      ['precondition_failed', 0, 'books'],
      ['precondition_failed', 0, 'books'],
      ['not_found', 0, 'books'],
      ['still_referenced', 0, 'authors'],
      ['already_exists', 0, 'books'],
      ['reference_missing', 0, 'books'],
      ['out_of_bounds', 0, 'books'],
      ['check_failed', 0, 'books'],
    ]);
    const { problems } = await failureOf(shelf.transaction((t) => t.books.add(book, { price: '-10' })));
    expect(problems).toEqual([
      {
        field: 'price',
        detail: 'would be -0.01, which is out of its bounds',
        pointer: '#/operations/0/record/price',
        operation: 0,
        collection: 'books',
      },
    ]);
  });

  test('has every mistake of all operations, each with its place', async () => {
    const failure = await failureOf(
      shelf.transaction((t) => {
        const author = t.authors.create({ name: 'x', born: 'yesterday' });
        t.books.create({ ...draft(), isbn: '12', price: 'much', author });
        t.books.update(7, {}, { where: { pages: { gt: '5' as unknown as bigint } } });
        t.books.upsert({ isbn: '1' }, { title: 'x', price: '1', author });
        t.reviews.check({}, { count: { lt: -1 } });
        t.books.create({ ...draft(), author, follows: author as never });
      }),
    );
    expect([failure.code, failure.operation, failure.collection]).toEqual(['invalid_body', undefined, undefined]);
    expect(
      failure.problems.map(({ operation, collection, field, pointer }) => [operation, collection, field, pointer]),
    ).toEqual([
      [0, 'authors', 'born', '#/operations/0/record/born'],
      [1, 'books', 'isbn', '#/operations/1/record/isbn'],
      [1, 'books', 'price', '#/operations/1/record/price'],
      [2, 'books', 'pages', '#/operations/2/where/pages/gt'],
      [3, 'books', 'isbn', '#/operations/3/key/isbn'],
      [4, 'reviews', 'count', '#/operations/4/count/lt'],
      [5, 'books', 'follows', '#/operations/5/record/follows/created'],
    ]);
  });

  test('of too many operations has one problem of the whole', async () => {
    const failure = await failureOf(
      shelf.transaction((t) => {
        for (let index = 0; index <= 1000; index++) t.authors.create({ name: `${index}` });
      }),
    );
    expect(failure.problems).toEqual([{ field: 'operations', detail: 'has 1001 operations, and must have 1 to 1000' }]);
  });
});

describe('behind a faulty proxy', () => {
  const faults: readonly Fault[] = ['lose the request', 'lose the answer', 'cut the answer', { status: 502 }];

  test.each(faults.map((fault) => [fault]))('it is sent again after %p, and committed once', async (fault) => {
    const author = await newAuthor();
    const { id } = await newBook({ author });
    const before = proxy.seen.length;
    let calls = 0;
    proxy.next(fault, fault);
    const { added, made, changes } = await shelf.transaction((t) => {
      calls++;
      const made = t.books.create({ ...draft('once'), author, pages: 1n });
      return { added: t.books.add(id, { price: '1' }), made, changes: t.changes };
    });
    const sent = proxy.seen.slice(before);
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(3).fill('POST /api/v2/transactions'));
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect([calls, added]).toEqual([1, { id, version: 2 }]);
    expect((await shelf.books.get(id)).price).toBe('10.99');
    expect((await shelf.books.list({ where: { author, title: 'once' }, fields: ['id'] })).data).toEqual([
      { id: made.id },
    ]);
    expect((changes?.lastChange ?? 0) - (changes?.firstChange ?? 0)).toBe(1);
  });

  test('an answer that stays lost is outcome_unknown, and its key repeats the transaction', async () => {
    const author = await newAuthor();
    const lend = (options: { idempotencyKey?: string } = {}) =>
      shelf.transaction((t) => t.authors.update(author, { name: 'again' }), { ...options, return: 'records' });
    await shelf.authors.get(author);
    proxy.next(...Array<Fault>(5).fill('lose the answer'));
    const failure = await failureOf(lend());
    expect(failure.code).toBe('outcome_unknown');
    const { idempotencyKey = '' } = failure;
    expect(await lend({ idempotencyKey })).toMatchObject({ name: 'again', version: 2 });
    expect((await shelf.authors.get(author)).version).toBe(2);
    expect((await failureOf(shelf.transaction((t) => t.authors.delete(author), { idempotencyKey }))).code).toBe(
      'key_reused',
    );
  });

  test('it needs no declarations, unless it returns records', async () => {
    const fresh = connect();
    const before = proxy.declarations;
    await fresh.transaction((t) => t.authors.create({ name: 'x' }));
    expect(proxy.declarations).toBe(before);
    proxy.nextDeclarations({ status: 404 }, { status: 404 });
    const sent = proxy.seen.length;
    const records = fresh.transaction((t) => t.authors.create({ name: 'x' }), { return: 'records' });
    expect((await failureOf(records)).status).toBe(404);
    expect(proxy.seen.length).toBe(sent);
    proxy.nextDeclarations();
  });

  test('an answer that is not JSON is unexpected', async () => {
    proxy.next({ status: 200, body: '<h1>Welcome</h1>' });
    expect((await failureOf(shelf.transaction((t) => t.authors.check(1)))).code).toBe('unexpected_answer');
  });
});

test('a function that is async, or that collects nothing, sends nothing', async () => {
  const before = proxy.seen.length;
  // The type refuses it, and JavaScript does not.
  const untyped = shelf.transaction as unknown as (collect: (t: unknown) => unknown) => Promise<unknown>;
  expect((await failureOf(untyped(async () => {}))).code).toBe('invalid_argument');
  expect(await shelf.transaction((t) => ({ changes: t.changes, none: [] }))).toEqual({ changes: null, none: [] });
  const thrown = new Error('of the function');
  const throwing = shelf.transaction(() => {
    throw thrown;
  });
  expect(await throwing.catch((error) => error)).toBe(thrown);
  expect(proxy.seen.length).toBe(before);
});
