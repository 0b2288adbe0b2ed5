/** Authentication with keys and tokens, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { runKeys } from '../../src/cli/commands/keys.ts';
import type { KeysCommand } from '../../src/cli/config/keys-command.ts';
import { collections } from '../../src/collections/registry.ts';
import { keyNamePattern } from '../../src/domain/store/api-keys.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { lastingEngines, quickEngines } from '../support/servers/engines.ts';
import { runShelf, startShelf } from '../support/servers/process.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';
import { ServerLog } from '../support/servers/server-log.ts';

type Create = Extract<KeysCommand, { kind: 'create' }>;
const grant = (name: string, more: Partial<Create> = {}): Create => ({
  kind: 'create',
  name,
  scope: 'read',
  collections: undefined,
  lastsMs: undefined,
  ...more,
});
const make = async ({ store }: TestServer, order: Create, now = new Date()) =>
  (await runKeys(store.admin.apiKeys, order, now, collections)).output.trimEnd();
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

describe.each(quickEngines)('%s', (_, newUrl) => {
  describe('--auth all', () => {
    const log = new ServerLog();
    const keys: Record<string, string> = {};
    let server: TestServer;
    beforeAll(async () => {
      const { logTo } = log;
      server = await startServer({ database: await newUrl(), access: { auth: 'all' }, log: { metrics: true }, logTo });
      keys.reader = await make(server, grant('reader'));
      keys.writer = await make(server, grant('writer', { scope: 'write' }));
      keys.admin = await make(server, grant('admin', { scope: 'admin' }));
      keys.items = await make(server, grant('items-only', { scope: 'write', collections: ['items'] }));
      keys.revoked = await make(server, grant('revoked', { scope: 'admin' }));
      await runKeys(server.store.admin.apiKeys, { kind: 'revoke', key: 'revoked' }, new Date(), collections);
      const before = new Date(Date.now() - 7_200_000);
      keys.expired = await make(server, grant('expired', { scope: 'admin', lastsMs: 3_600_000 }), before);
    });
    afterAll(() => server.stop());

    const status = async (method: string, path: string, headers: Record<string, string>) => {
      const write = method === 'POST' ? { body: '{"id":9,"name":"x","price":1}' } : {};
      const answer = await fetch(server.url + path, { method, headers, ...write });
      await answer.body?.cancel();
      return answer.status;
    };

    test.each([
      ['GET', '/api/items', { nobody: 401, reader: 200, writer: 200, admin: 200, items: 200 }],
      ['GET', '/api/users', { nobody: 401, reader: 200, writer: 200, admin: 200, items: 403 }],
      ['POST', '/api/items', { nobody: 401, reader: 403, writer: 201, admin: 201, items: 201 }],
      ['POST', '/api/v1/users', { nobody: 401, reader: 403, writer: 201, admin: 201, items: 403 }],
      ['GET', '/api/v2/items', { nobody: 401, reader: 200, writer: 200, admin: 200, items: 200 }],
      ['HEAD', '/api/v2/items/1', { nobody: 401, reader: 200, writer: 200, admin: 200, items: 200 }],
      ['DELETE', '/api/v2/users/999', { nobody: 401, reader: 403, writer: 404, admin: 404, items: 403 }],
      ['GET', '/api/v2/changes', { nobody: 401, reader: 200, writer: 200, admin: 200, items: 403 }],
      ['GET', '/api/v2/changes?collection=items', { nobody: 401, reader: 200, writer: 200, admin: 200, items: 200 }],
      ['GET', '/api/v2/changes?collection=users', { nobody: 401, reader: 200, writer: 200, admin: 200, items: 403 }],
      ['GET', '/api/v2/events', { nobody: 401, reader: 200, writer: 200, admin: 200, items: 403 }],
      ['GET', '/api/v2/events?collection=items', { nobody: 401, reader: 200, writer: 200, admin: 200, items: 200 }],
      ['GET', '/api', { nobody: 200, reader: 200, items: 200 }],
      ['GET', '/api/v2', { nobody: 401, reader: 200, writer: 200, admin: 200, items: 200 }],
      ['GET', '/metrics', { nobody: 401, reader: 403, writer: 403, admin: 200, items: 403 }],
      ['GET', '/healthz', { nobody: 200, reader: 200 }],
      ['GET', '/readyz', { nobody: 200 }],
      ['GET', '/docs', { nobody: 200 }],
      ['GET', '/openapi.json', { nobody: 200 }],
      ['GET', '/problems/forbidden', { nobody: 200 }],
      ['OPTIONS', '/api/items', { nobody: 204 }],
      ['GET', '/nothing', { nobody: 404 }],
      ['PATCH', '/api/items', { nobody: 405 }],
    ])('%s %s', async (method, path, expected) => {
      for (const [who, code] of Object.entries(expected)) {
        const headers = who === 'nobody' ? {} : bearer(keys[who] ?? '');
        expect({ who, status: await status(method, path, headers) }).toEqual({ who, status: code });
      }
    });

    test('every kind of wrong key gets the same answer, in the format of each API', async () => {
      const wrong: Record<string, string>[] = [
        {},
        bearer('nonsense'),
        bearer(`${keys.reader}x`),
        bearer(keys.revoked ?? ''),
        bearer(keys.expired ?? ''),
        bearer('a.b.c'),
        { Authorization: keys.reader ?? '' },
        { Authorization: `Basic ${keys.reader}` },
        { 'X-API-Key': 'shelf_' },
      ];
      for (const headers of wrong) {
        const answer = await fetch(`${server.url}/api/items`, { headers });
        expect(answer.status).toBe(401);
        expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer realm="shelf"');
        expect(await answer.text()).toBe(
          '{"detail":"Missing or invalid API key: send Authorization: Bearer <key> or X-API-Key: <key>."}',
        );
        const problem = (await (await fetch(`${server.url}/api/v2/items`, { headers })).json()) as object;
        expect(problem).toMatchObject({ type: '/problems/unauthorized', status: 401 });
      }
    });

    test('a key is accepted in either header, and Bearer in any case', async () => {
      expect(await status('GET', '/api/items', { 'X-API-Key': keys.reader ?? '' })).toBe(200);
      expect(await status('GET', '/api/items', { authorization: `bearer ${keys.reader}` })).toBe(200);
    });

    test('the log has the name of the key and never the key itself', async () => {
      const answer = await fetch(`${server.url}/api/items/1`, { headers: bearer(keys.reader ?? '') });
      expect(await log.of(answer)).toMatchObject({ path: '/api/items/1', key: 'reader', client: '127.0.0.1' });
      const all = JSON.stringify(log.entries);
      for (const key of Object.values(keys)) expect(all).not.toContain(key.slice(6, 30));
    });

    test('an Idempotency-Key is valid only for its caller', async () => {
      const send = (key: string) =>
        fetch(`${server.url}/api/v2/items`, {
          method: 'POST',
          headers: { ...bearer(key), 'Idempotency-Key': 'mine' },
          body: '{"name":"once","price":1}',
        });
      const [first, again] = [await send(keys.writer ?? ''), await send(keys.writer ?? '')];
      const other = await send(keys.admin ?? '');
      expect(again.headers.get('Idempotent-Replayed')).toBe('true');
      expect(other.headers.get('Idempotent-Replayed')).toBeNull();
      expect(await again.text()).toBe(await first.text());
      expect(other.status).toBe(201);
    });

    test('the index has the collections that the caller may read', async () => {
      const namesFor = async (key = '') => {
        const index = await (await fetch(`${server.url}/api/v2`, { headers: bearer(key) })).json();
        return (index as { collections: { name: string }[] }).collections.map(({ name }) => name);
      };
      expect(await namesFor(keys.reader)).toEqual(['items', 'users']);
      expect(await namesFor(keys.items)).toEqual(['items']);
    });

    test('the start page shows no record counts', async () => {
      const index = (await (await fetch(server.url)).json()) as { collections: object[] };
      expect(index.collections[0]).toEqual({ name: 'items', href: '/api/items', v2: '/api/v2/items' });
      const page = await (await fetch(server.url, { headers: { Accept: 'text/html' } })).text();
      expect(page).toContain('X-API-Key: $SHELF_KEY');
    });

    test('OpenAPI has the security schemes, and is valid', async () => {
      const document = await (await fetch(`${server.url}/openapi.json`)).json();
      expect(
        (await new Validator().validate(structuredClone(document) as Record<string, unknown>)).errors,
      ).toBeUndefined();
      const { paths, components } = document as {
        paths: Record<string, Record<string, { security?: object[]; responses: object }>>;
        components: { securitySchemes: object };
      };
      expect(Object.keys(components.securitySchemes)).toEqual(['bearer', 'key']);
      expect(paths['/api/items']?.get?.security).toEqual([{ bearer: [] }, { key: [] }]);
      expect(Object.keys(paths['/api/v2/items']?.post?.responses ?? {})).toEqual(
        expect.arrayContaining(['401', '403']),
      );
      expect(paths['/healthz']?.get?.security).toBeUndefined();
    });
  });

  test('of concurrent creations of a key with the same name one succeeds', async () => {
    const server = await startServer({ database: await newUrl() });
    const tries = Array.from({ length: 20 }, () =>
      make(server, grant('same')).then(
        () => 1,
        () => 0,
      ),
    );
    const made = await Promise.all(tries);
    expect(made.filter((one) => one === 1)).toHaveLength(1);
    expect(await server.store.admin.apiKeys.list()).toHaveLength(1);
    await server.stop();
  });

  test('--auth write requires a key only for writes and metrics', async () => {
    const server = await startServer({ database: await newUrl(), access: { auth: 'write' }, log: { metrics: true } });
    const body = '{"id":9,"name":"x","price":1}';
    const post = (headers = {}) => fetch(`${server.url}/api/items`, { method: 'POST', body, headers });
    expect((await fetch(`${server.url}/api/items`)).status).toBe(200);
    expect((await fetch(`${server.url}/api/v2/changes`)).status).toBe(200);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(401);
    const metrics = async (key: string) => (await fetch(`${server.url}/metrics`, { headers: bearer(key) })).status;
    expect(await metrics(await make(server, grant('writes', { scope: 'write' })))).toBe(403);
    expect(await metrics(await make(server, grant('a', { scope: 'admin' })))).toBe(200);
    expect((await post()).status).toBe(401);
    expect((await post(bearer(await make(server, grant('r'))))).status).toBe(403);
    expect((await post(bearer(await make(server, grant('w', { scope: 'write' }))))).status).toBe(201);
    await server.stop();
  });

  test('a valid key works while wrong keys from the same address are over the rate limit', async () => {
    const rateLimit = { value: { count: 5, seconds: 3600 } };
    const server = await startServer({ database: await newUrl(), access: { auth: 'all', rateLimit } });
    const keys = [
      await make(server, grant('used')),
      await make(server, grant('gone')),
      await make(server, grant('new')),
    ];
    const [used = '', gone = '', fresh = ''] = keys;
    const status = async (key: string) => (await fetch(`${server.url}/api/items`, { headers: bearer(key) })).status;
    expect([await status(used), await status(gone)]).toEqual([200, 200]);
    for (let n = 0; n < 5; n++) expect(await status(`wrong-${n}`)).toBe(401);
    expect(await status('wrong')).toBe(429);
    expect(await status(used)).toBe(200);
    // A valid key that has not been used yet is treated like a guess.
    expect(await status(fresh)).toBe(429);
    await runKeys(server.store.admin.apiKeys, { kind: 'revoke', key: 'gone' }, new Date(), collections);
    expect([await status(gone), await status(gone)]).toEqual([429, 429]);
    expect((await fetch(`${server.url}/api/items`, { headers: bearer(used) })).headers.get('RateLimit')).toContain(
      'r=2;',
    );
    await server.stop();
  });

  test.each(['write', 'all'] as const)('shared caches may not store answers with --auth %s', async (auth) => {
    const server = await startServer({ database: await newUrl(), access: { auth } });
    const headers = bearer(await make(server, grant('r')));
    const cached = async (path: string, method = 'GET') => {
      const answer = await fetch(server.url + path, { method, headers });
      expect(answer.headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin');
      return answer.headers.get('Cache-Control');
    };
    for (const path of ['/api/items', '/api/items/1', '/api/items/404', '/api/v2/users', '/api/v2/changes'])
      expect({ path, cached: await cached(path) }).toEqual({ path, cached: 'private, no-store' });
    expect(await cached('/api/items', 'POST')).toBe('private, no-store');
    expect(await cached('/openapi.json')).toBe('no-cache');
    await server.stop();
  });

  test('without --auth a key is ignored, and OpenAPI has no security scheme', async () => {
    const server = await startServer({ database: await newUrl() });
    expect((await fetch(`${server.url}/api/items`, { headers: bearer('nonsense') })).status).toBe(200);
    expect(await (await fetch(`${server.url}/openapi.json`)).text()).not.toContain('securitySchemes');
    await server.stop();
  });
});

test.each(lastingEngines())(
  '%s: the command works while a server runs, and a revocation takes effect at once',
  async (_, newUrl) => {
    const database = await newUrl();
    const server = await startServer({ database, access: { auth: 'all' } });
    const other = database.startsWith('postgres') ? await startServer({ database, access: { auth: 'all' } }) : server;
    const keys = (...args: string[]) => runShelf({ args: ['keys', ...args, '--database', database] });

    const made = await keys('create', '--name', 'ci', '--scope', 'read', '--expires', '90d');
    expect(made.stdout).toMatch(/^shelf_[\w-]{43}\n$/);
    const place = database.replace(/^sqlite:|\?.*/g, '');
    expect(made.stderr).toStartWith(`shelf: Database ${place}. The key ci is shown this once; `);
    const key = made.stdout.trimEnd();
    const statuses = async () =>
      Promise.all(
        [server, other].map(async ({ url }) => (await fetch(`${url}/api/items`, { headers: bearer(key) })).status),
      );
    expect(await statuses()).toEqual([200, 200]);
    expect((await keys('create', '--name', 'ci', '--scope', 'read')).stderr).toContain('The key "ci" exists already');

    const listed = (await keys('list')).stdout;
    expect(listed).toMatch(/^\w{12} {2}ci +read +all +\d{4}-\d\d-\d\d {2}\d{4}-\d\d-\d\d {2}- +active$/m);
    expect(listed).not.toContain(key.slice(6, 20));
    expect((await keys('revoke', 'ci')).stdout).toBe('The key ci is revoked.\n');
    expect(await statuses()).toEqual([401, 401]);
    expect((await keys('revoke', 'ci')).code).toBe(1);
    expect((await keys('create', '--name', 'ci', '--scope', 'write')).code).toBe(0);
    const unknown = await keys('create', '--name', 'b', '--scope', 'read', '--collections', 'planets');
    expect(unknown.stderr).toContain('Unknown collection "planets"; known collections: items, users.');
    await server.stop();
    if (other !== server) await other.stop();
  },
);

