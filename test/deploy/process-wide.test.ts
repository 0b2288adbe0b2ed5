/** Two servers with the state of one process, as two serving threads have it: a client gets each limit once. */

import { afterEach, expect, test } from 'bun:test';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { configSchema } from '../../src/cli/config/file-schema.ts';
import { items } from '../../src/collections/items.ts';
import { collections } from '../../src/collections/registry.ts';
import type { Store } from '../../src/domain/store/store.ts';
import { everybody } from '../../src/domain/store/writes.ts';
import { connectionClient, parseRanges, requestClient } from '../../src/http/access/client-address.ts';
import { createApp, type Deps } from '../../src/http/app.ts';
import { LastHour } from '../../src/http/observe/last-hour.ts';
import { Metrics } from '../../src/http/observe/metrics.ts';
import { openEngine } from '../../src/storage/open.ts';
import { newProcessState } from '../../src/threads/process-state.ts';
import { listen } from '../../src/wire/listen.ts';
import { Load } from '../../src/wire/load.ts';
import { defaults, engineOptions } from '../support/servers/engine.ts';
import { openRaw } from '../support/servers/network/socket.ts';
import { noSettings } from '../support/servers/no-settings.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Settings = { readonly limits?: Partial<Deps['limits']>; readonly access?: Partial<Deps['access']> };

const proxy = '127.0.0.3';
const proxies = parseRanges(proxy) ?? [];

type Server = { readonly url: string; readonly store: Store };

async function serveTwice({ limits, access }: Settings = {}): Promise<readonly [Server, Server]> {
  const state = newProcessState();
  async function serveOne(): Promise<Server> {
    const store = openEngine({ kind: 'memory' }, collections, { ...engineOptions, state });
    const load = new Load(
      {
        maxConnections: 100,
        overLimitConnections: 10,
        maxHeld: 2 ** 20,
        connectionClient: connectionClient(proxies),
        requestClient: requestClient(proxies),
      },
      state,
    );
    const app = createApp({
      collections,
      store,
      version: '0',
      configSchema,
      console: false,
      docs: 'on',
      access: {
        ...{ auth: 'off', verify: undefined, issuers: [], rate: undefined, proxies, origins: [], hosts: undefined },
        ...access,
      },
      limits: { ...defaults.limits, ...limits },
      log: { write: () => {}, level: 'error', slow: 1000 },
      idempotency: 1000,
      ageing: { deprecation: undefined, sunset: undefined },
      load,
      state,
      metrics: new Metrics(),
      hour: new LastHour(''),
      settings: noSettings,
    });
    const address = { hostname: '127.0.0.1', port: 0, sharePort: false };
    const server = listen([{ address, handlers: app.handlers }], { ...defaults.limits, load });
    stops.push(async () => {
      await server.stop(0);
      await app.close();
      await store.admin.close();
    });
    await Promise.all([store.admin.ready, app.ready]);
    return { url: `http://127.0.0.1:${server.port}`, store };
  }
  return [await serveOne(), await serveOne()];
}

async function gauge({ url }: Server, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
}

test('the rate limit', async () => {
  const [one, other] = await serveTwice({ access: { rate: { count: 3, seconds: 3600 } } });
  const answers = [];
  for (const { url } of [one, other, one, other, one]) answers.push(await fetch(`${url}/api/items/1`));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
  expect(answers[1]?.headers.get('ratelimit')).toStartWith('"default";r=1;');
});

test('the limit on invalid keys, beyond which no key from the same address is looked up', async () => {
  const [one, other] = await serveTwice({ access: { auth: 'all', rate: { count: 2, seconds: 3600 } } });
  const order = { kind: 'create', name: 'reader', scope: 'read', collections: undefined, lastsMs: undefined } as const;
  const key = (await runKeys(one.store.admin.apiKeys, order, new Date(), collections)).output.trim();
  const ask = async ({ url }: Server, token: string) =>
    (await fetch(`${url}/api/items/1`, { headers: { Authorization: `Bearer ${token}` } })).status;
  expect([await ask(other, 'wrong'), await ask(other, 'wrong'), await ask(one, key)]).toEqual([401, 401, 429]);
});

