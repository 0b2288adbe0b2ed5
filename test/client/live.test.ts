/** Lists of the client that stay current: at each step the list of the server, whatever happens meanwhile. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createClient, type LiveOptions, type ShelfError } from '../../src/client/index.ts';
import { declared, library, libraryFile } from '../support/data/library.ts';
import { Random } from '../support/data/random.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';
import { failureOf } from './failure-of.ts';
import { type FaultyProxy, faultyProxy } from './faulty-proxy.ts';
import type { Book, Shelf } from './shelf.d.ts';

type Lists<Record> = AsyncGenerator<readonly Record[], void, undefined>;
const shelfAt = (url: string) => createClient<Shelf>({ url });

async function next<Record>(lists: Lists<Record>): Promise<readonly Record[]> {
  const { value, done } = await lists.next();
  if (done) throw new Error('the lists ended');
  return value;
}

/** The first list that has this many records, or that holds. */
async function until<Record>(lists: Lists<Record>, holds: (list: readonly Record[]) => boolean) {
  for (;;) {
    const list = await next(lists);
    if (holds(list)) return list;
  }
}

describe.each(migratedEngines())('%s', (engine, newUrl) => {
  let server: TestServer;
  let proxy: FaultyProxy;
  let shelf: ReturnType<typeof shelfAt>;
  let author: number;
  let made = 0;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), collections: library });
    proxy = await faultyProxy(server.url);
    shelf = shelfAt(proxy.url);
    author = (await shelf.authors.create({ name: 'a' })).id;
  });
  afterAll(async () => {
    await proxy.stop();
    await server.stop();
  });

  const isbn = () => String(9780000000000 + made++);
  const draft = (book: object = {}) => ({ title: 't', price: '5', isbn: isbn(), author, ...book });
  const add = (book: object = {}) => shelf.books.create(draft(book));
  async function listOf({ where, sort }: LiveOptions<Shelf, 'books'>): Promise<Book[]> {
    const all: Book[] = [];
    for await (const book of shelf.books.all({ ...(where && { where }), ...(sort && { sort }) })) all.push(book);
    return all;
  }
  /** A title that no other test has. */
  const title = () => `title ${made++}`;

  test('the whole list in order, again after each change', async () => {
    const own = title();
    await add({ title: own, price: '7' });
    const lists = shelf.books
      .live({ where: { title: own, price: { lt: '10' } }, sort: ['-price'] })
      [Symbol.asyncIterator]();
    const list = await next(lists);
    const prices = () => list.map(({ price }) => price);
    expect(prices()).toEqual(['7.00']);
    const other = await add({ title: own, price: '9.5' });
    expect(await next(lists)).toBe(list);
    expect(prices()).toEqual(['9.50', '7.00']);
    await shelf.books.update(other, { price: '6', pages: 9007199254740993n });
    await next(lists);
    expect(prices()).toEqual(['7.00', '6.00']);
    expect(list[1]?.pages).toBe(9007199254740993n);
    await shelf.books.update(other.id, { price: '10' });
    await next(lists);
    expect(prices()).toEqual(['7.00']);
    await shelf.books.update(other.id, { price: '8' });
    await next(lists);
    expect(prices()).toEqual(['8.00', '7.00']);
    await shelf.books.delete(other.id);
    await next(lists);
    expect(list).toEqual(await listOf({ where: { title: own } }));
    await lists.return();
  });

  test('an empty list is one, too, and so is one that nothing can match', async () => {
    const own = title();
    const lists = shelf.books.live({ where: { title: own } })[Symbol.asyncIterator]();
    expect(await next(lists)).toEqual([]);
    await add({ title: own });
    expect(await next(lists)).toHaveLength(1);
    await lists.return();
    const never = shelf.books.live({ where: { title: { in: [] } } })[Symbol.asyncIterator]();
    expect(await next(never)).toEqual([]);
    await never.return();
  });

  test('every sort and filter is the list of the server, at each step', async () => {
    const random = new Random(7);
    const own = title();
    const options: LiveOptions<Shelf, 'books'>[] = [
      { sort: ['title', '-price'] },
      { sort: ['-pages', 'weight'] },
      { sort: ['published_on', '-title'] },
      { sort: ['-in_stock', 'state', '-id'] },
      { where: { any: [{ pages: { is: 'null' } }, { price: { gte: '5' } }] }, sort: ['-updated_at'] },
      { where: { not: { tags: { has: 'x' } }, state: { in: ['draft'] } }, sort: ['seen_at', '-weight'] },
    ].map(
      ({ where, sort }) => ({ where: { ...where, title: { starts_with: own } }, sort }) as LiveOptions<Shelf, 'books'>,
    );
    const live = options.map((one) => shelf.books.live(one)[Symbol.asyncIterator]());
    const lists = await Promise.all(live.map(next));
    const values = () => ({
      title: `${own}${random.pick(['', 'a', 'B', 'é', '\ufffd', '\u{1f600}'])}`,
      price: random.pick(['0', '4.99', '5', '10', '92233720368547758.07']),
      pages: random.pick([null, 1n, 2n, 9007199254740993n]),
      weight: random.pick([0, -0, 0.5, 1e300]),
      published_on: random.pick([null, '2026-01-01', '0001-01-01']),
      seen_at: random.pick([null, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.001+02:00']),
      state: random.pick(['draft', 'published'] as const),
      in_stock: random.chance(0.5),
      tags: random.pick([[], ['x']]),
    });
    const ids: number[] = [];
    for (let step = 0; step < 40; step++) {
      if (ids.length < 4 || random.chance(0.4)) ids.push((await add(values())).id);
      else if (random.chance(0.2)) await shelf.books.delete(ids.splice(random.below(ids.length), 1)[0] ?? 0);
      else await shelf.books.update(random.pick(ids), Object.fromEntries([random.pick(Object.entries(values()))]));
      for (const [place, one] of options.entries()) {
        const expected = await listOf(one);
        // Not every step changes every list.
        if (!Bun.deepEquals(lists[place], expected)) await next(live[place] as Lists<Book>);
        expect(lists[place]).toEqual(expected);
      }
    }
    await Promise.all(live.map((one) => one.return()));
  });

  test('a transaction is one step, also of a list that has only a part of it', async () => {
    const own = title();
    const lists = shelf.books.live({ where: { title: own }, sort: ['price'] })[Symbol.asyncIterator]();
    await next(lists);
    const [first] = await shelf.transaction((t) => {
      const books = ['1', '2', '3'].map((price) => t.books.create(draft({ title: own, price })));
      t.publishers.create({ name: own });
      t.books.create(draft({ title: 'another' }));
      return books;
    });
    expect((await next(lists)).map(({ price }) => price)).toEqual(['1.00', '2.00', '3.00']);
    await shelf.transaction((t) => {
      t.books.add(first?.id ?? 0, { price: '5' });
      t.books.updateWhere({ title: own, price: { lt: '6' } }, { title: 'another' });
      t.books.create(draft({ title: own, price: '4' }));
    });
    expect((await next(lists)).map(({ price }) => price)).toEqual(['4.00', '6.00']);
    await lists.return();
  });

  test('what changes while the list is read is in it once, and nothing is missing', async () => {
    const own = title();
    const drafts = Array.from({ length: 2500 }, (_, n) => draft({ title: own, pages: BigInt(n + 1) }));
    await shelf.books.createMany(drafts);
    const all = await listOf({ where: { title: own }, sort: ['pages'] });
    const at = (index: number) => all[index]?.id ?? 0;
    // Between two pages, records move to pages that are read, or to those that are not; others come and go.
    const between: (() => Promise<unknown>)[] = [
      async () => {
        await shelf.books.update(at(0), { pages: 2499n });
        await shelf.books.update(at(2400), { pages: 1n });
        await shelf.books.update(at(1), { title: 'another' });
        await shelf.books.delete(at(2));
        await shelf.books.delete(at(2401));
        await shelf.books.update(at(2402), { title: 'another' });
        await shelf.books.update(at(2402), { title: own, pages: 3n });
        await add({ title: own, pages: 1n });
      },
      async () => {
        await shelf.books.update(at(0), { pages: 2n });
        await shelf.books.update(at(1), { title: own });
        await shelf.books.update(at(2400), { pages: 2500n });
      },
    ];
    const slow = Bun.serve({
      port: 0,
      idleTimeout: 0,
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        if (search.includes('cursor=')) await between.shift()?.();
        const last = request.headers.get('Last-Event-ID');
        const answer = await fetch(
          `${server.url}${pathname}${search}`,
          last === null ? {} : { headers: { 'Last-Event-ID': last } },
        );
        return new Response(answer.body, { status: answer.status });
      },
    });
    const lists = shelfAt(slow.url.href)
      .books.live({ where: { title: own }, sort: ['pages'] })
      [Symbol.asyncIterator]();
    expect(await next(lists)).toEqual(await listOf({ where: { title: own }, sort: ['pages'] }));
    expect(between).toEqual([]);
    await lists.return();
    await slow.stop(true);
  });

  test('a lost connection is made again, and a failing server is asked again', async () => {
    const own = title();
    const hasty = createClient<Shelf>({ url: proxy.url, retries: 0 });
    const lists = hasty.books.live({ where: { title: own } })[Symbol.asyncIterator]();
    proxy.next(
      'pass',
      { status: 503 },
      'pass',
      'lose the answer',
      'pass',
      'lose the request',
      'pass',
      'cut the answer',
    );
    expect(await next(lists)).toEqual([]);
    for (let round = 0; round < 2; round++) {
      proxy.cut();
      proxy.next();
      const { id } = await shelfAt(server.url).books.create(draft({ title: own }));
      proxy.next({ status: 503 });
      expect((await next(lists)).at(-1)?.id).toBe(id);
    }
    await lists.return();
  });

  test('a server that restarts is followed again, with what it did meanwhile', async () => {
    const database = await newUrl();
    const start = (port = 0, collections = library) => startServer({ database, collections, server: { port } });
    const one = await start();
    const port = Number(new URL(one.url).port);
    const client = shelfAt(one.url);
    const lists = client.publishers.live({ sort: ['-name'] })[Symbol.asyncIterator]();
    await next(lists);
    await client.publishers.create({ name: 'a' });
    await next(lists);
    await one.stop();
    const two = await start();
    await shelfAt(two.url).publishers.create({ name: 'b' });
    await two.stop();
    const three = await start(port);
    expect((await next(lists)).map(({ name }) => name)).toEqual(['b', 'a']);
    await three.stop();
    // Records get another field, without a change.
    const fields = { ...libraryFile.publishers.fields, city: { type: 'text', default: 'Paris' } };
    const four = await start(port, declared({ ...libraryFile, publishers: { ...libraryFile.publishers, fields } }));
    expect((await next(lists)).map((publisher) => ({ ...publisher }))).toEqual([
      expect.objectContaining({ name: 'b', city: 'Paris' }),
      expect.objectContaining({ name: 'a', city: 'Paris' }),
    ]);
    await lists.return();
    await four.stop();
  });

  test('changes that cannot be had any more make it read the list again', async () => {
    const hour = 3_600_000;
    const database = await newUrl();
    const short = await startServer({ database, collections: library, storage: { history: hour } });
    const through = await faultyProxy(short.url);
    const client = shelfAt(short.url);
    const lists = shelfAt(through.url)
      .publishers.live({ sort: ['name'] })
      [Symbol.asyncIterator]();
    await next(lists);
    const { id } = await client.publishers.create({ name: 'a' });
    expect(await next(lists)).toHaveLength(1);
    // The feed is not connected while its history is trimmed.
    through.next(...Array.from({ length: 100 }, () => ({ status: 503 }) as const));
    through.cut();
    await client.publishers.update(id, { name: 'c' });
    await client.publishers.create({ name: 'b' });
    await short.store.feed.trim(-1000);
    through.next();
    expect((await next(lists)).map(({ name }) => name)).toEqual(['b', 'c']);
    await lists.return();
    await through.stop();
    await short.stop();
  });

  if (engine === 'sqlite')
    test('so does an update of an earlier release, for a filter that needs what was before it', async () => {
      const database = await newUrl();
      const old = await startServer({ database, collections: library });
      const through = await faultyProxy(old.url);
      const client = shelfAt(old.url);
      const { id } = await client.publishers.create({ name: 'a' });
      const lists = shelfAt(through.url)
        .publishers.live({ where: { name: 'b' } })
        [Symbol.asyncIterator]();
      expect(await next(lists)).toEqual([]);
      through.next(...Array.from({ length: 100 }, () => ({ status: 503 }) as const));
      through.cut();
      await client.publishers.update(id, { name: 'b' });
      using db = new Database(database.slice('sqlite:'.length));
      db.run("update changes set before = null where type = 'updated'");
      through.next();
      expect((await until(lists, (list) => list.length > 0)).map(({ name }) => name)).toEqual(['b']);
      await lists.return();
      await through.stop();
      await old.stop();
    });

  test('a subscription calls for each list until it ends', async () => {
    const own = title();
    const lengths: number[] = [];
    let wake = () => {};
    const end = shelf.books.live({ where: { title: own } }).subscribe((list) => {
      lengths.push(list.length);
      wake();
    });
    const called = (times: number) =>
      new Promise<void>((resolve) => {
        wake = () => lengths.length >= times && resolve();
        wake();
      });
    await called(1);
    await add({ title: own });
    await called(2);
    end();
    await add({ title: own });
    await shelf.books
      .live({ where: { title: own } })
      [Symbol.asyncIterator]()
      .next();
    expect(lengths).toEqual([0, 1]);
  });

  test('a failure that a retry cannot help ends it', async () => {
    const wrong = { colour: 'red' } as object;
    expect((await failureOf(shelf.books.live({ where: wrong })[Symbol.asyncIterator]().next())).code).toBe(
      'invalid_query',
    );
    const path = { 'author.name': 'a' } as object;
    expect((await failureOf(shelf.books.live({ where: path })[Symbol.asyncIterator]().next())).message).toContain(
      'which may change alone',
    );
    const code = new Promise((resolve) =>
      shelf.books.live({ where: wrong }).subscribe(
        () => expect.unreachable(),
        (error: ShelfError) => resolve(error.code),
      ),
    );
    expect(await code).toBe('invalid_query');
    expect(
      (
        await failureOf(
          shelf.books
            .live({ where: { title: undefined } as object })
            [Symbol.asyncIterator]()
            .next(),
        )
      ).code,
    ).toBe('invalid_argument');
  });

  test('a signal ends a loop and a subscription', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const lists = shelf.books.live({ signal })[Symbol.asyncIterator]();
    await next(lists);
    const calls: unknown[] = [];
    const called = new Promise((resolve) => {
      shelf.books.live({ signal }).subscribe(
        (list) => resolve(calls.push(list)),
        (error) => calls.push(error),
      );
    });
    await called;
    const waiting = failureOf(next(lists));
    controller.abort();
    expect((await waiting).code).toBe('aborted');
    await add();
    expect(calls).toHaveLength(1);
    shelf.books.live({ signal }).subscribe(
      (list) => calls.push(list),
      (error) => calls.push(error),
    );
    expect(calls).toHaveLength(1);
  });
});
