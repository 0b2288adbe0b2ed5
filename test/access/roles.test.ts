/** Callers with a role: API keys, tokens and requests without a key, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { readKeysCommand } from '../../src/cli/config/keys-command.ts';
import { collections } from '../../src/collections/registry.ts';
import type { AccessDeclaration } from '../../src/domain/access/declaration.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { FakeIssuer, type Pair } from '../support/servers/issuers/fake-issuer.ts';
import { audience } from '../support/servers/issuers/issuer.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const rules: AccessDeclaration = {
  roles: {
    librarian: { from: { claim: 'realm_access.roles', has: 'staff' } },
    member: { from: { claim: 'member_id' } },
    visitor: { from: 'anybody' },
  },
  collections: {
    items: {
      librarian: 'write',
      member: {
        read: { where: { price: { lte: '$caller.member_id' } }, fields: ['name'] },
        create: { fields: ['name', 'price'] },
      },
      visitor: { read: { fields: ['name'] } },
    },
  },
};

const folder = temporaryFolder();

type Body = Readonly<Record<string, unknown>>;
type Sent = { readonly key?: string; readonly role?: string; readonly body?: object; readonly method?: string };

async function send({ url }: TestServer, path: string, { key, role, body, method = 'GET' }: Sent = {}) {
  const answer = await fetch(`${url}/api/v2${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(role === undefined ? {} : { 'Shelf-Role': role }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Body };
}

/** As `shelf keys create` makes it. */
async function make({ store }: TestServer, name: string, ...args: readonly string[]): Promise<string> {
  const claims = args.filter((_, at) => args[at - 1] === '--claim');
  const flags = new Map(
    args.flatMap((flag, at) => (flag.startsWith('--') ? [[flag, args[at + 1] ?? ''] as const] : [])),
  );
  const order = readKeysCommand(['create'], new Map([...flags, ['--name', name]]), claims);
  if (typeof order === 'string') throw new Error(order);
  const roles = Object.keys(rules.roles);
  return (await runKeys(store.admin.apiKeys, order, new Date(), collections, roles)).output.trimEnd();
}

