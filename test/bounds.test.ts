/** How much: what is bounded, and what is told beyond it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { parseRanges } from '../src/http/address.ts';
import type { RequestEntry } from '../src/http/observe.ts';
import { Listening } from './listening.ts';
import { startServer, type TestServer } from './server.ts';

/** A connection that sends this, and what it is answered until it is closed. */
function open(url: string, text: string): { readonly socket: Socket; readonly all: Promise<string>; heard(): string } {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk;
  });
  socket.on('error', () => {});
  const all = new Promise<string>((resolve) => socket.on('close', () => resolve(heard)));
  socket.write(text);
  return { socket, all, heard: () => heard };
}
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const until = async (holds: () => boolean) => {
  while (!holds()) await Bun.sleep(2);
};

describe('--rate-limit', () => {
  let server: TestServer;
  beforeAll(async () => {
    const trustedProxy = { value: parseRanges('127.0.0.1') };
    server = await startServer({ rateLimit: { value: { count: 5, seconds: 3600 } }, trustedProxy });
  });
  afterAll(() => server.stop());

  const ask = (path: string, client: string, init: RequestInit = {}) =>
    fetch(server.url + path, { ...init, headers: { 'X-Forwarded-For': client } });

  test('counts everything from one client, and tells it on every answer', async () => {
    const paths = ['/api/items', '/nowhere', '/api/items/x', '/docs', '/api/v2/items'];
    for (const [index, path] of paths.entries()) {
      const answer = await ask(path, '9.9.9.1');
      expect(answer.headers.get('RateLimit-Policy')).toBe('"default";q=5;w=3600');
      expect(answer.headers.get('RateLimit')).toStartWith(`"default";r=${4 - index};t=`);
      await answer.body?.cancel();
    }
    for (const path of ['/api/items', '/nowhere', '/api/v2/items', '/docs']) {
      const refused = await ask(path, '9.9.9.1');
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
      expect(refused.headers.get('RateLimit')).toStartWith('"default";r=0;t=');
      expect(JSON.stringify(await refused.json())).toContain('Too many requests');
    }
    expect((await ask('/api/v2/items', '9.9.9.1')).headers.get('Content-Type')).toBe('application/problem+json');
    expect((await ask('/api/items', '9.9.9.2')).status).toBe(200);
  });

  test('health is not counted', async () => {
    for (let n = 0; n < 20; n++) expect((await ask('/healthz', '9.9.9.3')).status).toBe(200);
    expect((await ask('/healthz', '9.9.9.3')).headers.get('RateLimit')).toBeNull();
    expect((await ask('/api/items', '9.9.9.3')).status).toBe(200);
  });

  test('what a client says of itself does not make it another one', async () => {
    const alone = await startServer({ rateLimit: { value: { count: 3, seconds: 3600 } } });
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) {
      const headers = {
        'X-Forwarded-For': `1.2.3.${n}`,
        Forwarded: `for=1.2.3.${n}`,
        'X-Real-IP': `1.2.3.${n}`,
        'True-Client-IP': `1.2.3.${n}`,
        Authorization: `Bearer made-up-${n}`,
      };
      statuses.push((await fetch(`${alone.url}/api/items`, { headers })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
    await alone.stop();
  });

  test('keys that do not count are counted against the address that tries them', async () => {
    const guarded = await startServer({ auth: 'all', rateLimit: { value: { count: 3, seconds: 3600 } } });
    let looks = 0;
    const { find } = guarded.store.keys;
    guarded.store.keys.find = (digest) => {
      looks++;
      return find(digest);
    };
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) {
      statuses.push((await fetch(`${guarded.url}/api/items`, { headers: { 'X-API-Key': `guess-${n}` } })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429, 429]);
    // And no more of them are looked at.
    expect(looks).toBe(3);
    await guarded.stop();
  });
});

test('--max-connections: the next are told, health is answered to them too, and those far beyond are closed', async () => {
  const server = await startServer({ maxConnections: 3 });
  const full = Array.from({ length: 3 }, () => open(server.url, get('/api/items/1')));
  for (const one of full) await until(() => one.heard().includes('200 OK'));

  const refused = await open(server.url, get('/api/items/1')).all;
  expect(refused).toStartWith('HTTP/1.1 503 ');
  expect(refused).toContain('Retry-After: 1\r\n');
  expect(refused).toContain('Connection: close\r\n');
  expect(await open(server.url, get('/healthz')).all).toStartWith('HTTP/1.1 200 ');
  expect(await open(server.url, get('/readyz')).all).toStartWith('HTTP/1.1 200 ');

  const idle = Array.from({ length: 100 }, () => open(server.url, ''));
  const cut = open(server.url, '');
  await cut.all;
  for (const { socket } of idle) socket.destroy();
  for (const { socket } of full) socket.destroy();
  const again = async () =>
    (await open(server.url, `${get('/api/items/1').trimEnd()}\r\nConnection: close\r\n\r\n`).all).slice(9, 12);
  while ((await again()) !== '200');
  await server.stop();
});

test('--max-requests: those beyond are told, until one of those under way has ended', async () => {
  const server = await startServer({ maxRequests: 2 });
  const head = 'POST /api/items HTTP/1.1\r\nHost: localhost\r\nContent-Length: 29\r\n\r\n';
  const slow = [open(server.url, head), open(server.url, head)];
  const status = async (path: string) => (await fetch(server.url + path)).status;
  while ((await status('/api/items')) !== 503);
  expect(await status('/healthz')).toBe(200);
  expect((await fetch(`${server.url}/api/items`)).headers.get('Retry-After')).toBe('1');
  slow[0]?.socket.write('{"id":9,"name":"x","price":1}');
  await until(() => slow[0]?.heard().includes('201 Created') ?? false);
  expect(await status('/api/items')).toBe(200);
  for (const { socket } of slow) socket.destroy();
  await server.stop();
});

test('--max-listeners: those beyond are told, until one has left', async () => {
  const server = await startServer({ maxListeners: 1 });
  const events = `${server.url}/api/v2/events`;
  const listening = await Listening.to(events);
  const refused = await fetch(events);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('Retry-After')).toBe('5');
  listening.leave();
  let answer = await fetch(events);
  while (answer.status === 503) answer = await fetch(events);
  expect(answer.status).toBe(200);
  await answer.body?.cancel();
  await server.stop();
});

test('--request-timeout: a body that is not there in time is 408, and a write that takes longer is not vouched for', async () => {
  const entries: RequestEntry[] = [];
  const logTo = (entry: object) => entries.push(entry as RequestEntry);
  const server = await startServer({
    requestTimeout: 1000,
    metrics: true,
    logTo,
    rateLimit: { value: { count: 99, seconds: 9 } },
  });
  const slow = open(server.url, 'POST /api/items HTTP/1.1\r\nHost: localhost\r\nContent-Length: 29\r\n\r\n{"id":9');
  expect(await slow.all).toStartWith('HTTP/1.1 408 ');

  // One that comes at a pace may take longer, and the time for its answer begins when it is there.
  const many = new ReadableStream({
    async start(controller) {
      for (let n = 0; n < 12; n++) {
        controller.enqueue(new TextEncoder().encode('{"name":"paced","price":1}\n'.repeat(500)));
        await Bun.sleep(200);
      }
      controller.close();
    },
  });
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const paced = await fetch(`${server.url}/api/v2/items`, { method: 'POST', headers, body: many });
  expect(paced.status).toBe(201);

  // The store takes its time, once.
  const { append } = server.store;
  const done = Promise.withResolvers<void>();
  server.store.append = async (...args) => {
    await done.promise;
    return append.apply(server.store, args);
  };
  const { find } = server.store;
  server.store.find = async (...args) => {
    await done.promise;
    return find.apply(server.store, args);
  };
  const [write, read] = await Promise.all([
    fetch(`${server.url}/api/items`, { method: 'POST', body: '{"id":9,"name":"x","price":1}' }),
    fetch(`${server.url}/api/items/1`),
  ]);
  expect([write.status, read.status]).toEqual([503, 503]);
  expect(((await write.json()) as { detail: string }).detail).toStartWith('It is not known whether this was stored');
  expect(((await read.json()) as { detail: string }).detail).toStartWith('This took too long');
  expect(write.headers.get('Retry-After')).toBeNull();
  expect(read.headers.get('Retry-After')).toBe('1');
  for (const late of [write, read]) {
    expect(late.headers.get('Cache-Control')).toBe('no-store');
    expect(late.headers.get('RateLimit')).toStartWith('"default";r=');
    const told = entries.filter(
      ({ event, request_id }) => event === 'request' && request_id === late.headers.get('X-Request-Id'),
    );
    expect(told.map(({ status }) => status)).toEqual([503]);
  }
  done.resolve();
  // What comes too late disturbs nobody.
  expect((await fetch(`${server.url}/api/items/1`)).status).toBe(200);
  const figures = await (await fetch(`${server.url}/metrics`)).text();
  expect(figures).toContain('shelf_http_requests_total{route="/api/items",method="POST",status="503"} 1\n');
  expect(figures).not.toContain('route="/api/items",method="POST",status="201"');
  await server.stop();
}, 30_000);
