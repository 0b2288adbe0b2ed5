/** The properties of the OpenAPI document that client generators need, and that the server conforms to it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { collections } from '../../src/collections/registry.ts';
import { collection } from '../../src/domain/record/collection.ts';
import { library } from '../support/data/library.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

type Schema = {
  type?: string;
  format?: string;
  enum?: string[];
  examples?: string[];
  items?: Schema;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean;
  $ref?: string;
};
type Parameter = { name: string; in: string; schema: Schema; explode?: boolean };
type Body = { content?: Record<string, { schema: Schema }>; headers?: Record<string, { $ref: string }> };
type Operation = {
  operationId: string;
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: Body;
  responses: Record<string, Body>;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; headers: Record<string, unknown> };
};

let server: TestServer;
let document: Document;
const documentOf = async (url: string) => (await (await fetch(`${url}/openapi.json`)).json()) as Document;
beforeAll(async () => {
  server = await startServer();
  document = await documentOf(server.url);
});
afterAll(() => server.stop());

function operations() {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

function queriesOf(path: string): Parameter[] {
  return (document.paths[path]?.get?.parameters ?? []).filter((parameter) => parameter.in === 'query');
}

test('an operation id is a verb, a record or its plural, and the version', () => {
  const named = (path: string) =>
    Object.values(document.paths[path] ?? {})
      .map(({ operationId }) => operationId)
      .join(' ');
  expect(named('/api/users')).toBe('listUsers createUser');
  expect(named('/api/users/{id}')).toBe('getUser deleteUser');
  expect(named('/api/v1/users')).toBe('listUsersV1 createUserV1');
  expect(named('/api/v1/users/{id}')).toBe('getUserV1 deleteUserV1');
  expect(named('/api/v2/users')).toBe('listUsersV2 createUserV2');
  expect(named('/api/v2/users/{id}')).toBe('getUserV2 replaceUserV2 patchUserV2 deleteUserV2');
  expect(named('/api/v2/users/bulk')).toBe('createUsersV2');
  expect(named('/api/v2/users/export')).toBe('exportUsersV2');
});

test('every integer has a format', () => {
  const found: string[] = [];
  (function walk(value: unknown, path: string): void {
    if (typeof value !== 'object' || value === null) return;
    const { type, format } = value as Schema;
    if (type === 'integer') found.push(`${format} ${path}`);
    for (const [key, inner] of Object.entries(value)) walk(inner, `${path}/${key}`);
  })(document, '');
  expect(found.length).toBeGreaterThan(50);
  expect(found.filter((one) => !one.startsWith('int64 '))).toEqual([
    'int32 /components/schemas/Problem/properties/status',
  ]);
});

test('each body and each success has one media type, so that a client has one type for it', () => {
  for (const { path, method, operation } of operations()) {
    const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
    for (const body of [operation.requestBody, ...successes.map(([, success]) => success)]) {
      const types = Object.keys(body?.content ?? {});
      expect({ path, method, types, one: types.length <= 1 }).toMatchObject({ one: true });
    }
  }
  expect(Object.keys(document.paths['/api/v2/items/{id}']?.patch?.requestBody?.content ?? {})).toEqual([
    'application/merge-patch+json',
  ]);
});

test('a row of a list has every field', () => {
  const { ItemPage, ItemRecord } = document.components.schemas;
  expect(ItemPage?.properties?.data?.items).toEqual({ $ref: '#/components/schemas/ItemRecord' });
  expect(ItemRecord?.required).toEqual(Object.keys(ItemRecord?.properties ?? {}));
  expect(ItemRecord?.required).toContain('external_id');
});

test('each collection has its own schema of a change', () => {
  const { Change, ItemChange } = document.components.schemas;
  expect(Change).toEqual({
    anyOf: [{ $ref: '#/components/schemas/ItemChange' }, { $ref: '#/components/schemas/UserChange' }],
  } as object);
  expect(ItemChange?.properties?.type?.enum).toEqual(['item.created', 'item.updated', 'item.deleted']);
  expect(ItemChange?.properties?.record).toEqual({ $ref: '#/components/schemas/ItemRecord' });
});

test('only bodies that create or replace a record have defaults, so that a patch need not have these fields', async () => {
  const own = await startServer({ collections: library });
  const { schemas } = (await documentOf(own.url)).components;
  const state = (name: string) => schemas[name]?.properties?.state as { default?: string } | undefined;
  expect(state('BookDraft')?.default).toBe('draft');
  for (const name of ['BookPatch', 'BookRecord']) expect([name, state(name)?.default]).toEqual([name, undefined]);
  expect(schemas.BookDraft?.required).toEqual(['title', 'isbn', 'price', 'author']);
  expect(schemas.BookPatch?.required).toBeUndefined();
  await own.stop();
});

test('only schemas of bodies that refuse unknown fields have additionalProperties: false', () => {
  const { Item, ItemDraft, ItemPatch } = document.components.schemas;
  expect([ItemDraft, ItemPatch, Item].map((schema) => schema?.additionalProperties)).toEqual([false, false, undefined]);
});

describe.each(['/api/v2/items', '/api/v2/items/export'])('the parameters of %s', (path) => {
  const values: Record<string, string> = { integer: '7', number: '0.5', string: 'x', 'date-time': '2026-01-01' };

  test('cover each operator of each field, and the server accepts each', async () => {
    const names = queriesOf(path).map(({ name }) => name);
    for (const name of ['price', 'price[gte]', 'id[in]', 'name[contains]', 'name[eq_ci]', 'created_at[lt]', 'where'])
      expect(names).toContain(name);
    expect(names).not.toContain('price[contains]');
    for (const { name, schema } of queriesOf(path)) {
      if (name === 'cursor') continue;
      const { type = '', format = '', enum: choices = schema.examples } = schema.items ?? schema;
      const value = choices?.[0] ?? values[format] ?? values[type] ?? '';
      const answer = await fetch(`${server.url}${path}?${new URLSearchParams({ [name]: value })}`);
      expect({ name, value, status: answer.status }).toEqual({ name, value, status: 200 });
    }
  });

  test('have an enum if only some values are valid', () => {
    const choices = (name: string) => {
      const schema = queriesOf(path).find((parameter) => parameter.name === name)?.schema;
      return schema?.items?.enum ?? schema?.enum;
    };
    expect(choices('sort')?.slice(0, 4)).toEqual(['id', '-id', 'external_id', '-external_id']);
    expect(choices(path.endsWith('export') ? 'fields' : 'count')?.[0]).toBe(path.endsWith('export') ? 'id' : 'exact');
  });

  test('that are lists may be repeated instead of using commas', async () => {
    const rows = async (search: string) => (await fetch(`${server.url}${path}?${search}`)).text();
    const commas = await rows('sort=-price,name&id[in]=1,2,3');
    expect(commas).toContain('Widget');
    expect(await rows('sort=-price&sort=name&id[in]=1&id[in]=2&id[in]=3')).toBe(commas);
    expect(await rows('sort=-price,name,price&id[in]=1,2,3')).toBe(commas);
  });
});

test('the collections of the feed are an enum', () => {
  for (const path of ['/api/v2/changes', '/api/v2/events']) {
    expect(queriesOf(path).find(({ name }) => name === 'collection')?.schema.enum).toEqual(['items', 'users']);
  }
});

describe('the headers of answers', () => {
  /** Headers of HTTP itself, and headers that only a browser acts on. */
  const implied =
    /^(date|connection|keep-alive|transfer-encoding|content-(type|length|security-policy)|referrer-policy|x-content-type-options|cross-origin-.*|access-control-.*)$/;
  const json = { 'Content-Type': 'application/json' };
  const body = '{"name":"n","price":1}';

  const asked: [string, string, string, RequestInit][] = [
    ['get', '/api/items', '/api/items', { headers: { 'Accept-Encoding': 'gzip' } }],
    [
      'get',
      '/api/items',
      '/api/items',
      { headers: { 'If-None-Match': '*', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` } },
    ],
    ['get', '/api/items/{item_id}', '/api/items/1', {}],
    ['get', '/api/items/{item_id}', '/api/items/x', {}],
    ['post', '/api/users', '/api/users', { method: 'POST', body: '{' }],
    ['get', '/api/v2/items', '/api/v2/items?limit=1', {}],
    ['get', '/api/v2/items/export', '/api/v2/items/export', {}],
    ['get', '/api/v2/items', '/api/v2/items', { headers: { 'If-None-Match': '*' } }],
    ['get', '/api/v2/items', '/api/v2/items', { headers: { 'If-Match': '"x"' } }],
    ['get', '/api/v2/changes', '/api/v2/changes', { headers: { 'If-None-Match': '*' } }],
    ['get', '/openapi.json', '/openapi.json', { headers: { 'Accept-Encoding': 'gzip' } }],
    ['get', '/openapi.json', '/openapi.json', { headers: { 'If-None-Match': '*' } }],
    ['post', '/api/v2/items', '/api/v2/items', { method: 'POST', body, headers: { 'Idempotency-Key': 'a' } }],
    ['post', '/api/v2/items', '/api/v2/items', { method: 'POST', body, headers: { 'Idempotency-Key': 'a' } }],
    ['post', '/api/v2/items', '/api/v2/items', { method: 'POST', body, headers: { 'Content-Encoding': 'gzip' } }],
    ['post', '/api/v2/items/bulk', '/api/v2/items/bulk', { method: 'POST', body: `${body}\n${body}` }],
    ['patch', '/api/v2/items/{id}', '/api/v2/items/1', { method: 'PATCH', body: '{}', headers: json }],
    [
      'patch',
      '/api/v2/items/{id}',
      '/api/v2/items/1',
      { method: 'PATCH', body: '{}', headers: { 'Content-Type': 'text/plain' } },
    ],
    ['get', '/api/v2/changes', '/api/v2/changes', {}],
    ['get', '/', '/', {}],
    ['get', '/api/v2', '/api/v2', {}],
  ];

  test('are all declared, also those of rate limits and of deprecation', async () => {
    const strict = await startServer({
      access: { rateLimit: { value: { count: 1000, seconds: 60 } } },
      server: { deprecation: { value: new Date('2026-01-01') }, sunset: { value: new Date('2030-01-01') } },
    });
    document = await documentOf(strict.url);
    for (const [method, template, path, init] of asked) {
      const answer = await fetch(strict.url + path, init);
      await answer.arrayBuffer();
      const declared = document.paths[template]?.[method]?.responses[answer.status]?.headers ?? {};
      const names = Object.keys(declared).map((name) => name.toLowerCase());
      const sent = [...answer.headers.keys()].filter((name) => !implied.test(name));
      expect({ path, status: answer.status, undeclared: sent.filter((name) => !names.includes(name)) }).toEqual({
        path,
        status: answer.status,
        undeclared: [],
      });
    }
    await strict.stop();
    document = await documentOf(server.url);
  });
});

test('operations of the contract are deprecated only if the operator sets a date', async () => {
  const marked = ({ paths }: Document) =>
    Object.entries(paths).flatMap(([path, { get }]) => (get?.deprecated === true ? [path] : []));
  expect(marked(document)).toEqual([]);
  const old = await startServer({ server: { deprecation: { value: new Date('2026-01-01') } } });
  expect(marked(await documentOf(old.url))).toEqual([
    '/api/items',
    '/api/items/{item_id}',
    '/api/users',
    '/api/users/{id}',
    '/api/v1/items',
    '/api/v1/items/{item_id}',
    '/api/v1/users',
    '/api/v1/users/{id}',
  ]);
  await old.stop();
});

test('examples have the exact digits of the declaration', async () => {
  const tags = collection('long_tags', {
    singular: 'long_tag',
    fields: { label: { type: 'text' } },
    first: { id: 9007199254740993n, label: 'one' },
    contract: { operations: ['fetch'], id: 'id' },
  });
  const odd = await startServer({ collections: [...collections, tags] });
  const written = await (await fetch(`${odd.url}/openapi.json`)).text();
  expect(written).toContain('"id":9007199254740993,"label":"one"');
  expect(written).toContain('"external_id":9007199254740993');
  expect(written).not.toContain('9007199254740992');
  expect(written).toContain('"operationId":"listLongTagsV2"');
  await odd.stop();
});
