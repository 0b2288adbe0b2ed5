/** The OpenAPI document is valid, complete, and says nothing that the server does not do. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { startServer, type TestServer } from './server.ts';

type Media = {
  schema: { $ref?: string; items?: { $ref: string } };
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
};
type Operation = {
  operationId: string;
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
  tags: { name: string }[];
};

let server: TestServer;
let document: Document;
beforeAll(async () => {
  server = await startServer();
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
});
afterAll(() => server.stop());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

test('is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test('a broken document would be found', async () => {
  const broken = structuredClone(document) as unknown as { paths: Record<string, unknown> };
  broken.paths['/api/items'] = { get: { responses: 7 } };
  expect((await new Validator().validate(broken)).valid).toBe(false);
});

test.each(['/api', '/api/v1'])(
  'has every operation of the contract under %s, with its parameter names and statuses',
  (prefix) => {
    const told = operations()
      .filter(({ path }) => new RegExp(`^${prefix}/[a-z]+(/\\{|$)`).test(path))
      .map(({ path, method, operation }) => `${method} ${path} ${Object.keys(operation.responses).join(' ')}`);
    expect(told).toEqual([
      `get ${prefix}/items 200 500`,
      `post ${prefix}/items 201 400 413 415 500`,
      `get ${prefix}/items/{item_id} 200 400 404 500`,
      `get ${prefix}/users 200 500`,
      `post ${prefix}/users 201 400 413 415 500`,
      `get ${prefix}/users/{id} 200 400 404 500`,
      `delete ${prefix}/users/{id} 204 400 404 500`,
    ]);
  },
);

test('has the schemas of the contract', () => {
  expect(document.components.schemas).toMatchObject({
    Item: {
      type: 'object',
      required: ['id', 'name', 'price'],
      properties: { id: { type: 'integer', format: 'int64' }, name: { type: 'string' }, price: { type: 'number' } },
    },
    User: {
      type: 'object',
      required: ['id', 'name'],
      properties: { id: { type: 'integer' }, name: { type: 'string' } },
    },
  });
});

describe('every operation', () => {
  test('has an id of its own and a known tag', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has an example for every body it takes or gives', () => {
    for (const { path, method, operation } of operations()) {
      if (path === '/openapi.json') continue;
      const bodies = [operation.requestBody, ...Object.values(operation.responses)];
      for (const media of bodies.flatMap((body) => Object.entries(body?.content ?? {}))) {
        if (media[0] === 'application/json')
          expect({ path, method, has: 'example' in media[1] || 'examples' in media[1] }).toEqual({
            path,
            method,
            has: true,
          });
      }
    }
  });

  test('refers only to schemas that there are', () => {
    const names = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names)
      expect(Object.keys(document.components.schemas).map((key) => `#/components/schemas/${key}`)).toContain(
        name as string,
      );
  });
});

test('an example body is accepted as it stands', async () => {
  for (const { path, method, operation } of operations()) {
    const example = operation.requestBody?.content['application/json']?.example;
    if (example === undefined) continue;
    const response = await fetch(server.url + path, { method: method.toUpperCase(), body: JSON.stringify(example) });
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual(example);
  }
});

test('a path that is not listed is a page or an asset', async () => {
  for (const path of [
    '/docs',
    '/redoc',
    '/favicon.ico',
    '/docs/swagger-ui.css',
    '/docs/swagger-ui-bundle.js',
    '/redoc/redoc.standalone.js',
  ]) {
    const response = await fetch(server.url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).not.toContain('json');
    expect(document.paths[path]).toBeUndefined();
    const tag = response.headers.get('ETag');
    if (tag !== null) expect((await fetch(server.url + path, { headers: { 'If-None-Match': tag } })).status).toBe(304);
  }
});
