/** --audit: every refused request and every change of an API key or of the configuration file, from every thread, worker and command. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { collections } from '../../src/collections/registry.ts';
import type { Scope } from '../../src/domain/caller.ts';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { fileOf, startLive } from '../support/servers/live.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { TlsFolder } from '../support/servers/network/tls.ts';
import { runShelf, startShelf } from '../support/servers/process.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

type Line = Readonly<Record<'time' | 'caller' | 'role' | 'route' | 'record' | 'outcome' | 'request_id', string | null>>;
const linesIn = (path: string): Line[] =>
  (existsSync(path) ? readFileSync(path, 'utf8') : '')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
async function make({ store }: TestServer, name: string, scope: Scope, only?: readonly string[]) {
  const order = { kind: 'create', name, scope, collections: only, lastsMs: undefined } as const;
  return (await runKeys(store.admin.apiKeys, order, new Date(), collections)).output.trimEnd();
}

describe.each([1, 3])('with %d threads', (threads) => {
  const path = join(temporaryFolder(), 'audit.log');
  let server: TestServer;
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    server = await startServer({
      server: { threads },
      access: { auth: 'all', allowedHosts: { value: ['shelf.test'] } },
      log: { audit: { value: path } },
    });
    keys.reader = await make(server, 'reader', 'read');
    keys.admin = await make(server, 'admin', 'admin');
    keys.items = await make(server, 'items-only', 'write', ['items']);
  });
  afterAll(() => server.stop());

  /** The line of the request with this answer. It may come after the answer. */
  async function lineOf({ headers }: Response): Promise<Line> {
    const id = headers.get('X-Request-Id');
    for (;;) {
      const found = linesIn(path).find(({ request_id }) => request_id === id);
      if (found !== undefined) return found;
      await Bun.sleep(1);
    }
  }
  const ask = (method: string, target: string, headers: Record<string, string>, body?: string) =>
    fetch(server.url + target, {
      method,
      headers: { Connection: 'close', ...headers },
      ...(body === undefined ? {} : { body }),
    });

  type Case = readonly [method: string, path: string, headers: () => Record<string, string>, expected: Partial<Line>];
  const cases: readonly Case[] = [
    ['GET', '/api/items', () => ({}), { caller: null, route: 'GET /api/items', record: null, outcome: 'unauthorized' }],
    [
      'GET',
      '/api/v2/items/7',
      () => bearer('shelf_wrong'),
      { caller: null, route: 'GET /api/v2/items/{id}', record: '7', outcome: 'unauthorized' },
    ],
    ['HEAD', '/api/v2/items/7', () => ({}), { route: 'HEAD /api/v2/items/{id}', record: '7', outcome: 'unauthorized' }],
    [
      'DELETE',
      '/api/v2/items/7',
      () => bearer(keys.reader ?? ''),
      { caller: 'reader', route: 'DELETE /api/v2/items/{id}', record: '7', outcome: 'forbidden' },
    ],
    [
      'GET',
      '/api/v2/users/1',
      () => bearer(keys.items ?? ''),
      { caller: 'items-only', route: 'GET /api/v2/users/{id}', record: '1', outcome: 'forbidden' },
    ],
    [
      'DELETE',
      '/api/users/1',
      () => bearer(keys.items ?? ''),
      { caller: 'items-only', record: '1', outcome: 'forbidden' },
    ],
    [
      'GET',
      '/api/v2/changes?collection=users',
      () => bearer(keys.items ?? ''),
      { caller: 'items-only', route: 'GET /api/v2/changes', record: null, outcome: 'forbidden' },
    ],
    [
      'GET',
      '/api/v2/keys',
      () => bearer(keys.reader ?? ''),
      { caller: 'reader', route: 'GET /api/v2/keys', outcome: 'forbidden' },
    ],
    [
      'DELETE',
      '/api/v2/keys/abc',
      () => bearer(keys.reader ?? ''),
      { caller: 'reader', route: 'DELETE /api/v2/keys/{id}', record: 'abc', outcome: 'forbidden' },
    ],
    [
      'GET',
      '/api/v2/events?ticket=forged',
      () => ({}),
      { caller: null, route: 'GET /api/v2/events', outcome: 'unauthorized' },
    ],
    ['GET', '/api/items', () => ({ Host: 'evil.test' }), { route: 'GET /api/items', outcome: 'host_not_allowed' }],
    ['GET', '/nothing', () => ({ Host: 'evil.test' }), { route: null, record: null, outcome: 'host_not_allowed' }],
    [
      'POST',
      '/api/v2/items',
      () => ({ ...bearer(keys.admin ?? ''), 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.test' }),
      { route: 'POST /api/v2/items', outcome: 'cross_origin' },
    ],
    [
      'GET',
      `/api/v2/items/${encodeURIComponent('1\n{"outcome":"created"}')}`,
      () => ({}),
      { record: '1\n{"outcome":"created"}', outcome: 'unauthorized' },
    ],
    ['GET', '/api/v2/items/%ff', () => ({}), { record: '%ff', outcome: 'unauthorized' }],
    ['GET', `/api/v2/items/${'9'.repeat(500)}`, () => ({}), { record: '9'.repeat(100), outcome: 'unauthorized' }],
  ];
  test.each(cases)('%s %s', async (method, target, headers, expected) => {
    const answer = await ask(method, target, headers());
    expect([401, 403]).toContain(answer.status);
    await answer.body?.cancel();
    expect(await lineOf(answer)).toMatchObject(expected);
  });

  test('a key that is created and revoked over HTTP', async () => {
    const made = await ask('POST', '/api/v2/keys', bearer(keys.admin ?? ''), '{"name":"shop","scope":"read"}');
    const { id, key } = (await made.json()) as { id: string; key: string };
    expect(await lineOf(made)).toMatchObject({
      caller: 'admin',
      route: 'POST /api/v2/keys',
      record: id,
      outcome: 'created',
    });
    const revoked = await ask('DELETE', `/api/v2/keys/${id}`, bearer(keys.admin ?? ''));
    expect(await lineOf(revoked)).toMatchObject({
      caller: 'admin',
      route: 'DELETE /api/v2/keys/{id}',
      record: id,
      outcome: 'revoked',
    });
    expect(readFileSync(path, 'utf8')).not.toContain(key.slice(6, 30));
  });

  test('nothing else: as many lines as refusals and changes, each whole, and none twice', async () => {
    const before = linesIn(path).length;
    const targets = [
      '/api/items/1',
      '/api/v2/items',
      '/healthz',
      '/nothing',
      '/api/v2/items/none',
      '/docs',
      '/metrics',
    ];
    const statuses = await Promise.all(
      Array.from({ length: 300 }, async (_, n) => {
        const key = [keys.reader, keys.items, 'shelf_wrong'][n % 3] ?? '';
        const answer = await ask(n % 5 === 0 ? 'PUT' : 'GET', targets[n % 7] ?? '', bearer(key));
        await answer.body?.cancel();
        return answer.status;
      }),
    );
    const refused = statuses.filter((status) => status === 401 || status === 403).length;
    expect(refused).toBeGreaterThan(20);
    expect(refused).toBeLessThan(250);
    // A last one, whose line may come after all others.
    await lineOf(await ask('GET', '/api/items', {}));
    while (linesIn(path).length < before + refused + 1) await Bun.sleep(1);
    const lines = linesIn(path);
    expect(lines.length).toBe(before + refused + 1);
    expect(new Set(lines.map(({ request_id }) => request_id)).size).toBe(lines.length);
  });
});