describe.each(migratedEngines())('%s', (_, newUrl) => {
  let server: TestServer;
  let admin: string;
  let member: string;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), access: { auth: 'all' }, rules });
    admin = await make(server, 'admin', '--scope', 'admin');
    member = await make(server, 'app', '--role', 'member', '--claim', 'member_id=7', '--claim', 'city=Bern');
  });
  afterAll(() => server.stop());

  test('a key has a role and claims, and its rights are those of the role', async () => {
    expect((await send(server, '/me', { key: member })).body).toEqual({
      auth: 'all',
      name: 'app',
      scope: null,
      collections: null,
      role: 'member',
      claims: { member_id: 7 },
      rights: [
        {
          collection: 'items',
          operation: 'read',
          records: 'some',
          fields: ['id', 'external_id', 'name', 'version', 'created_at', 'updated_at'],
        },
        { collection: 'items', operation: 'create', records: 'all', fields: ['external_id', 'name', 'price'] },
      ],
    });
    const listed = (await send(server, '/keys', { key: admin })).body.data as readonly Body[];
    expect(listed[1]).toMatchObject({
      name: 'app',
      scope: null,
      role: 'member',
      claims: { member_id: 7, city: 'Bern' },
    });
    expect(listed[0]).toMatchObject({ name: 'admin', scope: 'admin', role: null, claims: null });
  });

  test('a key with a role is made over HTTP', async () => {
    const body = { name: 'web', role: 'member', claims: { member_id: 8, groups: ['a', 'b'] } };
    const made = await send(server, '/keys', { key: admin, method: 'POST', body });
    expect(made).toMatchObject({ status: 201, body: { ...body, scope: null, collections: null } });
    expect((await send(server, '/me', { key: String(made.body.key) })).body).toMatchObject({
      claims: { member_id: 8 },
    });
  });

  test.each<[object, string, string]>([
    [{}, 'scope', 'is required: send a scope, or a role'],
    [{ scope: 'read', role: 'member' }, 'scope', 'cannot be sent with a role'],
    [{ role: 'membr' }, 'role', 'has the unknown role "membr"; known roles: librarian, member, visitor'],
    [{ role: 'member', collections: ['items'] }, 'collections', 'cannot be sent with a role'],
    [{ role: 'member', claims: 7 }, 'claims', 'must be an object of claims'],
    [{ role: 'member', claims: { a: { b: 1 } } }, 'claims', 'has a wrong value of a'],
    [{ role: 'member', claims: { a: null } }, 'claims', 'has a wrong value of a'],
    [{ role: 'member', claims: { 'a b': 1 } }, 'claims', 'has the name "a b"'],
    [{ scope: 'read', claims: { a: 1 } }, 'claims', 'are only for a key with a role'],
  ])('%j makes no key', async (grant, field, message) => {
    const { status, body } = await send(server, '/keys', { key: admin, method: 'POST', body: { name: 'x', ...grant } });
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ pointer: `#/${field}`, detail: expect.stringContaining(message) }]);
  });

  test('the roles of the file are listed for administrators', async () => {
    const { data } = (await send(server, '/keys/roles', { key: admin })).body as { data: readonly Body[] };
    expect(data.map(({ name, is_for_anybody, claims }) => [name, is_for_anybody, claims])).toEqual([
      ['librarian', false, []],
      ['member', false, ['member_id']],
      ['visitor', true, []],
    ]);
    expect(data[1]?.rights).toMatchObject([
      { where: { price: { lte: '$caller.member_id' } } },
      { operation: 'create' },
    ]);
    expect((await send(server, '/keys/roles', { key: member })).status).toBe(403);
  });

  test('a key acts in its own role alone', async () => {
    expect((await send(server, '/me', { key: member, role: 'member' })).body).toMatchObject({ role: 'member' });
    for (const role of ['visitor', 'librarian', 'constructor'])
      expect(await send(server, '/me', { key: member, role })).toMatchObject({
        status: 403,
        body: { type: '/problems/forbidden', detail: `Shelf-Role "${role}" is no role of app.` },
      });
    expect((await send(server, '/me', { key: admin, role: 'visitor' })).status).toBe(403);
  });

  test('requests without a key act in the role of anybody, an invalid key is refused', async () => {
    expect((await send(server, '/me')).body).toMatchObject({ name: null, role: 'visitor', claims: {} });
    expect((await send(server, '/me', { role: 'visitor' })).body).toMatchObject({ role: 'visitor' });
    expect((await send(server, '/me', { role: 'member' })).body).toMatchObject({
      detail: 'Shelf-Role "member" is no role of a request without a key.',
    });
    expect((await send(server, '/items', { key: 'shelf_wrong' })).status).toBe(401);
  });

  test('a ticket has the role that it was issued in, also that of anybody', async () => {
    const made = await send(server, '/items', { key: admin, method: 'POST', body: { name: 'ticket', price: 1 } });
    expect(made.status).toBe(201);
    for (const [key, role] of [
      [member, 'member'],
      [undefined, 'visitor'],
    ] as const) {
      const issued = await send(server, '/events/ticket', { ...(key === undefined ? {} : { key }), method: 'POST' });
      expect([role, issued.status]).toEqual([role, 201]);
      const query = new URLSearchParams({ collection: 'items', after: '0', ticket: String(issued.body.ticket) });
      const live = await fetch(`${server.url}/api/v2/events?${query}`);
      expect([role, live.status]).toEqual([role, 200]);
      await live.body?.cancel();
      const again = await fetch(`${server.url}/api/v2/events?${query}`);
      expect([role, again.status]).toEqual([role, 401]);
    }
  });

  test('what operators do is not for roles', async () => {
    for (const path of ['/keys', '/figures']) {
      const { status, body } = await send(server, path, { key: member });
      expect([path, status]).toEqual([path, 403]);
      expect(body.detail).toBe('The role member may not do this: it needs a key with the scope admin.');
    }
  });

  test('a key whose role the file has no more is valid for nothing', async () => {
    const key = await make(server, 'old', '--role', 'member');
    const { store } = server;
    const found = (await store.admin.apiKeys.list()).find(({ name }) => name === 'old');
    expect(found?.role).toBe('member');
    await store.admin.apiKeys.add({
      ...(found as NonNullable<typeof found>),
      id: 'gone',
      name: 'gone',
      role: 'reader',
      digest: new Bun.CryptoHasher('sha256').update('shelf_gone').digest('hex'),
    });
    for (const path of ['/me', '/items', '/keys'])
      expect(await send(server, path, { key: 'shelf_gone' })).toMatchObject({
        status: 403,
        body: { detail: 'The role reader of gone is not in the configuration file.' },
      });
    expect((await send(server, '/me', { key })).status).toBe(200);
  });
});

