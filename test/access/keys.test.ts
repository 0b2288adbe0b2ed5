/** Administration of API keys over HTTP, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { collections } from '../../src/collections/registry.ts';
import type { Scope } from '../../src/domain/caller.ts';
import { migratedEngines, quickEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';
import { ServerLog } from '../support/servers/server-log.ts';

type Shown = Readonly<Record<string, unknown>> & { readonly id: string; readonly name: string; readonly key: string };
type Body = Shown & { readonly data: readonly Shown[]; readonly detail: string; readonly errors: readonly object[] };

async function make({ store }: TestServer, name: string, scope: Scope, only?: string[]): Promise<string> {
  const order = { kind: 'create', name, scope, collections: only, lastsMs: undefined } as const;
  return (await runKeys(store.admin.apiKeys, order, new Date(), collections)).output.trimEnd();
}

async function send({ url }: TestServer, key: string, method: string, path: string, body?: unknown) {
  const answer = await fetch(`${url}/api/v2${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: (text === '' ? {} : JSON.parse(text)) as Body };
}

describe.each(quickEngines)('%s', (_, newUrl) => {
  let server: TestServer;
  let admin: string;
  const log = new ServerLog();
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), access: { auth: 'all' }, logTo: log.logTo });
    admin = await make(server, 'admin', 'admin');
  });
  afterAll(() => server.stop());

  test('a key is created, shown once, used, listed and revoked', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const grant = { name: 'shop', scope: 'write', collections: ['items'], expires_at };
    const made = await send(server, admin, 'POST', '/keys', grant);
    expect(made.status).toBe(201);
    expect(made.headers.get('cache-control')).toBe('private, no-store');
    expect(made.body).toMatchObject({ ...grant, state: 'active', revoked_at: null, last_used_at: null });
    const { key, id } = made.body;
    expect(key).toMatch(/^shelf_[\w-]{43}$/);

    expect((await send(server, key, 'GET', '/items')).status).toBe(200);
    expect((await send(server, key, 'GET', '/users')).status).toBe(403);
    const listed = await send(server, admin, 'GET', '/keys');
    expect(listed.body.data.map(({ name }) => name)).toEqual(['admin', 'shop']);
    expect(JSON.stringify(listed.body)).not.toContain(key);
    expect(Object.keys(listed.body.data[1] ?? {})).not.toContain('digest');

    expect((await send(server, admin, 'DELETE', `/keys/${id}`)).status).toBe(204);
    expect((await send(server, key, 'GET', '/items')).status).toBe(401);
    const revoked = (await send(server, admin, 'GET', '/keys')).body.data.find((one) => one.id === id);
    expect(revoked).toMatchObject({ state: 'revoked', revoked_at: expect.stringMatching(/^20/) });

    const again = await send(server, admin, 'DELETE', `/keys/${id}`);
    expect(again).toMatchObject({ status: 404, body: { detail: expect.stringContaining('to revoke') } });
    const logged = await log.count('key', 2);
    expect(logged.map(({ action, name, by }) => ({ action, name, by }))).toEqual([
      { action: 'created', name: 'shop', by: 'admin' },
      { action: 'revoked', name: 'shop', by: 'admin' },
    ]);
    expect(JSON.stringify(logged)).not.toContain(key);
  });

  test('a key does not outlive the key that creates it', async () => {
    const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
    const expires_at = inMs(3_600_000);
    const { body } = await send(server, admin, 'POST', '/keys', { name: 'expiring', scope: 'admin', expires_at });
    const create = (grant: object) => send(server, body.key, 'POST', '/keys', { scope: 'read', ...grant });
    expect(await create({ name: 'same' })).toMatchObject({ status: 201, body: { expires_at } });
    expect(await create({ name: 'earlier', expires_at: inMs(60_000) })).toMatchObject({ status: 201 });
    const later = inMs(7_200_000);
    const problem = {
      pointer: '#/expires_at',
      detail: `must not be after ${expires_at}, when expiring expires; got ${later}`,
    };
    expect(await create({ name: 'later', expires_at: later })).toMatchObject({
      status: 400,
      body: { errors: [problem] },
    });
    const made = (await send(server, admin, 'GET', '/keys')).body.data.filter(({ state }) => state === 'active');
    for (const { id, name } of made)
      if (name !== 'admin') expect((await send(server, admin, 'DELETE', `/keys/${id}`)).status).toBe(204);
  });

  test('the example of OpenAPI is accepted', async () => {
    type Document = {
      paths: { '/api/v2/keys': { post: { requestBody: { content: Record<string, { example: object }> } } } };
    };
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
    const example = paths['/api/v2/keys'].post.requestBody.content['application/json']?.example ?? {};
    const made = await send(server, admin, 'POST', '/keys', example);
    expect(made).toMatchObject({ status: 201, body: example });
    expect((await send(server, admin, 'DELETE', `/keys/${made.body.id}`)).status).toBe(204);
  });

  test('a name is taken until its key is revoked', async () => {
    const { body } = await send(server, admin, 'POST', '/keys', { name: 'once', scope: 'read' });
    const taken = await send(server, admin, 'POST', '/keys', { name: 'once', scope: 'read' });
    expect(taken).toMatchObject({ status: 409, body: { errors: [{ pointer: '#/name' }] } });
    await send(server, admin, 'DELETE', `/keys/${body.id}`);
    expect((await send(server, admin, 'POST', '/keys', { name: 'once', scope: 'read' })).status).toBe(201);
  });

  test('every mistake in a body is named', async () => {
    const wrong = await send(server, admin, 'POST', '/keys', { name: 'a b', scope: 'root', colour: 1 });
    expect(wrong.status).toBe(400);
    expect(wrong.body.errors).toMatchObject([{ pointer: '#/colour' }, { pointer: '#/name' }, { pointer: '#/scope' }]);
    const past = { name: 'n', scope: 'read', collections: ['nothing'], expires_at: '2020-01-01T00:00:00Z' };
    const later = await send(server, admin, 'POST', '/keys', past);
    expect(later.body.errors).toEqual([
      {
        pointer: '#/collections',
        detail: 'has the unknown collection "nothing"; known collections: items, users',
      },
      { pointer: '#/expires_at', detail: 'must be in the future, got 2020-01-01T00:00:00.000Z' },
    ]);
    expect((await send(server, admin, 'POST', '/keys', '{')).status).toBe(400);
  });

  test('only an unlimited key of scope admin administers keys', async () => {
    const limited = await make(server, 'limited', 'admin', ['items']);
    const writer = await make(server, 'writer', 'write');
    for (const key of [limited, writer])
      for (const [method, path] of [
        ['GET', '/keys'],
        ['POST', '/keys'],
        ['DELETE', '/keys/1'],
      ] as const)
        expect((await send(server, key, method, path, method === 'POST' ? {} : undefined)).status).toBe(403);
    expect((await send(server, 'wrong', 'GET', '/keys')).status).toBe(401);
  });
});

test('without authentication no key is administered', async () => {
  const server = await startServer();
  const made = await send(server, '', 'POST', '/keys', { name: 'back', scope: 'admin' });
  expect(made).toMatchObject({ status: 403, body: { detail: expect.stringContaining('start it with --auth') } });
  expect((await send(server, '', 'GET', '/keys')).status).toBe(403);
  expect(await server.store.admin.apiKeys.list()).toEqual([]);
  await server.stop();
});

test.each(migratedEngines())('%s: the last use of a key is stored when the server stops', async (_, newUrl) => {
  const database = await newUrl();
  const first = await startServer({ database, access: { auth: 'all' } });
  const used = await make(first, 'used', 'admin');
  await make(first, 'unused', 'read');
  const before = new Date().toISOString();
  await send(first, used, 'GET', '/items');
  await first.stop();
  const second = await startServer({ database, access: { auth: 'all' } });
  const { data } = (await send(second, used, 'GET', '/keys')).body;
  expect(data.find(({ name }) => name === 'unused')).toMatchObject({ last_used_at: null });
  const at = String(data.find(({ name }) => name === 'used')?.last_used_at);
  expect(at >= before && at <= new Date().toISOString()).toBe(true);
  // A use that another instance has stored later is not overwritten by an earlier one.
  const digest = (await second.store.admin.apiKeys.list()).find(({ name }) => name === 'used')?.digest ?? '';
  await second.store.admin.apiKeys.used([{ digest, at: '2020-01-01T00:00:00.000Z' }]);
  expect((await second.store.admin.apiKeys.find(digest))?.lastUsedAt).toBe(at);
  await second.stop();
});
