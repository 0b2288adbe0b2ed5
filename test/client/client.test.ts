/** The typed client against a real server, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createClient, Digits, type Json, type WhereOf } from '../../src/client/index.ts';
import { failures } from '../../src/domain/errors.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { declared, library } from '../support/data/library.ts';
import { quickEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';
import { failureOf } from './failure-of.ts';
import { faultyProxy } from './faulty-proxy.ts';
import type { BookDraft, Shelf } from './shelf.d.ts';

let made = 0;
const isbn = () => String(9780000000000 + ++made);

async function collect<Value>(source: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const one of source) all.push(one);
  return all;
}

describe.each(quickEngines)('%s', (_, newUrl) => {
  let server: TestServer;
  const shelfAt = (url: string) => createClient<Shelf>({ url });
  let shelf: ReturnType<typeof shelfAt>;
  let author: number;
  const draft = (more: Partial<BookDraft> = {}): BookDraft => ({
    title: 'Dune',
    isbn: isbn(),
    price: '9.99',
    author,
    ...more,
  });
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), collections: library });
    shelf = shelfAt(server.url);
    const publisher = await shelf.publishers.create({ name: 'Sur' });
    ({ id: author } = await shelf.authors.create({ name: 'Borges', publisher: publisher.id }));
  });
  afterAll(() => server.stop());

  test('a record has the types of its declaration', async () => {
    const meta: Json = { b: 1.5, a: 12345678901234567890n, c: new Digits('0.12345678901234567890'), d: [1e308, -0] };
    const given = draft({
      pages: 9007199254740993n,
      weight: -0,
      price: '12.3',
      ratings: [-9223372036854775808n, 7n, 9223372036854775807n],
      tags: ['9007199254740993', '1e5'],
      published_on: '1944-01-01',
      seen_at: '2026-11-15T10:00:00+02:00',
      meta,
    });
    const book = await shelf.books.create(given);
    expect(book).toEqual({
      ...given,
      id: expect.any(Number),
      price: '12.30',
      state: 'draft',
      in_stock: true,
      seen_at: '2026-11-15T08:00:00.000Z',
      follows: null,
      version: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    } as never);
    expect(Object.is(book.weight, -0)).toBe(true);
    expect(await shelf.books.get(book.id)).toEqual(book);
    expect((await shelf.books.list({ where: { pages: 9007199254740993n } })).data).toEqual([book]);
  });

  test.each([9007199254740993n, -9223372036854775808n, 9223372036854775807n, 0n, 7n, -1n])(
    'the integer %d is exact',
    async (value) => {
      const item = await shelf.items.create({ external_id: value, name: 'exact', price: 1 });
      expect(item.external_id).toBe(value);
      expect(
        (await shelf.items.list({ where: { external_id: { gte: value, lte: value } }, sort: ['-id'], limit: 1 })).data,
      ).toEqual([item]);
    },
  );

  test.each([
    0.1,
    1e-7,
    -0,
    0,
    1e308,
    5e-324,
    Number.MAX_VALUE,
    0.30000000000000004,
    2 ** 53,
    1e21,
    -1.5,
    123456789012345680000,
  ])('the number %d is exact', async (value) => {
    const item = await shelf.items.create({ name: 'exact', price: value });
    expect(Object.is(item.price, value)).toBe(true);
    const { data } = await shelf.items.list({ where: { price: value, id: item.id } });
    expect(data.map(({ price }) => Object.is(price, value))).toEqual([true]);
  });

  test('update, replace and delete check the version of a record, and not that of an id', async () => {
    const book = await shelf.books.create(draft());
    const changed = await shelf.books.update(book, { in_stock: false, pages: 10n });
    expect(changed).toEqual({ ...book, in_stock: false, pages: 10n, version: 2, updated_at: changed.updated_at });

    for (const call of [
      () => shelf.books.update(book, { title: 'lost' }),
      () => shelf.books.replace(book, draft()),
      () => shelf.books.delete(book),
    ]) {
      const failure = await failureOf(call());
      expect([failure.code, failure.status]).toEqual(['precondition_failed', 412]);
    }
    expect(await shelf.books.get(book.id)).toEqual(changed);

    const replaced = await shelf.books.replace(changed, draft({ isbn: book.isbn, title: 'Emma' }));
    expect([replaced.title, replaced.pages, replaced.in_stock, replaced.version]).toEqual(['Emma', null, true, 3]);
    expect((await shelf.books.update(book.id, { title: 'any version' })).version).toBe(4);
    await shelf.books.delete(book.id);
    const missing = await failureOf(shelf.books.get(book.id));
    expect([missing.code, missing.status]).toEqual(['not_found', 404]);
  });

  test('a record without a version changes nothing', async () => {
    const book = await shelf.books.create(draft());
    const part = { id: book.id } as typeof book;
    for (const call of [() => shelf.books.update(part, { title: 'x' }), () => shelf.books.delete(part)])
      expect((await failureOf(call())).code).toBe('invalid_argument');
    expect((await failureOf(shelf.books.delete('1' as never))).code).toBe('invalid_argument');
    expect(await shelf.books.get(book.id)).toEqual(book);
  });

  test('failures have their code, status, problems and details', async () => {
    const book = await shelf.books.create(draft());
    const invalid = await failureOf(shelf.books.create({ title: 7, price: '-1', author: 0, colour: 'red' } as never));
    expect([invalid.code, invalid.status]).toEqual(['invalid_body', 400]);
    expect(invalid.problems.map(({ field }) => field).sort()).toEqual(['author', 'colour', 'isbn', 'price', 'title']);
    expect(invalid.problems).toContainEqual({ field: 'title', detail: 'must be a string' });
    expect(invalid.requestId).toBeString();

    const taken = await failureOf(shelf.books.create(draft({ isbn: book.isbn })));
    if (taken.code !== 'already_exists') throw new Error(taken.code);
    expect([taken.status, taken.details.id]).toEqual([409, book.id]);
    const missing = await failureOf(shelf.books.create(draft({ author: 4_000_000_000 })));
    expect([missing.code, missing.status]).toEqual(['reference_missing', 409]);
    const referenced = await failureOf(shelf.authors.delete(author));
    if (referenced.code !== 'still_referenced') throw new Error(referenced.code);
    expect(referenced.details.collection).toBe('books');
    const query = await failureOf(shelf.books.list({ where: { colour: 'red' } as never }));
    expect([query.code, query.status]).toEqual(['invalid_query', 400]);
    const unknown = await failureOf(createClient({ url: server.url }).nothing?.list() ?? Promise.resolve());
    expect([unknown.code, unknown.status]).toEqual(['unknown_path', 404]);
  });

  test('a list has filters, sort, fields, expanded records and a count', async () => {
    const tag = `list${isbn()}`;
    const [first, second] = [
      await shelf.books.create(draft({ title: 'a, b & c+d?', price: '30', tags: [tag], pages: 5n })),
      await shelf.books.create(draft({ title: 'é📚', price: '9.5', tags: [tag], state: 'published' })),
    ];
    const where = { tags: { has: tag } };
    const titles = async (options: Parameters<typeof shelf.books.list>[0]) =>
      (await shelf.books.list({ ...options, where: { ...where, ...options?.where } })).data.map(({ title }) => title);
    expect(await titles({ sort: ['-price'] })).toEqual([first.title, second.title]);
    expect(await titles({ sort: ['price'], where: { price: { gte: '9.5', lt: '100' } } })).toEqual([
      second.title,
      first.title,
    ]);
    expect(await titles({ where: { title: 'a, b & c+d?' } })).toEqual([first.title]);
    expect(await titles({ where: { title: { contains: '📚' } } })).toEqual([second.title]);
    expect(await titles({ where: { state: { in: ['published'] } } })).toEqual([second.title]);
    expect(await titles({ where: { pages: { is: 'null' } } })).toEqual([second.title]);
    expect(await titles({ where: { pages: { in: [5n, 6n] } } })).toEqual([first.title]);
    expect(await titles({ where: { in_stock: false } })).toEqual([]);
    expect(await titles({ where: { author: { in: [] } } })).toEqual([]);

    const page = await shelf.books.list({
      where,
      sort: ['id'],
      fields: ['title', 'pages'],
      expand: ['author.publisher', 'follows'],
      limit: 1,
      count: 'exact',
    });
    expect(page.data).toEqual([
      {
        title: first.title,
        pages: 5n,
        expanded: {
          author: expect.objectContaining({
            name: 'Borges',
            expanded: { publisher: expect.objectContaining({ name: 'Sur' }) },
          }),
          follows: null,
        },
      },
    ] as never);
    expect(page.total).toBe(2);
    const next = await shelf.books.list({ where, sort: ['id'], limit: 1, cursor: page.next_cursor ?? '' });
    expect([next.data.map(({ id }) => id), next.next_cursor]).toEqual([[second.id], null]);
    const expanded = await shelf.books.get(first.id, { expand: ['author'] });
    expect(expanded.expanded.author?.name).toBe('Borges');

    expect(await shelf.books.count({ where })).toBe(2);
    expect(await shelf.books.count({ where: { author: { in: [] } } })).toBe(0);
    expect(await shelf.publishers.count()).toBe(1);
  });

  test('where has or, not, other fields, and paths through references', async () => {
    const tag = `where${isbn()}`;
    const cortazar = await shelf.authors.create({ name: 'Cortázar' });
    const first = await shelf.books.create(
      draft({ title: 'One, two', tags: [tag], pages: 9007199254740993n, seen_at: '2000-01-01T00:00:00Z' }),
    );
    const second = await shelf.books.create(
      draft({ title: 'RAYUELA', tags: [tag], author: cortazar.id, follows: first.id }),
    );
    const third = await shelf.books.create(draft({ title: 'three', tags: [tag], price: '5' }));
    const found = async (where: WhereOf<Shelf, 'books'>) => {
      const options = { where: { tags: { has: tag }, ...where }, sort: ['id'] } as const;
      const { data } = await shelf.books.list(options);
      expect(await shelf.books.count(options)).toBe(data.length);
      return data.map(({ id }) => id);
    };
    expect(await found({ any: [{ pages: 9007199254740993n }, { price: { lt: '6' } }] })).toEqual([first.id, third.id]);
    expect(await found({ any: [{ pages: 9007199254740992n }, { pages: { in: [] } }] })).toEqual([]);
    expect(await found({ not: { pages: { gt: 5n } }, price: '5' })).toEqual([third.id]);
    expect(await found({ all: [{ in_stock: true }, { not: { title: 'three' } }] })).toEqual([first.id, second.id]);
    expect(await found({ seen_at: { lt: { field: 'created_at' } } })).toEqual([first.id]);
    expect(await found({ title: { in: ['One, two', 'three'] } })).toEqual([first.id, third.id]);
    expect(await found({ title: { eq_ci: 'rayuela' } })).toEqual([second.id]);
    expect(await found({ 'author.name': { contains_ci: 'CORTÁ' } })).toEqual([second.id]);
    expect(await found({ 'author.publisher.name': 'Sur' })).toEqual([first.id, third.id]);
    expect(await found({ not: { 'follows.author.name': 'Borges' } })).toEqual([first.id, third.id]);
    const all = await collect(
      shelf.books.all({ where: { tags: { has: tag }, any: [{ id: first.id }, { id: third.id }] } }),
    );
    expect(all).toEqual([first, third]);
  });

  test('conditions that the server refuses, and those that no request has room for', async () => {
    const wrong = await failureOf(shelf.books.list({ where: { any: [{ titel: 'x' }] } as never }));
    expect([wrong.code, wrong.status]).toEqual(['invalid_query', 400]);
    expect(wrong.problems[0]?.detail).toContain('unknown field');
    const long = await failureOf(shelf.books.list({ where: { not: { title: 'x'.repeat(17_000) } } }));
    expect([long.code, long.status]).toEqual(['invalid_argument', 0]);
    expect(long.message).toContain('a server takes less than 16384. Send fewer or shorter conditions.');
  });

  test('all reads every page, and createMany adds in batches', async () => {
    const name = `many ${isbn()}`;
    function* source() {
      for (let price = 0; price < 12_000; price++) yield { external_id: BigInt(price), name, price };
    }
    let taken = 0;
    function* counted() {
      for (const one of source()) {
        taken++;
        yield one;
      }
    }
    const progress: [created: number, taken: number][] = [];
    const options = { onProgress: ({ created }: { created: number }) => progress.push([created, taken]) };
    expect(await shelf.items.createMany(counted(), options)).toEqual({ created: 12_000 });
    // The source is read as far as the batch needs, and one further: memory stays flat.
    expect(progress).toEqual([
      [5000, 5001],
      [10_000, 10_001],
      [12_000, 12_000],
    ]);
    const found = await collect(shelf.items.all({ where: { name }, sort: ['price'], fields: ['external_id'] }));
    expect(found.map(({ external_id }) => external_id)).toEqual([...source()].map(({ external_id }) => external_id));
    expect(await shelf.items.createMany([])).toEqual({ created: 0 });
  });

  test('createMany says how many records are in when a batch is refused', async () => {
    const name = `refused ${isbn()}`;
    async function* source() {
      for (let price = 0; price < 7000; price++)
        yield { name, price: price === 6000 ? ('x' as unknown as number) : price };
    }
    const failure = await failureOf(shelf.items.createMany(source()));
    expect([failure.code, failure.status, failure.bulk]).toEqual(['invalid_body', 400, { created: 5000, unknown: 0 }]);
    expect(failure.problems).toEqual([{ field: 'price', detail: 'must be a number', line: 6001 }]);
    expect(await shelf.items.count({ where: { name } })).toBe(5000);
  });

  test('createMany says which earlier record of the source has the same unique value', async () => {
    const books = Array.from({ length: 5002 }, () => draft());
    const failure = await failureOf(shelf.books.createMany([...books, draft({ isbn: books[5000]?.isbn ?? '' })]));
    expect([failure.code, failure.bulk]).toEqual(['already_exists', { created: 5000, unknown: 0 }]);
    expect(failure.problems).toEqual([
      { field: 'isbn', detail: expect.stringContaining('must be unique'), line: 5003, earlierRecord: 5001 },
    ]);
  });

  test('createMany says how many records are in when its source fails, or a record cannot be sent', async () => {
    const name = `broken ${isbn()}`;
    async function* source(last: () => number) {
      for (let price = 0; price < 5000; price++) yield { name, price };
      yield { name, price: last() };
    }
    const cause = new Error('no more');
    const broken = source(() => {
      throw cause;
    });
    const failed = await failureOf(shelf.items.createMany(broken));
    expect([failed.code, failed.cause, failed.bulk]).toEqual(['source_failed', cause, { created: 0, unknown: 0 }]);
    const unsendable = await failureOf(shelf.items.createMany(source(() => Number.NaN)));
    expect(unsendable.message).toBe('items, record 5001.price is NaN, which JSON does not have.');
    expect(unsendable.bulk).toEqual({ created: 0, unknown: 0 });
    expect(await shelf.items.count({ where: { name } })).toBe(0);
  });

  test('createMany with a key updates the records that exist, and creates the others', async () => {
    const known = await shelf.books.create(draft({ pages: 5n }));
    const others = Array.from({ length: 5000 }, () => draft());
    const progress: object[] = [];
    const source = [{ isbn: known.isbn, price: '1' }, ...others, { isbn: known.isbn, in_stock: false }];
    const idempotencyKey = `keyed-${known.isbn}`;
    const options = { key: ['isbn'], idempotencyKey, onProgress: (one: object) => progress.push(one) } as const;
    for (let run = 0; run < 2; run++)
      expect(await shelf.books.createMany(source, options)).toEqual({ created: 5000, updated: 2 });
    expect(progress.slice(0, 2)).toEqual([
      { created: 4999, updated: 1, first_id: expect.any(Number), last_id: expect.any(Number) },
      { created: 5000, updated: 2, first_id: expect.any(Number), last_id: expect.any(Number) },
    ]);
    expect(await shelf.books.get(known.id)).toMatchObject({ price: '1.00', pages: 5n, in_stock: false, version: 3 });

    const failure = await failureOf(
      shelf.books.createMany([...source, { isbn: isbn(), price: '1' }], { key: ['isbn'] }),
    );
    expect([failure.code, failure.bulk]).toEqual(['invalid_body', { created: 0, updated: 5000, unknown: 0 }]);
    expect(failure.problems.map(({ field, line }) => [field, line])).toEqual([
      ['title', 5003],
      ['author', 5003],
    ]);
  });

  test('with the same key, a create and a createMany add nothing twice', async () => {
    const idempotencyKey = `key-${isbn()}`;
    const one = { name: idempotencyKey, price: 1 };
    const [first, second] = [
      await shelf.items.create(one, { idempotencyKey }),
      await shelf.items.create(one, { idempotencyKey }),
    ];
    expect(second).toEqual(first);
    const many = Array.from({ length: 6000 }, (_, price) => ({ name: idempotencyKey, price }));
    for (let run = 0; run < 2; run++)
      expect(await shelf.items.createMany(many, { idempotencyKey })).toEqual({ created: 6000 });
    expect(await shelf.items.count({ where: { name: idempotencyKey } })).toBe(6001);
  });
});

test('all asks for a page only when the one before is used up', async () => {
  const server = await startServer({ collections: library });
  const proxy = await faultyProxy(server.url);
  const shelf = createClient<Shelf>({ url: proxy.url });
  await shelf.users.createMany(Array.from({ length: 2500 }, () => ({ name: 'n' })));
  const pages = () => proxy.seen.filter(({ method }) => method === 'GET').length;
  const found: number[] = [];
  for await (const _ of shelf.users.all()) found.push(pages());
  expect([found.length, found[0], found[999], found[1000], found.at(-1)]).toEqual([2501, 1, 1, 2, 3]);
  await proxy.stop();
  await server.stop();
});

test('an idempotency key that no header can have is refused', async () => {
  const { books } = createClient({ url: 'http://127.0.0.1:1' });
  for (const idempotencyKey of ['', 'a b', 'é', 'a\nb', 'x'.repeat(241)]) {
    expect((await failureOf(books?.create({}, { idempotencyKey }) ?? Promise.resolve())).code).toBe('invalid_argument');
    expect((await failureOf(books?.createMany([], { idempotencyKey }) ?? Promise.resolve())).code).toBe(
      'invalid_argument',
    );
  }
});

test('the codes are those of the server', async () => {
  const source = await Bun.file(`${import.meta.dir}/../../src/client/send/codes.ts`).text();
  const [, listed = ''] = /interface ServerStatuses \{(.*?)\n\}/s.exec(source) ?? [];
  const codes = [...listed.matchAll(/^ {2}(\w+): (\d+)/gm)].map(([, code, status]) => [code, Number(status)]);
  expect(codes).toEqual(Object.entries(failures).map(([code, { status }]) => [code, status]));
});

test('a URL or a key that cannot be sent is refused at once', () => {
  expect(() => createClient({ url: 'nowhere' })).toThrow(TypeError);
  expect(() => createClient({ url: 'http://127.0.0.1', key: 'a\nb' })).toThrow(TypeError);
});

test('a client is not a promise, and has no members besides collections', async () => {
  const shelf = createClient({ url: 'http://127.0.0.1:1' });
  expect(await (shelf as unknown)).toBe(shelf);
  expect(`${Object.prototype.toString.call(shelf)}`).toBe('[object Object]');
  expect(shelf.books).toBe(shelf.books as never);
});

describe('the declarations', () => {
  test('are asked for once, beside the first read and before the first write', async () => {
    const server = await startServer({ collections: library });
    const proxy = await faultyProxy(server.url);
    const shelf = createClient<Shelf>({ url: `${proxy.url}/` });
    await Promise.all([shelf.items.list(), shelf.users.list(), shelf.items.get(1)]);
    await shelf.items.create({ name: 'x', price: 1 });
    expect(proxy.declarations).toBe(1);

    // No write is sent while its answer could not be read.
    const other = createClient<Shelf>({ url: proxy.url, retries: 0 });
    proxy.nextDeclarations({ status: 503 }, { status: 503 });
    const before = proxy.seen.length;
    const failed = await failureOf(other.items.create({ name: 'y', price: 1 }));
    expect([failed.code, failed.status]).toEqual(['unexpected_answer', 503]);
    expect(proxy.seen.length).toBe(before);
    expect((await failureOf(other.items.get(1))).status).toBe(503);
    // A failure is not remembered.
    expect((await other.items.get(1)).external_id).toBe(1n);
    await proxy.stop();
    await server.stop();
  });

  test('are asked for again when an answer does not fit them', async () => {
    const database = `sqlite:${temporaryFolder()}/shelf.db`;
    const before = await startServer({
      database,
      collections: declared({ notes: { singular: 'note', fields: { text: 'text' } } }),
    });
    const proxy = await faultyProxy(before.url);
    const { port } = new URL(before.url);
    const shelf = createClient({ url: proxy.url });
    const { notes } = shelf;
    await notes?.create({ text: 'old' });
    await before.stop();
    const fields = { text: 'text', size: { type: 'integer', default: 9007199254740993n } };
    const after = await startServer({
      database,
      collections: declared({ notes: { singular: 'note', fields } }),
      server: { port: Number(port) },
    });
    expect((await notes?.list())?.data).toEqual([
      expect.objectContaining({ text: 'old', size: 9007199254740993n }),
    ] as never);
    expect(proxy.declarations).toBe(2);
    // The first change has the fields of its time, and is read without asking again each time.
    const changes: unknown[] = [];
    for await (const change of shelf.changes({ after: 0 })) if (changes.push(change.type) === 3) break;
    expect(proxy.declarations).toBe(2);
    await proxy.stop();
    await after.stop();
  });
});