describe.each(['write', 'all'] as const)('tokens with --auth %s', (auth) => {
  let server: TestServer;
  const issuer = FakeIssuer.start();
  let pair: Pair;
  beforeAll(async () => {
    pair = await issuer.publish('one', 'ES256');
    const access = { auth, oidcIssuer: { value: [issuer.url] }, oidcAudience: { value: audience } };
    server = await startServer({ access, rules });
  });
  afterAll(async () => {
    await server.stop();
    await issuer.stop();
  });
  const sign = (claims: Readonly<Record<string, unknown>>) =>
    issuer.sign(pair.privateKey, { alg: 'ES256', kid: 'one' }, { scope: undefined, ...claims });

  test.each<[Readonly<Record<string, unknown>>, string | undefined, string | undefined]>([
    [{ member_id: 7, scope: 'admin' }, 'member', undefined],
    [{ realm_access: { roles: ['x', 'staff'] }, member_id: 7 }, 'librarian', undefined],
    [{ realm_access: { roles: 'x staff' } }, 'librarian', undefined],
    [{ realm_access: { roles: 'stafff' }, scope: 'write' }, undefined, 'write'],
    [{ realm_access: ['staff'], member_id: null }, 'visitor', undefined],
  ])('%j', async (claims, role, scope) => {
    const { body } = await send(server, '/me', { key: await sign(claims) });
    expect([body.role, body.scope ?? undefined]).toEqual([role, scope]);
  });

  test('Shelf-Role chooses another role that holds', async () => {
    const key = await sign({ realm_access: { roles: ['staff'] }, member_id: 7 });
    expect((await send(server, '/me', { key, role: 'member' })).body).toMatchObject({ role: 'member', scope: null });
    expect((await send(server, '/me', { key, role: 'visitor' })).body).toMatchObject({ role: 'visitor' });
    const other = await sign({ realm_access: { roles: ['staff'] } });
    expect((await send(server, '/me', { key: other, role: 'member' })).status).toBe(403);
  });

  test('a ticket of a token has the role that the token chose', async () => {
    const key = await sign({ realm_access: { roles: ['staff'] } });
    const ticketOf = async (role: string) =>
      String((await send(server, '/events/ticket', { key, role, method: 'POST' })).body.ticket);
    const where = encodeURIComponent('{"price":1}');
    const statusOf = async (role: string) => {
      const query = `collection=items&where=${where}&ticket=${await ticketOf(role)}`;
      const answer = await fetch(`${server.url}/api/v2/events?${query}`);
      await answer.body?.cancel();
      return answer.status;
    };
    // A visitor does not see the price.
    expect([await statusOf('librarian'), await statusOf('visitor')]).toEqual([200, 400]);
  });

  test('a key with a scope needs it for reading in either mode, because reading is not for everybody', async () => {
    const key = await make(server, `limited-${auth}`, '--scope', 'read', '--collections', 'items');
    expect((await send(server, '/items', { key })).status).toBe(200);
    expect((await send(server, '/users', { key })).status).toBe(403);
  });

  test('a request without a key acts in the role of anybody in either mode', async () => {
    expect((await send(server, '/me')).body).toMatchObject({ role: 'visitor', scope: null });
  });
});

test('the audit log has the role', async () => {
  const path = join(folder, 'audit.log');
  const server = await startServer({ access: { auth: 'all' }, log: { audit: { value: path } }, rules });
  const key = await make(server, 'app', '--role', 'member', '--claim', 'member_id=7');
  const admin = await make(server, 'admin', '--scope', 'admin');
  const item = await send(server, '/items', { key: admin, method: 'POST', body: { name: 'a', price: 1 } });
  const single = `/items/${item.body.id}`;
  const removal = { operations: [{ op: 'delete', collection: 'items', id: item.body.id }] };
  const sent = [
    await send(server, '/keys', { key }),
    await send(server, '/items/1', { role: 'librarian' }),
    await send(server, '/items/99', { method: 'DELETE' }),
    await send(server, single, { key, method: 'DELETE' }),
    await send(server, '/transactions', { key, method: 'POST', body: removal }),
    await send(server, single, { key: 'shelf_wrong' }),
    await send(server, '/keys', { key: admin, method: 'POST', body: { name: 'web', role: 'member' } }),
  ];
  expect(sent.map(({ status }) => status)).toEqual([403, 403, 404, 403, 403, 401, 201]);
  await server.stop();
  const lines = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Body);
  expect(lines).toMatchObject([
    { caller: 'app', role: 'member', route: 'GET /api/v2/keys', record: null, outcome: 'forbidden' },
    { caller: null, role: null, route: 'GET /api/v2/items/{id}', record: '1', outcome: 'forbidden' },
    {
      caller: 'app',
      role: 'member',
      route: 'DELETE /api/v2/items/{id}',
      record: String(item.body.id),
      outcome: 'forbidden',
    },
    { caller: 'app', role: 'member', route: 'POST /api/v2/transactions', record: null, outcome: 'forbidden' },
    {
      caller: null,
      role: null,
      route: 'GET /api/v2/items/{id}',
      record: String(item.body.id),
      outcome: 'unauthorized',
    },
    { caller: 'admin', role: null, route: 'POST /api/v2/keys', outcome: 'created' },
  ]);
  expect(new Set(lines.map(({ request_id: id }) => id)).size).toBe(lines.length);
});

test('a key with a role may do nothing where the file has no roles', async () => {
  const server = await startServer({ access: { auth: 'all' } });
  const key = await make(server, 'app', '--role', 'librarian');
  const asked = [
    ['GET', '/items'],
    ['GET', '/items/1'],
    ['POST', '/items'],
    ['DELETE', '/items/1'],
    ['POST', '/transactions'],
    ['GET', '/changes'],
    ['GET', ''],
    ['GET', '/figures'],
  ] as const;
  for (const [method, path] of asked) {
    const body = path === '/transactions' ? { operations: [] } : { name: 'a', price: 1 };
    const { status } = await send(server, path, { key, method, ...(method === 'POST' ? { body } : {}) });
    expect([method, path, status]).toEqual([method, path, 403]);
  }
  await server.stop();
});

test('roles need authentication', async () => {
  await expect(startServer({ rules })).rejects.toThrow(
    'The configuration file has roles, which need --auth write or --auth all: with --auth off no request has a caller.',
  );
});