test('a change of the configuration file, by any thread', async () => {
  const path = join(temporaryFolder(), 'audit.log');
  const live = await startLive({
    text: fileOf({ title: 'text' }),
    ...{
      database: `sqlite:${join(temporaryFolder(), 'a.db')}`,
      server: { threads: 2 },
      log: { audit: { value: path } },
    },
  });
  for (const name of ['one', 'two', 'three', 'four'])
    expect(
      (
        await live.put(fileOf({ title: 'text', [name]: { type: 'text', optional: true } }), [
          'drop:books.one',
          'drop:books.two',
          'drop:books.three',
        ])
      ).status,
    ).toBe(200);
  expect((await live.put('{')).status).toBe(400);
  await live.stop();
  const changed = { route: 'PUT /api/v2/settings', caller: '', role: null, record: null, outcome: 'changed' };
  expect(linesIn(path)).toMatchObject(Array(4).fill(changed));
});

test('a host that the port for plain HTTP does not redirect', async () => {
  const files = new TlsFolder(temporaryFolder());
  const path = join(temporaryFolder(), 'audit.log');
  const redirect = freePort();
  const server = await startServer({
    tls: { cert: { value: files.cert }, key: { value: files.key }, redirect: { value: redirect } },
    access: { allowedHosts: { value: ['shelf.test'] } },
    log: { audit: { value: path } },
  });
  const answer = await fetch(`http://127.0.0.1:${redirect}/api/items`, { headers: { Host: 'evil.test' } });
  expect(answer.status).toBe(403);
  while (linesIn(path).length === 0) await Bun.sleep(1);
  expect(linesIn(path)).toMatchObject([
    { outcome: 'host_not_allowed', route: null, request_id: answer.headers.get('X-Request-Id') },
  ]);
  await server.stop();
});

