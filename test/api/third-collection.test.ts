/** A third collection needs one declaration and one line in the registry. */
import { expect, test } from 'bun:test';
import { collections } from '../../src/collections/registry.ts';
import { books } from '../support/data/books.ts';
import { quickEngines } from '../support/servers/engines.ts';
import { Listening } from '../support/servers/network/listening.ts';
import { startServer } from '../support/servers/server.ts';

test.each(quickEngines)('%s: every part of the service includes a third collection', async (_, newUrl) => {
  const { url, stop } = await startServer({ database: await newUrl(), collections: [...collections, books] });
  const get = async (path: string, headers = {}) => (await fetch(url + path, { headers })).text();
  try {
    const first = '{"id":1,"title":"Ficciones","pages":174,"weight":0.2}';
    const second = '{"id":2,"title":"Emma","pages":9223372036854775807,"weight":-0}';
    expect(await get('/api/books')).toBe(`[${first}]`);
    const created = await fetch(`${url}/api/v1/books`, { method: 'POST', body: second });
    expect(created.status).toBe(201);
    expect(await created.text()).toBe(second);
    expect(await get('/api/books/2')).toBe(second);

    const refused = await fetch(`${url}/api/books`, { method: 'POST', body: '{"id":3,"title":"x","pages":1.5}' });
    expect(refused.status).toBe(400);
    expect((await refused.json()) as object).toMatchObject({
      errors: [
        { field: 'pages', message: 'must be an integer' },
        { field: 'weight', message: 'is required' },
      ],
    });

    expect((await fetch(`${url}/api/books/1`, { method: 'DELETE' })).status).toBe(204);
    expect(await get('/api/books')).toBe(`[${second}]`);

    const v2 = (method: string, path: string, body: string, headers = {}) =>
      fetch(`${url}/api/v2/${path}`, { method, body, headers: { 'Content-Type': 'application/json', ...headers } });
    const record = '"external_id":3,"title":"Persuasion","pages":249,"weight":0.25';
    const made = await v2('POST', 'books', `{${record}}`, { 'Idempotency-Key': 'once' });
    expect(await made.text()).toStartWith(`{"id":3,${record},"version":1,`);
    expect((await v2('POST', 'books', `{${record}}`, { 'Idempotency-Key': 'once' })).headers.get('Location')).toBe(
      '/api/v2/books/3',
    );
    expect((await v2('PATCH', 'books/3', '{"pages":250}', { 'If-Match': '"1"' })).headers.get('ETag')).toBe('"2"');
    expect((await v2('PATCH', 'books/3', '{"pages":251}', { 'If-Match': '"1"' })).status).toBe(412);
    const lines = '{"title":"A","pages":1,"weight":1}\n{"title":"B","pages":2,"weight":2}';
    const many = await v2('POST', 'books', lines, { 'Content-Type': 'application/x-ndjson' });
    expect(await many.text()).toBe('{"created":2,"first_id":4,"last_id":5}');
    expect(await get('/api/v2/books?title[starts_with]=P&fields=pages')).toBe(
      '{"data":[{"pages":250}],"next_cursor":null}',
    );
    expect(await get('/api/v2/books?pages[lt]=3&sort=-weight&fields=title', { Accept: 'text/csv' })).toBe(
      'title\r\nB\r\nA\r\n',
    );
    const { data } = JSON.parse(await get('/api/v2/changes?collection=books'));
    expect(data.map(({ type }: { type: string }) => type.replace('book.', '')).join()).toBe(
      'created,created,deleted,created,updated,created,created',
    );
    const listening = await Listening.to(`${url}/api/v2/events?collection=books&after=0`);
    await listening.until(() => listening.told.length === data.length);
    expect(listening.told.map((told) => JSON.parse(told.data))).toEqual(data);
    listening.leave();

    const openapi = JSON.parse(await get('/openapi.json'));
    expect(openapi.paths['/api/books/{book_id}'].get.operationId).toBe('getBook');
    expect(Object.keys(openapi.paths['/api/v2/books/{id}'])).toEqual(['get', 'put', 'patch', 'delete']);
    expect(openapi.components.schemas.Book.required).toEqual(['id', 'title', 'pages', 'weight']);
    expect(await get('/', { Accept: 'text/html' })).toContain('href="/api/books"');
    expect(JSON.parse(await get('/')).collections[2]).toEqual({
      name: 'books',
      href: '/api/books',
      v2: '/api/v2/books',
      count: 4,
    });
  } finally {
    await stop();
  }
});
