/** The OpenAPI document is valid and complete, and matches the server. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { startServer, type TestServer } from '../support/servers/server.ts';

type Media = {
  schema: { $ref?: string; items?: { $ref: string } };
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
};
type Operation = {
  operationId: string;
  tags: string[];
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; headers: Record<string, unknown> };
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

test('the validator finds an error in a broken document', async () => {
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
      `get ${prefix}/items 200 304 412 500 503`,
      `post ${prefix}/items 201 400 403 408 413 415 500 503`,
      `get ${prefix}/items/{item_id} 200 304 400 404 412 500 503`,
      `get ${prefix}/users 200 304 412 500 503`,
      `post ${prefix}/users 201 400 403 408 413 415 500 503`,
      `get ${prefix}/users/{id} 200 304 400 404 412 500 503`,
      `delete ${prefix}/users/{id} 204 400 403 404 412 500 503`,
    ]);
  },
);

test('has no empty text for readers', () => {
  const text = JSON.stringify(document);
  const at = text.search(/"(?:summary|description|title|name|operationId)":""/);
  expect(at < 0 ? undefined : text.slice(at - 80, at + 20)).toBeUndefined();
});

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
  test('has a unique id and a known tag', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = document.tags.map(({ name }) => name);
    for (const { operation } of operations()) for (const tag of operation.tags) expect(tags).toContain(tag);
  });

  test('has an example for every request and response body', () => {
    for (const { path, method, operation } of operations()) {
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

  test('can be refused under load, except health', () => {
    const always = operations().filter(({ operation }) => !('503' in operation.responses));
    expect(always.map(({ path }) => path)).toEqual(['/healthz']);
  });

  test('refers only to existing schemas', () => {
    const names = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref);
    expect(names.length).toBeGreaterThan(0);
    const components = Object.entries(document.components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    );
    for (const name of names) expect(components).toContain(name as string);
  });
});

test('every path of v2 refuses an unknown query parameter, as declared', async () => {
  for (const { path, method, operation } of operations().filter((one) => one.path.startsWith('/api/v2'))) {
    const url = `${server.url}${path.replace('{id}', '1')}?nope=1`;
    const { status } = await fetch(url, { method: method.toUpperCase(), body: method === 'get' ? null : '{}' });
    expect({ path, method, status, declared: '400' in operation.responses }).toEqual({
      path,
      method,
      status: 400,
      declared: true,
    });
  }
});

test('an example body is accepted unchanged', async () => {
  // test/access/keys.test.ts sends one to a server with authentication, and test/takeover those of the file.
  const elsewhere = ['post /api/v2/keys', 'put /api/v2/settings', 'post /api/v2/settings/plan'];
  for (const { path, method, operation } of operations()) {
    if (elsewhere.includes(`${method} ${path}`)) continue;
    for (const [type, { example }] of Object.entries(operation.requestBody?.content ?? {})) {
      const response = await fetch(server.url + path.replace('{id}', '1'), {
        method: method.toUpperCase(),
        headers: { 'Content-Type': type },
        body: typeof example === 'string' ? example : JSON.stringify(example),
      });
      const [success] = Object.keys(operation.responses);
      expect(String(response.status)).toBe(success ?? '');
      const answer = await response.json();
      // The answers to a bulk and to a transaction have other members than the body.
      if (path.endsWith('/transactions')) expect(answer).toMatchObject({ results: { length: 3 } });
      else expect(answer).toMatchObject(typeof example === 'string' ? { created: 2 } : (example as object));
    }
  }
});

describe('a route that is not listed is a page or an asset', () => {
  const pages = ['/docs', '/redoc', '/favicon.ico', '/console', '/console/', '/console/items/7'];
  const assets = [
    '/theme.css',
    '/pages.css',
    '/console/-/console.js',
    '/console/-/console.css',
    '/docs/swagger-ui.css',
    '/docs/swagger-ui-bundle.js',
    '/docs/start.js',
    '/docs/start.css',
    '/redoc/start.css',
    '/redoc/start.js',
    '/redoc/redoc.standalone.js',
  ];

  test.each([...pages, ...assets])('%s', async (path) => {
    const response = await fetch(server.url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).not.toContain('json');
    expect(document.paths[path]).toBeUndefined();

    const head = await fetch(server.url + path, { method: 'HEAD' });
    expect(head.headers.get('Content-Type')).toBe(response.headers.get('Content-Type'));
    expect(await head.text()).toBe('');
    const options = await fetch(server.url + path, { method: 'OPTIONS' });
    expect(options.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
  });

  test.each(assets)('%s is compressed if the client accepts that, and cached', async (path) => {
    const ask = (headers: Record<string, string>) => fetch(server.url + path, { headers, decompress: false });
    const plain = await ask({ 'Accept-Encoding': 'gzip;q=0' });
    const zipped = await ask({ 'Accept-Encoding': 'br, gzip' });
    expect(plain.headers.get('Content-Encoding')).toBeNull();
    const [whole, sent] = [new Uint8Array(await plain.arrayBuffer()), new Uint8Array(await zipped.arrayBuffer())];
    const worth = whole.length >= 1024;
    expect(zipped.headers.get('Content-Encoding')).toBe(worth ? 'gzip' : null);
    expect(worth ? Bun.gunzipSync(sent) : sent).toEqual(whole);
    expect((await ask({ 'If-None-Match': plain.headers.get('ETag') ?? '' })).status).toBe(304);
  });
});