test.each(lastingEngines())('%s: the command creates no database', async (_, newUrl) => {
  const database = await newUrl();
  const args = ['keys', 'create', '--name', 'ci', '--scope', 'read', '--database', database];
  const refused = await runShelf({ args });
  expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('run shelf migrate');
  expect((await runShelf({ args: ['migrate', '--database', database] })).code).toBe(0);
  expect((await runShelf({ args })).code).toBe(0);
});

test.each([
  [['keys'], 'Usage: shelf keys create'],
  [['keys', 'burn'], 'Usage: shelf keys create'],
  [['keys', 'create', '--scope', 'read'], '--name must be'],
  [['keys', 'create', '--name', 'a b', '--scope', 'read'], '--name must be'],
  [['keys', 'create', '--name', 'a', '--scope', 'all'], '--scope must be one of read, write, admin, not "all".'],
  [['keys', 'create', '--name', 'a', '--scope', 'read', '--expires', 'soon'], '--expires must be'],
  [['keys', 'list', '--name', 'a'], '--name is only valid with keys create'],
  [['keys', 'revoke'], 'Usage: shelf keys revoke NAME'],
  [['keys', 'list', '--database', 'memory:'], 'memory: stores no API keys'],
  [['keys', 'list', 'more'], 'Usage: shelf keys create'],
  [['keys', 'list'], 'does not exist: correct --database; to make a new one, run shelf migrate.'],
  [['keys', 'revoke', 'x'], 'does not exist: correct --database'],
  [['keys', 'create', '--name', 'a', '--scope', 'read'], 'does not exist: correct --database'],
])('%j is one line that says what to do', async (args, expected) => {
  const given = args.includes('--database')
    ? args
    : [...args, '--database', `sqlite:${join(temporaryFolder(), 'k.db')}`];
  const { code, stdout, stderr } = await runShelf({ args: given });
  expect({ code: code > 0, stdout, lines: stderr.split('\n').length }).toEqual({ code: true, stdout: '', lines: 2 });
  expect(stderr).toContain(expected);
});

