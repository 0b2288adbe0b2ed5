/** Collections of the user's own under authentication. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { library } from '../support/data/library.ts';
import { quickEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

type Body = Readonly<Record<string, unknown>> & { readonly id: number; readonly detail: string };

describe.each(quickEngines)('%s', (_, newUrl) => {
  let server: TestServer;
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), collections: library, access: { auth: 'all' } });
    const grant = async (name: string, scope: 'read' | 'write', collections: string[] | undefined) => {
      const order = { kind: 'create', name, scope, collections, lastsMs: undefined } as const;
      keys[name] = (await runKeys(server.store.admin.apiKeys, order, new Date(), library)).output.trim();
    };
    await grant('all', 'write', undefined);
    await grant('authors', 'write', ['authors']);
    await grant('books', 'write', ['books']);
    await grant('booksAndReviews', 'write', ['books', 'reviews']);
    await grant('booksAndAuthors', 'read', ['books', 'authors']);
    await grant('readsBooks', 'read', ['books']);
    await grant('publishers', 'write', ['publishers']);
    await grant('publishersAndAuthors', 'write', ['publishers', 'authors']);
  });
  afterAll(() => server.stop());

  async function send(key: string, method: string, path: string, body?: object) {
    const answer = await fetch(`${server.url}/api/v2${path}`, {
      method,
      headers: { 'X-API-Key': keys[key] ?? '', 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Body };
  }
  let isbn = 9790000000000;
  async function book(): Promise<{ author: number; book: number; review: number }> {
    const author = (await send('all', 'POST', '/authors', { name: 'A' })).body.id;
    const made = await send('all', 'POST', '/books', { title: 'T', isbn: String(++isbn), price: '1', author });
    const review = (await send('all', 'POST', '/reviews', { text: 'r', book: made.body.id })).body.id;
    return { author, book: made.body.id, review };
  }

  test('GET /api/v2 lists the collections that the caller may read', async () => {
    const names = async (key: string) => {
      const { collections } = (await send(key, 'GET', '')).body as unknown as { collections: { name: string }[] };
      return collections.map(({ name }) => name);
    };
    expect(await names('all')).toEqual(['items', 'users', 'publishers', 'authors', 'books', 'reviews']);
    expect(await names('booksAndReviews')).toEqual(['books', 'reviews']);
    expect((await fetch(`${server.url}/api/v2`)).status).toBe(401);
  });

  test('a key of one collection cannot reach another', async () => {
    const refusal = (scope: string) => ({ status: 403, body: { detail: `This key lacks the scope ${scope}.` } });
    expect(await send('books', 'GET', '/authors')).toMatchObject(refusal('read on authors'));
    expect(await send('readsBooks', 'POST', '/books', {})).toMatchObject(refusal('write on books'));
    expect(await send('all', 'GET', '/keys')).toMatchObject(refusal('admin'));
  });

  test('only what the caller may read is expanded', async () => {
    const { book: id } = await book();
    const refused = await send('books', 'GET', `/books/${id}?expand=author`);
    expect(refused).toMatchObject({
      status: 403,
      body: { detail: 'This key may not read authors: leave author out of expand.' },
    });
    expect((await send('all', 'GET', `/books/${id}?expand=author`)).status).toBe(200);
    // The second level is that of another collection.
    const deeper = await send('booksAndAuthors', 'GET', `/books/${id}?expand=author.publisher`);
    expect(deeper).toMatchObject({
      status: 403,
      body: { detail: 'This key may not read publishers: leave publisher out of expand.' },
    });
    expect((await send('booksAndAuthors', 'GET', `/books/${id}?expand=author`)).status).toBe(200);
    expect((await send('all', 'GET', `/books/${id}?expand=author.publisher`)).status).toBe(200);
  });

  test('a refused deletion tells nothing of collections that the caller may not read', async () => {
    const { author } = await book();
    const known = await send('all', 'DELETE', `/authors/${author}`);
    expect(known).toMatchObject({ status: 409, body: { collection: 'books', count: 1 } });
    const hidden = await send('authors', 'DELETE', `/authors/${author}`);
    expect(hidden.status).toBe(409);
    expect(JSON.stringify(hidden.body)).not.toContain('books');
  });

  test('a cascade needs write scope on every collection that it touches', async () => {
    const { book: id, review } = await book();
    const refused = await send('books', 'DELETE', `/books/${id}`);
    expect(refused.status).toBe(403);
    expect(JSON.stringify(refused.body)).not.toContain('reviews');
    expect((await send('all', 'GET', `/reviews/${review}`)).status).toBe(200);
    expect((await send('booksAndReviews', 'DELETE', `/books/${id}`)).status).toBe(204);
    expect((await send('all', 'GET', `/reviews/${review}`)).status).toBe(404);
  });

  test('a deletion that clears a field needs write scope on its collection', async () => {
    const publisher = (await send('all', 'POST', '/publishers', { name: 'P' })).body.id;
    const author = (await send('all', 'POST', '/authors', { name: 'A', publisher })).body.id;
    const refused = await send('publishers', 'DELETE', `/publishers/${publisher}`);
    expect(refused.status).toBe(403);
    expect(JSON.stringify(refused.body)).not.toContain('authors');
    expect((await send('all', 'GET', `/authors/${author}`)).body).toMatchObject({ publisher, version: 1 });
    expect((await send('publishersAndAuthors', 'DELETE', `/publishers/${publisher}`)).status).toBe(204);
    expect((await send('all', 'GET', `/authors/${author}`)).body).toMatchObject({ publisher: null, version: 2 });
  });

  test('each change names the key that made it, also in a bulk, under an Idempotency-Key and in a cascade', async () => {
    const feed = async (after: number) => {
      const { data, last } = (await send('all', 'GET', `/changes?after=${after}&limit=1000`)).body as unknown as {
        data: { type: string; by: string | null; record: { title?: string } }[];
        last: number;
      };
      return { last, made: data.map(({ type, by }) => `${type} ${by}`) };
    };
    const { last } = await feed(0);
    const { author, book: id } = await book();
    const post = (type: string, path: string, body: string, headers = {}) =>
      fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'X-API-Key': keys.books ?? '', 'Content-Type': type, ...headers },
        body,
      });
    const one = () => JSON.stringify({ title: 'T', isbn: String(++isbn), price: '1', author });
    expect((await post('application/x-ndjson', '/api/v2/books', `${one()}\n${one()}`)).status).toBe(201);
    expect((await post('application/json', '/api/v2/books', one(), { 'Idempotency-Key': 'by' })).status).toBe(201);
    await send('books', 'PATCH', `/books/${id}`, { title: 'U' });
    await send('booksAndReviews', 'DELETE', `/books/${id}`);
    const user = { id: 4711, name: 'n' };
    await fetch(`${server.url}/api/users`, {
      method: 'POST',
      headers: { 'X-API-Key': keys.all ?? '', 'Content-Type': 'application/json' },
      body: JSON.stringify(user),
    });
    await fetch(`${server.url}/api/users/4711`, { method: 'DELETE', headers: { 'X-API-Key': keys.all ?? '' } });
    expect((await feed(last)).made).toEqual([
      'author.created all',
      'book.created all',
      'review.created all',
      'book.created books',
      'book.created books',
      'book.created books',
      'book.updated books',
      'review.deleted booksAndReviews',
      'book.deleted booksAndReviews',
      'user.created all',
      'user.deleted all',
    ]);
  });

  test('concurrent additions keep the names of their keys', async () => {
    const { data: before } = (await send('all', 'GET', '/changes?limit=1000')).body as unknown as { data: object[] };
    const names = ['all', 'authors', 'all', 'authors', 'authors'];
    const made = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const key = names[n % names.length] ?? '';
        return [(await send(key, 'POST', '/authors', { name: key })).body.id, key] as const;
      }),
    );
    const { data } = (await send('all', 'GET', '/changes?limit=1000&collection=authors')).body as unknown as {
      data: { by: string; record: { id: number } }[];
    };
    expect(before.length).toBeGreaterThan(0);
    const by = new Map(data.map((change) => [change.record.id, change.by]));
    for (const [id, key] of made) expect(by.get(id)).toBe(key);
  });
});