test('the command: its keys, the first line of a server, and lines that wait when it stops', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'audit.log');
  const args = ['--database', `sqlite:${join(folder, 'k.db')}`, '--audit', path];
  const shelf = await startShelf({ args: [...args, '--auth', 'all'] });
  expect(linesIn(path)).toEqual([{ time: expect.any(String), outcome: 'started' }] as never);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const made = await runShelf({ args: ['keys', 'create', '--name', 'ci', '--scope', 'read', ...args] });
  expect(made.code).toBe(0);
  const revoked = await runShelf({ args: ['keys', 'revoke', 'ci', ...args] });
  expect(revoked.code).toBe(0);
  expect((await runShelf({ args: ['keys', 'revoke', 'ci', ...args] })).code).toBe(1);
  expect((await runShelf({ args: ['keys', 'list', ...args] })).code).toBe(0);
  const refused = await fetch(`${shelf.url}/api/items/1`);
  await refused.body?.cancel();
  expect(await shelf.stop()).toBe(0);
  const [, created, gone, last, ...more] = linesIn(path);
  expect(more).toEqual([]);
  expect(created).toMatchObject({
    caller: expect.stringMatching(/^command:./),
    route: 'shelf keys create',
    outcome: 'created',
    request_id: null,
  });
  expect(created?.record).toMatch(/^[0-9a-f]{12}$/);
  expect(gone).toMatchObject({ route: 'shelf keys revoke', record: created?.record, outcome: 'revoked' });
  expect(last).toMatchObject({ outcome: 'unauthorized', request_id: refused.headers.get('X-Request-Id') });
});

describe('a file that cannot be written', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'directory'));
  const key = ['keys', 'create', '--name', 'ci', '--scope', 'read'];
  test.each([
    ['in a folder that does not exist', join(folder, 'nowhere/audit.log'), [], 'ENOENT'],
    ['that is a directory', join(folder, 'directory'), [], 'EISDIR'],
    ['on a full disk', '/dev/full', [], 'ENOSPC'],
    ['in a folder that does not exist, for a command', join(folder, 'nowhere/audit.log'), key, 'ENOENT'],
  ])('%s is one line at the start', async (_, path, command, code) => {
    const database = `sqlite:${join(folder, 'new.db')}`;
    const run = await runShelf({
      args: [...command, '--audit', path, '--database', database, ...(command.length === 0 ? ['--port', '0'] : [])],
    });
    expect({ code: run.code, stdout: run.stdout, lines: run.stderr.split('\n').length }).toEqual({
      code: 1,
      stdout: '',
      lines: 2,
    });
    expect(run.stderr).toContain(`Cannot write --audit ${path} (`);
    expect(run.stderr).toContain(code);
    expect(existsSync(join(folder, 'new.db'))).toBe(false);
  });
});

test.skipIf(postgresUrl === undefined || process.platform !== 'linux')(
  'the lines of several workers are whole',
  async () => {
    const path = join(temporaryFolder(), 'audit.log');
    const args = [
      '--database',
      await newDatabase(),
      '--workers',
      '2',
      '--port',
      String(freePort()),
      '--auth',
      'all',
      '--audit',
      path,
    ];
    const shelf = await startShelf({ args });
    for (let worker = 0; worker < 2; worker++) await shelf.line(({ event }) => event === 'worker started');
    const ask = async (n: number) => {
      const answer = await fetch(`${shelf.url}/api/v2/items/${'x'.repeat(n % 90)}${n}`, {
        headers: { Connection: 'close' },
      });
      await answer.body?.cancel();
      return answer.headers.get('X-Request-Id');
    };
    const ids = await Promise.all(Array.from({ length: 400 }, (_, n) => ask(n)));
    expect(await shelf.stop()).toBe(0);
    const [first, ...lines] = linesIn(path);
    expect(first?.outcome).toBe('started');
    expect(lines.map(({ request_id }) => request_id).toSorted()).toEqual(ids.toSorted());
  },
);
