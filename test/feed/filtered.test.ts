/** Both feeds with a filter: a follower that applies the changes has exactly the list that a server filters. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { declared } from '../support/data/library.ts';
import { Random } from '../support/data/random.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { Listening } from '../support/servers/network/listening.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const file = {
  authors: { singular: 'author', fields: { name: 'text' } },
  books: {
    singular: 'book',
    fields: {
      title: 'text',
      price: { type: 'decimal', scale: 2 },
      state: { type: 'choice', of: ['draft', 'published'], default: 'draft' },
      pages: { type: 'integer', optional: true },
      tags: { type: 'list', of: 'text', default: [] },
      author: { type: 'reference', to: 'authors', optional: true, on_delete: 'clear' },
      follows: { type: 'reference', to: 'books', optional: true, on_delete: 'cascade' },
      after: { type: 'integer', optional: true },
    },
  },
};
const collections = declared(file);

type Book = { readonly id: number; readonly version: number };
type Change = {
  readonly seq: number;
  readonly type: string;
  readonly match?: string;
  readonly transaction?: { readonly first: number; readonly size: number };
  readonly record: Book;
};
type Page = { readonly data: readonly Change[]; readonly last: number; readonly partial?: true; readonly more?: true };

const searchOf = (where: object | string) =>
  `collection=books&${typeof where === 'string' ? where : `where=${encodeURIComponent(JSON.stringify(where))}`}`;

async function alter(database: string, statement: string): Promise<void> {
  if (database.startsWith('sqlite:')) {
    using db = new Database(database.slice('sqlite:'.length));
    db.run(statement);
    return;
  }
  const sql = new SQL({ url: database, max: 1 });
  await sql.unsafe(statement);
  await sql.close();
}

describe.each(migratedEngines())('%s', (_, newUrl) => {
  let database: string;
  let server: TestServer;
  beforeAll(async () => {
    database = await newUrl();
    server = await startServer({ database, collections });
  });
  afterAll(() => server.stop());

  const last = async () => (await server.store.feed.history()).last;

  async function send(method: string, path: string, body?: object | string): Promise<Book> {
    const answer = await fetch(`${server.url}/api/v2/${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${text}`);
    return text === '' ? { id: 0, version: 0 } : JSON.parse(text);
  }
  const add = (book: object = {}) => send('POST', 'books', { title: 't', price: '5', ...book });

  async function pull(after: number, search: string): Promise<Page> {
    const answer = await fetch(`${server.url}/api/v2/changes?after=${after}&${search}`);
    expect(answer.status).toBe(200);
    return (await answer.json()) as Page;
  }
  async function refusal(path: string): Promise<{ status: number; detail: string; errors?: unknown }> {
    const answer = await fetch(`${server.url}/api/v2/${path}`);
    const { status, detail, errors } = (await answer.json()) as { status: number; detail: string; errors?: unknown };
    return errors === undefined ? { status, detail } : { status, detail, errors };
  }
  const shown = ({ data }: Page, start: number) =>
    data.map(({ seq, type, match, record }) => `${seq - start} ${type} ${match} ${record.id}`);

  test('a change of a record that matches before or after it is sent, and what it does to the list', async () => {
    const start = await last();
    const { id } = await add({ price: '20' });
    await add();
    await send('PATCH', `books/${id}`, { title: 'u' });
    await send('PATCH', `books/${id}`, { price: '4' });
    await send('PATCH', `books/${id}`, { price: '3' });
    await send('PATCH', `books/${id}`, { price: '21' });
    await send('POST', 'authors', { name: 'a' });
    await send('DELETE', `books/${id}`);
    const expected = [
      `1 book.created entered ${id}`,
      `3 book.updated stayed ${id}`,
      `4 book.updated left ${id}`,
      `6 book.updated entered ${id}`,
      `8 book.deleted left ${id}`,
    ];
    const page = await pull(start, searchOf({ price: { gte: '20' } }));
    expect(shown(page, start)).toEqual(expected);
    expect(page.last).toBe(start + 8);
    // The last state is there also of a record that left.
    expect(page.data[2]?.record).toMatchObject({ id, price: '4.00', version: 3 });

    const listening = await Listening.to(
      `${server.url}/api/v2/events?after=${start}&${searchOf({ price: { gte: '20' } })}`,
    );
    await listening.until(() => listening.told.length === 5);
    expect(listening.told.map(({ data }) => JSON.parse(data))).toEqual(page.data as never);
    expect(listening.told.map(({ event }) => event)).toEqual(page.data.map(({ type }) => type));
    const { id: next } = await add({ price: '30' });
    await listening.until(() => listening.told.length === 6);
    expect(JSON.parse(listening.told[5]?.data ?? '')).toMatchObject({ match: 'entered', record: { id: next } });
    listening.leave();

    expect(shown(await pull(start, 'collection=books'), start)[0]).toBe(`1 book.created undefined ${id}`);
    // Everything matches.
    expect((await pull(start, searchOf({}))).data.map(({ match }) => match)).not.toContain(undefined);
  });

  test('brackets filter as in lists, beside where or without it', async () => {
    const start = await last();
    const { id } = await add({ price: '20', tags: ['x'], after: 7 });
    await add({ price: '30' });
    await add({ price: '20', tags: ['x', 'y'], state: 'published' });
    const ids = async (search: string) => (await pull(start, searchOf(search))).data.map(({ seq }) => seq - start);
    expect(await ids('price=20')).toEqual([1, 3]);
    expect(await ids('price[gte]=20&tags[has]=x&state=draft')).toEqual([1]);
    expect(await ids('price[gte]=20&where=%7B%22state%22%3A%22published%22%7D')).toEqual([3]);
    expect(await ids('price[in]=20,30')).toEqual([1, 2, 3]);
    // A field can be called like a parameter of the feed.
    expect(await ids('after[eq]=7')).toEqual([1]);
    expect(await ids(`id=${id}`)).toEqual([1]);
  });

  test.each([
    ['where={}', 'is about the records of one collection: add collection=.'],
    ['price[gte]=5', 'Unknown query parameter price[gte]; known parameters: after,'],
    ['collection=books&collection=authors&where={}', 'collection is given twice'],
    ['collection=books&where={}&where={}', 'where is given twice'],
    ['collection=books&where=%7B', 'Invalid query parameter where: expected JSON'],
    ['collection=books&colour=red', 'Unknown query parameter colour; known parameters: after,'],
    ['collection=books&author.name=a', 'author.name: leads to another record, which may change alone'],
    ['collection=books&price[gte]=x', 'Invalid query parameter price[gte]: expected a decimal'],
    [`collection=books&id[in]=${Array.from({ length: 101 }, (_, n) => n).join()}`, 'at most 100 values together'],
  ])('%s is refused', async (search, detail) => {
    for (const path of ['changes', 'events']) {
      const found = await refusal(`${path}?${search}`);
      expect([found.status, found.detail]).toEqual([400, expect.stringContaining(detail)]);
    }
  });

  test('every mistake in where is named, paths among them', async () => {
    const where = { price: 5, any: [{ 'author.name': 'a' }, { colour: 'red' }] };
    const { status, errors } = await refusal(`changes?${searchOf(where)}`);
    expect(status).toBe(400);
    expect(errors).toEqual([
      { pointer: '#/price', detail: expect.stringContaining('in a string') },
      {
        pointer: '#/any/0/author.name',
        detail: 'leads to another record, which may change alone: the feed takes only fields of the record itself',
      },
      { pointer: '#/any/1/colour', detail: expect.stringContaining('unknown field') },
    ]);
  });

  test('a page that has nothing says how far it has looked, and whether there is more to look at', async () => {
    const start = await last();
    const lines = Array.from({ length: 1200 }, () => '{"title":"bulk","price":"1"}').join('\n');
    const added = await fetch(`${server.url}/api/v2/books/bulk`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: lines,
    });
    expect(added.status).toBe(201);
    const { id } = await add({ title: 'rare' });
    await send('POST', 'authors', { name: 'a' });
    const search = searchOf({ title: 'rare' });
    const first = await pull(start, search);
    expect(first).toEqual({ data: [], last: start + 1000, more: true });
    const second = await pull(first.last, search);
    expect(shown(second, start)).toEqual([`1201 book.created entered ${id}`]);
    expect([second.last, second.more]).toEqual([start + 1202, undefined]);
    expect(await pull(second.last, search)).toEqual({ data: [], last: start + 1202 });

    // The position comes at once, and not with a heartbeat.
    const listening = await Listening.to(`${server.url}/api/v2/events?after=${second.last}&${search}`);
    await listening.until(() => listening.lastId === String(start + 1202));
    listening.leave();
  });

  test('a page has the part of a transaction that matches whole, and the live feed says that it has it', async () => {
    const start = await last();
    const create = (title: string) => ({ op: 'create', collection: 'books', record: { title, price: '1' } });
    await add({ title: 'in' });
    const operations = [create('in'), create('out'), create('in'), create('out')];
    await send('POST', 'transactions', { operations });
    await add({ title: 'in' });
    const search = searchOf({ title: 'in' });
    const pages: string[] = [];
    for (let after = start; after < start + 6; ) {
      const page = await pull(after, `${search}&limit=2`);
      pages.push(`${page.data.map(({ seq }) => seq - start).join(' ')} to ${page.last - start}`);
      expect([page.partial, page.more]).toEqual([undefined, page.last < start + 6 ? true : undefined]);
      after = page.last;
    }
    expect(pages).toEqual(['1 to 1', '2 4 to 4', '6 to 6']);
    expect((await pull(start, `${search}&limit=1`)).last).toBe(start + 1);
    expect(await pull(start + 1, `${search}&limit=1`)).toMatchObject({ partial: true, more: true, last: start + 2 });

    const listening = await Listening.to(`${server.url}/api/v2/events?after=${start + 6}&${search}`);
    await send('POST', 'transactions', { operations });
    await listening.until(() => Number(listening.lastId) === start + 10);
    expect(listening.told.map(({ id }) => Number(id) - start)).toEqual([7, 9]);
    listening.leave();
  });

  test('a replica that applies the changes is the filtered list at each change', async () => {
    const random = new Random(4711);
    const wheres = [
      {},
      { state: 'published' },
      { price: { gte: '5', lt: '8' } },
      { any: [{ tags: { has: 'x' } }, { pages: { is: 'null' } }], not: { title: { starts_with: 'b' } } },
      { author: { is: 'set' }, pages: { lte: 3 } },
      { version: { gt: 2 } },
    ];
    const now = new Date().toISOString();
    async function listOf(where: object): Promise<readonly Book[]> {
      const search = `limit=1000&created_at[gte]=${now}&where=${encodeURIComponent(JSON.stringify(where))}`;
      return ((await (await fetch(`${server.url}/api/v2/books?${search}`)).json()) as { data: readonly Book[] }).data;
    }
    const authors = [
      (await send('POST', 'authors', { name: 'a' })).id,
      (await send('POST', 'authors', { name: 'b' })).id,
    ];
    const draft = () => ({
      title: random.pick(['a', 'b', 'bb', 'c']),
      price: String(random.below(10)),
      state: random.pick(['draft', 'published']),
      pages: random.pick([null, 1, 2, 3, 4]),
      tags: random.pick([[], ['x'], ['y', 'x']]),
      author: random.pick([null, ...authors]),
    });
    const start = await last();
    const followers = wheres.map((where) => ({ where, after: start, replica: new Map<number, Book>() }));
    const alive: number[] = [];
    for (let step = 0; step < 60; step++) {
      const id = alive.length === 0 ? undefined : random.pick(alive);
      const what = id === undefined ? 0 : random.below(10);
      if (what < 3)
        alive.push((await send('POST', 'books', { ...draft(), follows: random.pick([null, id ?? null]) })).id);
      else if (what < 7) await send('PATCH', `books/${id}`, Object.fromEntries([random.pick(Object.entries(draft()))]));
      else if (what < 8) await send('PUT', `books/${id}`, draft());
      else if (what < 9)
        await send('POST', 'transactions', {
          operations: [
            { op: 'add', collection: 'books', id, record: { price: '1' } },
            { op: 'update', collection: 'books', where: { state: 'draft', id: { gte: id } }, record: { pages: 2 } },
          ],
        });
      else if (step > 30 && authors.length > 0) await send('DELETE', `authors/${authors.pop()}`);
      else await send('DELETE', `books/${id}`);
      const rest = new Set((await listOf({})).map((book) => book.id));
      alive.splice(0, alive.length, ...alive.filter((one) => rest.has(one)));
      for (const follower of followers) {
        const { data, last: to } = await pull(follower.after, searchOf(follower.where));
        for (const { match, record } of data) {
          const had = follower.replica.has(record.id);
          expect([match, had]).toEqual([match, match !== 'entered']);
          if (match === 'left') follower.replica.delete(record.id);
          else follower.replica.set(record.id, record);
        }
        follower.after = to;
        const list = await listOf(follower.where);
        expect([...follower.replica.values()].toSorted((one, other) => one.id - other.id)).toEqual([...list]);
      }
    }
  });

  test('a follower that would need the state before an update of an earlier release reads the list again', async () => {
    const start = await last();
    const { id } = await add({ title: 'old' });
    await send('PATCH', `books/${id}`, { title: 'changed' });
    await add({ title: 'new' });
    await alter(database, `update changes set before = null where seq = ${start + 2}`);
    const search = searchOf({ title: 'old' });
    expect(await refusal(`changes?after=${start}&${search}`)).toEqual({
      status: 410,
      detail: `Change ${start + 2} does not say whether its record matched: it was recorded by an earlier release, or under another declaration: read the lists again, then continue with after=${start + 3}.`,
    });
    const listening = await Listening.to(`${server.url}/api/v2/events?after=${start}&${search}`);
    await listening.until(() => listening.told.length > 0);
    expect(listening.told).toEqual([{ id: String(start + 3), event: 'resync', data: `{"after":${start + 3}}` }]);
    await add({ title: 'old' });
    await listening.until(() => listening.told.length === 2);
    expect(JSON.parse(listening.told[1]?.data ?? '')).toMatchObject({ seq: start + 4, match: 'entered' });
    listening.leave();
    // Others do not need it.
    expect((await pull(start + 2, search)).data).toHaveLength(1);
    expect((await pull(start, `collection=books&id=${id}`)).data.map(({ match }) => match)).toEqual([
      'entered',
      'stayed',
    ]);
    expect((await pull(start, searchOf({}))).data).toHaveLength(4);
    expect((await pull(start, 'collection=books')).data).toHaveLength(4);
  });
});

test.each(migratedEngines())('%s: changes that were recorded under another declaration', async (_, newUrl) => {
  const database = await newUrl();
  const one = await startServer({ database, collections });
  const add = (server: TestServer, book: object) =>
    fetch(`${server.url}/api/v2/books`, { method: 'POST', body: JSON.stringify({ title: 't', price: '5', ...book }) });
  await add(one, {});
  await one.stop();
  const fields = { ...file.books.fields, genre: { type: 'choice', of: ['novel', 'poem'], default: 'novel' } };
  const two = await startServer({ database, collections: declared({ ...file, books: { ...file.books, fields } }) });
  const { last } = await two.store.feed.history();
  await add(two, { genre: 'poem' });
  const status = async (search: string) => (await fetch(`${two.url}/api/v2/changes?collection=books&${search}`)).status;
  expect(await status('after=0&genre=poem')).toBe(410);
  expect(await status('after=0&title=t')).toBe(200);
  expect(await status(`after=${last}&genre=poem`)).toBe(200);
  await two.stop();
});
