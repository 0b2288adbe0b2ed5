/** The figures of the last hour, over HTTP. */
import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { collections } from '../../src/collections/registry.ts';
import { sampleMs } from '../../src/http/observe/last-hour.ts';
import { oneThread, startServer, type TestServer } from '../support/servers/server.ts';

type Figures = {
  readonly since: string;
  readonly samples: readonly (Record<string, number> & {
    readonly slowest: {
      readonly route: string;
      readonly request_id: string;
      readonly parameters: readonly string[];
    } | null;
    readonly errors: object;
  })[];
};

let server: TestServer;
let admin: string;
/** Ends a sample now, instead of every ten seconds. */
let sample: () => Promise<void> = async () => {};
beforeAll(async () => {
  const timers = spyOn(globalThis, 'setInterval');
  server = await startServer({ server: oneThread, access: { auth: 'write' } });
  const timer = timers.mock.calls.find(([, ms]) => ms === sampleMs);
  timers.mockRestore();
  sample = timer?.[0] as () => Promise<void>;
  const order = { kind: 'create', name: 'admin', scope: 'admin', collections: undefined, lastsMs: undefined } as const;
  admin = (await runKeys(server.store.admin.apiKeys, order, new Date(), collections)).output.trim();
});
afterAll(() => server.stop());

const get = (path: string, key = admin) => fetch(server.url + path, { headers: { Authorization: `Bearer ${key}` } });
const figures = async () => (await (await get('/api/v2/figures')).json()) as Figures;

test('a sample counts requests, commits and failures, and names the slowest request', async () => {
  await sample();
  const before = (await figures()).samples.length;
  await sample();
  for (let n = 0; n < 20; n++) await (await get('/api/items')).text();
  const added = await fetch(`${server.url}/api/items`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${admin}`, 'X-Request-Id': 'added' },
    body: '{"id":7,"name":"n","price":1}',
  });
  expect(added.status).toBe(201);
  expect((await get('/api/items/99')).status).toBe(404);
  expect((await get('/api/items', 'wrong')).status).toBe(200);
  await sample();
  const { since, samples } = await figures();
  expect(since <= new Date().toISOString()).toBe(true);
  expect(samples.length).toBe(before + 2);
  const last = samples.at(-1);
  expect(last).toMatchObject({ requests: 23, commits: 1, writes: 1, errors: { not_found: 1 }, writes_waiting: 0 });
  expect(last?.p50_ms).toBeGreaterThan(0);
  expect(last?.p99_ms).toBeGreaterThanOrEqual(last?.p50_ms ?? 0);
  expect(last?.slowest?.route).toMatch(/^\/api\/items/);
  expect(last?.memory_bytes).toBeGreaterThan(10_000_000);
  expect(last?.connections).toBeGreaterThan(0);
});

test('the slowest request has the names of its parameters, without their values', async () => {
  await sample();
  expect((await get('/api/v2/items?name[contains]=secret&sort=-price')).status).toBe(200);
  await sample();
  const text = await (await get('/api/v2/figures')).text();
  expect((JSON.parse(text) as Figures).samples.at(-1)?.slowest?.parameters).toEqual(['name[contains]', 'sort']);
  expect(text).not.toContain('secret');
});

test('with authentication the scope admin is needed', async () => {
  expect((await fetch(`${server.url}/api/v2/figures`)).status).toBe(401);
  const order = { kind: 'create', name: 'reader', scope: 'read', collections: undefined, lastsMs: undefined } as const;
  const reader = (await runKeys(server.store.admin.apiKeys, order, new Date(), collections)).output.trim();
  expect((await get('/api/v2/figures', reader)).status).toBe(403);
  expect((await get('/api/v2/figures?from=now')).status).toBe(400);
});