test('a key that one thread has found valid is looked up by all, beyond the limit on invalid keys', async () => {
  const servers = await serveTwice({ access: { auth: 'all', rate: { count: 4, seconds: 3600 } } });
  const order = { kind: 'create', name: 'reader', scope: 'read', collections: undefined, lastsMs: undefined } as const;
  // Both have a database of their own; the key has to be in both.
  const [key = '', more = ''] = await Promise.all(
    servers.map(async ({ store }) =>
      (await runKeys(store.admin.apiKeys, order, new Date(), collections)).output.trim(),
    ),
  );
  const found = await servers[0].store.admin.apiKeys.list();
  for (const one of found) await servers[1].store.admin.apiKeys.add({ ...one, id: 'another', name: 'another' });
  const ask = async ({ url }: Server, token: string) =>
    (await fetch(`${url}/api/items/1`, { headers: { Authorization: `Bearer ${token}` } })).status;
  expect(await ask(servers[0], key)).toBe(200);
  const guesses = [];
  for (let n = 0; n < 5; n++) guesses.push(await ask(servers[n % 2] ?? servers[0], `wrong-${n}`));
  expect(guesses.at(-1)).toBe(429);
  expect([await ask(servers[1], key), await ask(servers[1], more)]).toEqual([200, 429]);
});

test('the limit on listeners, and their number in the metrics', async () => {
  const [one, other] = await serveTwice({ limits: { maxListeners: 2 } });
  const leave = new AbortController();
  const answers: Response[] = [];
  for (const { url } of [one, other, one]) answers.push(await fetch(`${url}/api/v2/events`, { signal: leave.signal }));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 503]);
  expect(await gauge(other, 'shelf_listeners')).toBe(2);
  expect(await gauge(other, 'shelf_connections')).toBeGreaterThan(2);
  leave.abort();
  // A server notices a client that has left when its socket closes.
  while ((await gauge(one, 'shelf_listeners')) > 0) await Bun.sleep(1);
  // A response that is not referenced any more would have left earlier.
  expect(answers).toHaveLength(3);
});

test.each([
  ['', '127.0.0.2', '127.0.0.1'],
  [' behind a trusted proxy', proxy, proxy],
])('the bytes of bodies that one client may hold%s', async (_, from, victimFrom) => {
  const [one, other] = await serveTwice();
  const head = (line: string, length: number, client = '192.0.2.2') =>
    `${line} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${client}\r\nContent-Length: ${length}\r\n\r\n`;
  const part = 'x'.repeat(100_000);
  const greedy = [one, other, one, other, one, other, one, other].map(({ url }) =>
    openRaw(url, head('POST /api/items', 200_000), from),
  );
  for (const [n, { socket }] of greedy.entries()) {
    socket.write(part);
    while ((await gauge(one, 'shelf_held_bytes')) < (n + 1) * part.length) await Bun.sleep(1);
  }
  // 800,000 bytes are more than three quarters of 2^20.
  const next = openRaw(one.url, head('GET /api/items/1', 0), from);
  await next.until(/\}$/);
  expect(next.received()).toStartWith('HTTP/1.1 503 ');
  const post = async ({ url }: Server) => {
    const body = '{"id":2,"name":"victim","price":1}';
    const victim = openRaw(url, head('POST /api/items', body.length, '192.0.2.3') + body, victimFrom);
    await victim.until(/\}$/);
    victim.socket.destroy();
    return victim.received().slice(9, 12);
  };
  expect(await post(other)).toBe('201');
  // Bodies that were accepted earlier do not grow, either.
  for (const { socket } of greedy) socket.write(part.slice(1));
  await Promise.race(greedy.map((client) => client.until(/^HTTP\/1\.1 503 [\s\S]*send fewer at once/)));
  expect(await post(one)).toBe('201');
  for (const { socket } of [...greedy, next]) socket.destroy();
});

test('requests in flight', async () => {
  const [one, other] = await serveTwice();
  const { promise, resolve } = Promise.withResolvers<void>();
  const { store } = one;
  const history = store.feed.history.bind(store.feed);
  store.feed.history = async () => promise.then(history);
  const waiting = fetch(`${one.url}/api/v2/events`);
  // The scrape itself is one.
  while ((await gauge(other, 'shelf_http_requests_under_way')) !== 2) await Bun.sleep(1);
  resolve();
  expect((await waiting).status).toBe(200);
  expect(await gauge(other, 'shelf_http_requests_under_way')).toBe(1);
});

test('the limit on bulks', async () => {
  const state = newProcessState();
  const options = { ...engineOptions, files: { bulks: 1, lists: 1 }, state };
  const stores = [0, 1].map(() => openEngine({ kind: 'memory' }, collections, options));
  stops.push(...stores.map((store) => () => store.admin.close()));
  await Promise.all(stores.map(({ admin }) => admin.ready));
  const begun = await Promise.allSettled(stores.map((store) => store.writes.bulk(everybody, items, 'client')));
  expect(begun).toMatchObject([{ status: 'fulfilled' }, { reason: { code: 'overloaded' } }]);
  for (const one of begun) if (one.status === 'fulfilled') await one.value.close();
});
