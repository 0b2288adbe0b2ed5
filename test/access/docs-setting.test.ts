/** --docs: who sees the collections and their fields. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { typesText } from '../../src/cli/commands/print-types.ts';
import { openServer } from '../../src/cli/import-file/target/server-target.ts';
import { createClient } from '../../src/client/index.ts';
import { collections } from '../../src/collections/registry.ts';
import { collection } from '../../src/domain/record/collection.ts';
import { failureOf } from '../client/failure-of.ts';
import { keyFor } from '../support/pages/console-page.ts';
import { type ServerOptions, startServer, type TestServer } from '../support/servers/server.ts';

const zebras = collection('zebras', {
  singular: 'zebra',
  fields: { stripes: { type: 'integer' }, keeper: { type: 'reference', to: 'users', optional: true } },
});
const start = (options: ServerOptions) => startServer({ collections: [...collections, zebras], ...options });

const describing = ['/', '/api', '/api/v1', '/openapi.json'];
const index = '/api/v2';
type Listing = { readonly collections: readonly { readonly name: string }[] };
type Zebra = { id: number; stripes: bigint };
type Shelf = {
  zebras: {
    singular: 'zebra';
    record: Zebra & { version: number; created_at: string; updated_at: string };
    draft: { stripes: bigint };
    where: object;
    sort: 'id';
    numeric: 'stripes';
    days: never;
    times: 'created_at' | 'updated_at';
    unique: never;
    references: object;
  };
};
const pages = ['/docs', '/redoc', '/docs/start.js', '/redoc/start.js'];

async function get(url: string, key?: string) {
  const answer = await fetch(url, key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } });
  return { status: answer.status, text: await answer.text() };
}
const statuses = (url: string, paths: readonly string[], key?: string) =>
  Promise.all(paths.map(async (path) => (await get(url + path, key)).status));

describe.each(['write', 'all'] as const)('--docs admin, --auth %s', (auth) => {
  let server: TestServer;
  const keys = { write: '', admin: '', zebras: '' };
  beforeAll(async () => {
    server = await start({ server: { docs: 'admin' }, access: { auth } });
    keys.write = await keyFor(server, 'write');
    keys.admin = await keyFor(server, 'admin');
    const order = {
      kind: 'create',
      name: 'zebras',
      scope: 'read',
      collections: ['zebras'],
      lastsMs: undefined,
    } as const;
    keys.zebras = (await runKeys(server.store.admin.apiKeys, order, new Date(), [zebras])).output.trim();
  });
  afterAll(() => server.stop());

  test('a key of scope admin is needed, and pages are not served', async () => {
    expect(new Set(await statuses(server.url, describing))).toEqual(new Set([401]));
    expect(new Set(await statuses(server.url, describing, keys.write))).toEqual(new Set([403]));
    expect(new Set(await statuses(server.url, describing, keys.admin))).toEqual(new Set([200]));
    expect(new Set(await statuses(server.url, pages, keys.admin))).toEqual(new Set([404]));
    for (const path of [...describing, index])
      expect((await get(server.url + path, keys.admin)).text).not.toContain('"/docs"');
    expect(await statuses(server.url, ['/api/v2/zebras', '/console', '/healthz'], keys.write)).toEqual([200, 200, 200]);
  });

  test('the index needs a key, and has the collections that the key may read', async () => {
    const names = async (key: string) => {
      const { collections: listed } = JSON.parse((await get(server.url + index, key)).text) as Listing;
      return listed.map(({ name }) => name);
    };
    expect(await statuses(server.url, [index])).toEqual([401]);
    expect(await statuses(server.url, [index], 'shelf_wrong')).toEqual([401]);
    expect(await names(keys.admin)).toEqual(['items', 'users', 'zebras']);
    expect(await names(keys.write)).toEqual(['items', 'users', 'zebras']);
    expect(await names(keys.zebras)).toEqual(['zebras']);
    // The types of a typed client need it.
    expect((await get(server.url + index, keys.zebras)).text).toContain('"to":"users"');
  });

  test('the typed client works with any key, and so do shelf types and shelf import', async () => {
    const writing = createClient<Shelf>({ url: server.url, key: keys.write });
    const { id } = await writing.zebras.create({ stripes: 7n });
    const { zebras: reading } = createClient<Shelf>({ url: server.url, key: keys.zebras });
    expect((await reading.get(id)).stripes).toBe(7n);
    expect(await typesText({ url: new URL(server.url), key: keys.zebras }, [])).toContain('stripes');
    expect((await openServer(server.url, 'zebras', keys.write)).collection.name).toBe('zebras');
  });

  // Where reads need no key, the records do.
  if (auth === 'write') return;
  test('no answer to a caller without a key names a collection', async () => {
    type Document = { readonly paths: Readonly<Record<string, unknown>> };
    const { paths } = JSON.parse((await get(`${server.url}/openapi.json`, keys.admin)).text) as Document;
    const others = [
      index,
      '/console',
      '/shelf.schema.json',
      '/problems/not-found',
      '/nowhere',
      '/metrics',
      '/theme.css',
    ];
    const all = [...Object.keys(paths).map((path) => path.replace(/\{\w+\}/, '1')), ...others];
    // A problem repeats the path.
    const asked = all.filter((path) => !path.includes('zebra'));
    expect(asked).toContain('/api/v2/changes');
    for (const path of asked) {
      for (const query of ['', '?zebra', '?collection=none'])
        expect((await get(server.url + path + query)).text.replace('?zebra', '')).not.toMatch(/zebras|stripes/);
    }
  });
});

test('--docs off serves none of it, nor the console; records are served', async () => {
  const server = await start({ server: { docs: 'off' } });
  expect(new Set(await statuses(server.url, [...describing, index, ...pages, '/console']))).toEqual(new Set([404]));
  expect((await get(`${server.url}/`)).text).toBe('{"detail":"Unknown path."}');
  expect((await get(`${server.url}/problems/not-found`)).text).not.toContain('/docs');
  expect(await statuses(server.url, ['/api/items', '/api/v2/zebras', '/healthz'])).toEqual([200, 200, 200]);
  await server.stop();
});

test('with --docs off, clients say why they cannot work and what to do, and write nothing', async () => {
  const server = await start({ server: { docs: 'off' } });
  const { zebras: client, transaction } = createClient<Shelf>({ url: server.url });
  for (const call of [
    client.create({ stripes: 7n }),
    client.list(),
    client.get(1),
    client.update(1, { stripes: 8n }),
  ]) {
    const { code, status, message } = await failureOf(call);
    expect({ code, status, message }).toEqual({
      code: 'unknown_path',
      status: 404,
      message:
        'The server does not list its collections, without which the client cannot tell an integer from a double: start it with --docs admin.',
    });
  }
  expect((await get(`${server.url}/api/v2/zebras`)).text).toContain('"data":[]');
  expect(await client.createMany([{ stripes: 7n }])).toEqual({ created: 1 });
  await client.delete(1);
  const { id } = await transaction((t) => t.zebras.create({ stripes: 7n }));
  expect((await failureOf(transaction((t) => t.zebras.delete(id), { return: 'records' }))).code).toBe('unknown_path');
  expect(await transaction((t) => t.zebras.delete(id))).toEqual({ id, version: 1 });
  const fix = 'start the server with --docs admin if it has --docs off.';
  await expect(typesText({ url: new URL(server.url), key: undefined }, [])).rejects.toThrow(
    `${server.url}/api/v2 answers 404: check the address, and ${fix}`,
  );
  await expect(openServer(server.url, 'zebras', undefined)).rejects.toThrow(
    `Cannot import to ${server.url} (Unknown path.): check --url, and ${fix}`,
  );
  await server.stop();
});

test('--docs admin without --auth is one line that says what to do', async () => {
  await expect(start({ server: { docs: 'admin' } })).rejects.toThrow(
    '--docs admin needs --auth write or --auth all: with --auth off no request has a key.',
  );
});