describe('tokens', () => {
  const issuer = 'https://id.example.com';
  const audience = 'shelf';
  type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
  const published: object[] = [];
  let away = false;
  let asked = 0;
  let host: Bun.Server<undefined>;
  let server: TestServer;
  let first: Pair;

  const publish = async (pair: Pair, kid: string, alg: string) => {
    published.push({ ...(await exportJWK(pair.publicKey)), kid, alg });
  };
  const sign = (pair: Pair, kid: string, claims: Readonly<Record<string, unknown>> = {}, alg = 'ES256') =>
    new SignJWT({ iss: issuer, aud: audience, sub: 'ada', scope: 'openid shelf:write', ...claims } as JWTPayload)
      .setProtectedHeader({ alg, kid })
      .setExpirationTime((claims.exp as number | undefined) ?? '5m')
      .sign(pair.privateKey);
  const status = async (token: string, method = 'GET') => {
    const body = method === 'GET' ? {} : { body: '{"id":9,"name":"x","price":1}' };
    return (await fetch(`${server.url}/api/items`, { method, headers: bearer(token), ...body })).status;
  };

  beforeAll(async () => {
    first = await generateKeyPair('ES256');
    await publish(first, 'one', 'ES256');
    host = Bun.serve({
      port: 0,
      fetch: () => {
        asked++;
        return away ? new Response('', { status: 503 }) : Response.json({ keys: published });
      },
    });
    server = await startServer({
      access: {
        auth: 'all',
        jwtIssuer: { value: issuer },
        jwtKeys: { value: String(host.url) },
        jwtAudience: { value: audience },
      },
    });
  });
  afterAll(async () => {
    await server.stop();
    await host.stop(true);
  });

  test('a valid token has the permissions of its scope', async () => {
    expect(await status(await sign(first, 'one'))).toBe(200);
    expect(await status(await sign(first, 'one'), 'POST')).toBe(201);
    expect(await status(await sign(first, 'one', { scope: 'read' }), 'POST')).toBe(403);
    expect(await status(await sign(first, 'one', { scope: undefined, scp: ['admin'] }), 'POST')).toBe(201);
  });

  test('an invalid token is answered with 401', async () => {
    const secret = new TextEncoder().encode('x'.repeat(32));
    const claims = { iss: issuer, aud: audience, sub: 'ada', scope: 'admin' };
    const shared = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .setExpirationTime('5m')
      .sign(secret);
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const unsigned = `${encode({ alg: 'none' })}.${encode({ ...claims, exp: Date.now() })}.`;
    const good = await sign(first, 'one');
    const [head, , signature] = good.split('.');
    const wrong = {
      'another key': await sign(await generateKeyPair('ES256'), 'one'),
      'another issuer': await sign(first, 'one', { iss: 'https://evil.example.com' }),
      'another audience': await sign(first, 'one', { aud: 'other' }),
      'no audience': await sign(first, 'one', { aud: undefined }),
      expired: await sign(first, 'one', { exp: Math.floor(Date.now() / 1000) - 60 }),
      'not yet': await sign(first, 'one', { nbf: Math.floor(Date.now() / 1000) + 600 }),
      'no scope of ours': await sign(first, 'one', { scope: 'openid reading' }),
      'no scope': await sign(first, 'one', { scope: undefined }),
      'no subject': await sign(first, 'one', { sub: undefined }),
      'an empty subject': await sign(first, 'one', { sub: '' }),
      'a subject that is a number': await sign(first, 'one', { sub: 42 }),
      'a subject that is a list': await sign(first, 'one', { sub: ['ada'] }),
      'a shared secret': shared,
      'no signature': unsigned,
      'other claims under the signature': `${head}.${encode({ ...claims, exp: 4e9 })}.${signature}`,
      nonsense: 'a.b.c',
    };
    for (const [what, token] of Object.entries(wrong)) {
      expect({ what, status: await status(token) }).toEqual({ what, status: 401 });
    }
  });

  test('a token is named by its subject, as no API key can be', async () => {
    const by = async (sub: string) => {
      expect(await status(await sign(first, 'one', { sub }), 'POST')).toBe(201);
      const changes = await fetch(`${server.url}/api/v2/changes`, { headers: bearer(await sign(first, 'one')) });
      return ((await changes.json()) as { data: { by: string }[] }).data.at(-1)?.by;
    };
    expect(await by('ci')).toBe('jwt:ci');
    expect('jwt:ci').not.toMatch(new RegExp(keyNamePattern));
    const digest = await by('Ada Lovelace');
    expect(digest).toMatch(/^jwt:#[0-9a-f]{16}$/);
    expect(await by(digest?.slice('jwt:'.length) ?? '')).not.toBe(digest);
    const me = await fetch(`${server.url}/api/v2/me`, { headers: bearer(await sign(first, 'one')) });
    expect(await me.json()).toMatchObject({ name: 'jwt:ada', scope: 'write' });
  });

  test('a key that a token creates expires with it', async () => {
    const exp = Math.floor(Date.now() / 1000) + 600;
    const create = async (name: string, claims: object) => {
      const headers = bearer(await sign(first, 'one', { scope: 'admin', ...claims }));
      const made = await fetch(`${server.url}/api/v2/keys`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ name, scope: 'read' }),
      });
      return ((await made.json()) as { expires_at: string }).expires_at;
    };
    expect(await create('short', { exp })).toBe(new Date(exp * 1000).toISOString());
    expect(await create('long', { exp: 1e18 })).toBe('9999-12-31T23:59:59.999Z');
  });

  test('known keys stay valid while the issuer is unavailable, which is not requested for each token', async () => {
    away = true;
    const before = asked;
    for (let n = 0; n < 20; n++) {
      expect(await status(await sign(first, 'one'))).toBe(200);
      expect(await status(await sign(first, `unknown ${n}`))).toBe(401);
    }
    expect(asked - before).toBeLessThanOrEqual(2);
    away = false;
  });

  test('a new key of the issuer is found without a restart', async () => {
    const second = await generateKeyPair('EdDSA');
    const file = join(temporaryFolder(), 'jwks.json');
    await Bun.write(file, JSON.stringify({ keys: published }));
    const jwt = { jwtIssuer: { value: issuer }, jwtKeys: { value: file } };
    const fresh = await startServer({ access: { auth: 'all', ...jwt } });
    const ask = async (token: string) => (await fetch(`${fresh.url}/api/items`, { headers: bearer(token) })).status;
    await publish(second, 'two', 'EdDSA');
    await Bun.write(file, JSON.stringify({ keys: published }));
    expect(await ask(await sign(second, 'two', {}, 'EdDSA'))).toBe(200);
    expect(await ask(await sign(first, 'one'))).toBe(200);
    await fresh.stop();
  });

  test.each([
    [['--jwt-issuer', issuer], '--jwt-issuer needs --jwt-keys'],
    [['--jwt-keys', '/nowhere'], '--jwt-keys needs --jwt-issuer'],
    [['--jwt-issuer', issuer, '--jwt-keys', '/nowhere', '--jwt-audience', 'a'], '--jwt-issuer needs --auth'],
    [
      ['--jwt-issuer', issuer, '--jwt-keys', '/nowhere', '--jwt-audience', 'a', '--auth', 'all'],
      'Cannot read --jwt-keys /nowhere',
    ],
  ])('%j is one line that says what to do', async (args, expected) => {
    const { code, stderr } = await runShelf({ args: [...args, '--database', 'memory:', '--port', '0'] });
    expect({ code, lines: stderr.split('\n').length }).toEqual({ code: 1, lines: 2 });
    expect(stderr).toContain(expected);
  });
});

test('with --auth there is no warning of an open service', async () => {
  const args = ['--host', '0.0.0.0', '--database', 'memory:'];
  const [open, guarded] = [await startShelf({ args }), await startShelf({ args: [...args, '--auth', 'all'] })];
  await open.stop();
  await guarded.stop();
  expect(await open.errors()).toContain('without authentication');
  expect(await guarded.errors()).not.toContain('without authentication');
});
