/** --docs: who sees the collections and their fields. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { collections } from '../src/collections/registry.ts';
import { collection } from '../src/domain/collection.ts';
import { keyFor } from './console-page.ts';
import { type ServerOptions, startServer, type TestServer } from './server.ts';

const zebras = collection('zebras', { singular: 'zebra', fields: { stripes: { type: 'integer' } } });
const start = (options: ServerOptions) => startServer({ collections: [...collections, zebras], ...options });

const describing = ['/', '/api', '/api/v1', '/api/v2', '/openapi.json'];
const pages = ['/docs', '/redoc', '/docs/start.js', '/redoc/start.js'];

async function get(url: string, key?: string) {
  const answer = await fetch(url, key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } });
  return { status: answer.status, text: await answer.text() };
}
const statuses = (url: string, paths: readonly string[], key?: string) =>
  Promise.all(paths.map(async (path) => (await get(url + path, key)).status));

describe('--docs admin', () => {
  let server: TestServer;
  const keys = { write: '', admin: '' };
  beforeAll(async () => {
    server = await start({ server: { docs: 'admin' }, access: { auth: 'all' } });
    keys.write = await keyFor(server, 'write');
    keys.admin = await keyFor(server, 'admin');
  });
  afterAll(() => server.stop());

  test('a key of scope admin is needed, and pages are not served', async () => {
    expect(new Set(await statuses(server.url, describing))).toEqual(new Set([401]));
    expect(new Set(await statuses(server.url, describing, keys.write))).toEqual(new Set([403]));
    expect(new Set(await statuses(server.url, describing, keys.admin))).toEqual(new Set([200]));
    expect(new Set(await statuses(server.url, pages, keys.admin))).toEqual(new Set([404]));
    for (const path of describing) expect((await get(server.url + path, keys.admin)).text).not.toContain('"/docs"');
    expect(await statuses(server.url, ['/api/v2/zebras', '/console', '/healthz'], keys.write)).toEqual([200, 200, 200]);
  });

  test('no answer to a caller without a key names a collection', async () => {
    type Document = { readonly paths: Readonly<Record<string, unknown>> };
    const { paths } = JSON.parse((await get(`${server.url}/openapi.json`, keys.admin)).text) as Document;
    const others = ['/console', '/shelf.schema.json', '/problems/not-found', '/nowhere', '/metrics', '/theme.css'];
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
  expect(new Set(await statuses(server.url, [...describing, ...pages, '/console']))).toEqual(new Set([404]));
  expect((await get(`${server.url}/`)).text).toBe('{"detail":"Unknown path."}');
  expect((await get(`${server.url}/problems/not-found`)).text).not.toContain('/docs');
  expect(await statuses(server.url, ['/api/items', '/api/v2/zebras', '/healthz'])).toEqual([200, 200, 200]);
  await server.stop();
});

test('--docs admin without --auth is one line that says what to do', async () => {
  expect(start({ server: { docs: 'admin' } })).rejects.toThrow(
    '--docs admin needs --auth write or --auth all: with --auth off no request has a key.',
  );
});
