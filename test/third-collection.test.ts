/** A third collection is one declaration and one line in the registry: everything else follows from it. */
import { expect, test } from 'bun:test';
import { collections } from '../src/collections/registry.ts';
import { collection } from '../src/domain/collection.ts';
import { integer, number, text } from '../src/domain/field.ts';
import { quickEngines } from './engines.ts';
import { startServer } from './server.ts';

const books = collection({
  name: 'books',
  singular: 'book',
  fields: { title: text(), pages: integer(), weight: number() },
  first: { id: 1n, title: 'Ficciones', pages: 174n, weight: 0.2 },
  operations: ['fetch', 'delete'],
  idParameter: 'book_id',
});

test.each(quickEngines)('%s: routes, validation, storage, OpenAPI and the start page know it', async (_, newUrl) => {
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

    const openapi = JSON.parse(await get('/openapi.json'));
    expect(openapi.paths['/api/books/{book_id}'].get.operationId).toBe('getBook');
    expect(openapi.components.schemas.Book.required).toEqual(['id', 'title', 'pages', 'weight']);
    expect(await get('/', { Accept: 'text/html' })).toContain('href="/api/books"');
    expect(JSON.parse(await get('/')).collections[2]).toEqual({ name: 'books', href: '/api/books', count: 1 });
  } finally {
    await stop();
  }
});
