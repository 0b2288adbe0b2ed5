/** Limits, and the answers over each limit. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Create, Transaction } from '../../src/domain/store/transaction.ts';
import type { Writer } from '../../src/domain/store/writes.ts';
import { parseRanges } from '../../src/http/access/client-address.ts';
import type { RequestEntry } from '../../src/http/observe/log-entry.ts';
import { migratedEngines, quickEngines } from '../support/servers/engines.ts';
import { Listening } from '../support/servers/network/listening.ts';
import { openRaw } from '../support/servers/network/socket.ts';
import { spoolsOf } from '../support/servers/process.ts';
import { oneThread, startServer, type TestServer } from '../support/servers/server.ts';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const until = async (holds: () => boolean) => {
  while (!holds()) await Bun.sleep(2);
};

describe('--rate-limit', () => {
  let server: TestServer;
  beforeAll(async () => {
    const trustedProxy = { value: parseRanges('127.0.0.1') };
    server = await startServer({ access: { rateLimit: { value: { count: 5, seconds: 3600 } }, trustedProxy } });
  });
  afterAll(() => server.stop());

  const ask = (path: string, client: string, init: RequestInit = {}) =>
    fetch(server.url + path, { ...init, headers: { 'X-Forwarded-For': client } });

  test('counts every request of a client, and sends the remaining number', async () => {
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

  test('headers of an untrusted client do not change its identity', async () => {
    const alone = await startServer({ access: { rateLimit: { value: { count: 3, seconds: 3600 } } } });
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

  test('wrong keys count against the address that sends them', async () => {
    const guarded = await startServer({
      server: oneThread,
      access: { auth: 'all', rateLimit: { value: { count: 3, seconds: 3600 } } },
    });
    let looks = 0;
    const { find } = guarded.store.admin.apiKeys;
    guarded.store.admin.apiKeys.find = (digest) => {
      looks++;
      return find(digest);
    };
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) {
      statuses.push((await fetch(`${guarded.url}/api/items`, { headers: { 'X-API-Key': `guess-${n}` } })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429, 429]);
    // Over the limit, keys are no longer looked up.
    expect(looks).toBe(3);
    await guarded.stop();
  });
});

test('--max-connections: over the limit only health is answered, and far over it connections are closed', async () => {
  const server = await startServer({ limits: { maxConnections: 3 } });
  const full = Array.from({ length: 3 }, () => openRaw(server.url, get('/api/items/1')));
  for (const one of full) await until(() => one.received().includes('200 OK'));

  const refused = await openRaw(server.url, get('/api/items/1')).closed;
  expect(refused).toStartWith('HTTP/1.1 503 ');
  expect(refused).toContain('Retry-After: 1\r\n');
  expect(refused).toContain('Connection: close\r\n');
  expect(await openRaw(server.url, get('/healthz')).closed).toStartWith('HTTP/1.1 200 ');
  expect(await openRaw(server.url, get('/readyz')).closed).toStartWith('HTTP/1.1 200 ');

  const idle = Array.from({ length: 100 }, () => openRaw(server.url, ''));
  const cut = openRaw(server.url, '');
  await cut.closed;
  for (const { socket } of idle) socket.destroy();
  for (const { socket } of full) socket.destroy();
  const again = async () =>
    (await openRaw(server.url, `${get('/api/items/1').trimEnd()}\r\nConnection: close\r\n\r\n`).closed).slice(9, 12);
  while ((await again()) !== '200');
  await server.stop();
});

describe('--max-requests', () => {
  const post = (name: string, client: string) => {
    const body = `{"id":9,"name":"${name}","price":1}`;
    const head = `POST /api/items HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${client}\r\n`;
    return { head: `${head}Content-Length: ${body.length}\r\n\r\n`, body };
  };
  const trustedProxy = { value: parseRanges('127.0.0.1') };
  const statusFor = async (url: string, client: string, path = '/api/items') =>
    (await fetch(url + path, { headers: { 'X-Forwarded-For': client } })).status;

  /** Delays writes until `done` is called; `waiting` has the delayed writes. */
  function hold({ store }: TestServer): { readonly waiting: string[]; done(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting: string[] = [];
    const { writes } = store;
    const commit = writes.commit.bind(writes);
    writes.commit = (async (writer: Writer, transaction: Transaction<Create>) => {
      waiting.push(transaction.operation.json);
      await promise;
      return commit(writer, transaction);
    }) as typeof commit;
    return { waiting, done: resolve };
  }

  test('a request over the limit is answered with 503 until another has ended', async () => {
    const server = await startServer({ server: oneThread, limits: { maxRequests: 2 } });
    const { waiting, done } = hold(server);
    const { head, body } = post('held', '');
    const slow = [openRaw(server.url, head + body), openRaw(server.url, head + body)];
    await until(() => waiting.length === 2);
    const refused = await fetch(`${server.url}/api/items`);
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '1']);
    expect(await statusFor(server.url, '', '/healthz')).toBe(200);
    done();
    for (const one of slow) await until(() => one.received().includes('201 Created'));
    expect(await statusFor(server.url, '')).toBe(200);
    for (const { socket } of slow) socket.destroy();
    await server.stop();
  });

  test('a request counts towards the limit only when its body has arrived', async () => {
    const server = await startServer({ server: oneThread, limits: { maxRequests: 2 }, access: { trustedProxy } });
    const { waiting, done } = hold(server);
    const parts = Array.from({ length: 20 }, (_, n) => post(`part ${n}`, `9.9.9.${n}`));
    const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';
    const slow = parts.map(({ head }) => openRaw(server.url, head.replace('Host', 'Expect: 100-continue\r\nHost')));
    // The handlers await the bodies.
    await until(() => slow.every(({ received }) => received() === goOn));
    expect(await statusFor(server.url, '8.8.8.8')).toBe(200);
    const last = slow.map(async ({ socket, received }, n) => {
      socket.write(parts[n]?.body ?? '');
      await until(() => received() !== goOn);
      return received().slice(goOn.length + 9, goOn.length + 12);
    });
    await until(() => waiting.length === 2);
    await until(() => slow.filter(({ received }) => received() !== goOn).length === 18);
    expect(await statusFor(server.url, '8.8.8.8')).toBe(503);
    done();
    const statuses = await Promise.all(last);
    expect(statuses.filter((status) => status === '201')).toHaveLength(2);
    expect(statuses.filter((status) => status === '503')).toHaveLength(18);
    expect(await statusFor(server.url, '8.8.8.8')).toBe(200);
    expect((await (await fetch(`${server.url}/api/items`)).text()).split('part ')).toHaveLength(3);
    for (const { socket } of slow) socket.destroy();
    await server.stop();
  });

  test('one client gets at most three quarters of the requests', async () => {
    const server = await startServer({ server: oneThread, limits: { maxRequests: 8 }, access: { trustedProxy } });
    const { waiting, done } = hold(server);
    const { head, body } = post('many', '9.9.9.9');
    const many = Array.from({ length: 20 }, () => openRaw(server.url, head + body));
    await until(() => many.filter(({ received }) => received().startsWith('HTTP/1.1 503')).length === 14);
    expect(waiting).toHaveLength(6);
    expect(await statusFor(server.url, '9.9.9.9')).toBe(503);
    expect(await statusFor(server.url, '8.8.8.8')).toBe(200);
    done();
    await until(() => many.filter(({ received }) => received().startsWith('HTTP/1.1 201')).length === 6);
    expect(await statusFor(server.url, '9.9.9.9')).toBe(200);
    for (const { socket } of many) socket.destroy();
    await server.stop();
  });
});

test('--max-listeners: a listener over the limit is answered with 503 until another disconnects', async () => {
  const server = await startServer({ limits: { maxListeners: 1 } });
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

test('--bulk-timeout: a steady body that takes longer is answered with 408', async () => {
  const server = await startServer({ limits: { requestTimeout: 1000, bulkTimeout: 2000 } });
  const head = 'POST /api/v2/items HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n';
  const client = openRaw(server.url, `${head}Content-Length: 10000000\r\n\r\n`);
  const begun = performance.now();
  const sending = setInterval(() => client.socket.write('{"name":"paced","price":1}\n'.repeat(200)), 50);
  await client.until(/HTTP/);
  clearInterval(sending);
  expect(client.received()).toStartWith('HTTP/1.1 408 ');
  expect(performance.now() - begun).toBeGreaterThan(1900);
  client.socket.destroy();
  await server.stop();
});

test('--request-timeout: a late body is answered with 408, and a slow write with outcome unknown', async () => {
  const entries: RequestEntry[] = [];
  const logTo = (entry: object) => entries.push(entry as RequestEntry);
  const server = await startServer({
    server: oneThread,
    limits: { requestTimeout: 3000 },
    log: { metrics: true },
    logTo,
    access: { rateLimit: { value: { count: 99, seconds: 9 } } },
  });
  const slow = openRaw(server.url, 'POST /api/items HTTP/1.1\r\nHost: localhost\r\nContent-Length: 29\r\n\r\n{"id":9');
  expect(await slow.closed).toStartWith('HTTP/1.1 408 ');

  // A steady body may take longer, and the time for the answer starts when it is complete.
  const many = new ReadableStream({
    async start(controller) {
      for (let n = 0; n < 12; n++) {
        controller.enqueue(new TextEncoder().encode('{"name":"paced","price":1}\n'.repeat(500)));
        await Bun.sleep(300);
      }
      controller.close();
    },
  });
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const paced = await fetch(`${server.url}/api/v2/items`, { method: 'POST', headers, body: many });
  expect(paced.status).toBe(201);

  // The store does not answer until `done`.
  const { reads, writes } = server.store;
  const done = Promise.withResolvers<void>();
  const commit = writes.commit.bind(writes);
  writes.commit = (async (writer: Writer, transaction: Transaction<Create>) => {
    await done.promise;
    return commit(writer, transaction);
  }) as typeof commit;
  const contractRecord = reads.contractRecord.bind(reads);
  reads.contractRecord = async (...args) => {
    await done.promise;
    return contractRecord(...args);
  };
  const [write, read] = await Promise.all([
    fetch(`${server.url}/api/items`, { method: 'POST', body: '{"id":9,"name":"x","price":1}' }),
    fetch(`${server.url}/api/items/1`),
  ]);
  expect([write.status, read.status]).toEqual([503, 503]);
  expect(((await write.json()) as { detail: string }).detail).toStartWith('The outcome of this write is unknown');
  expect(((await read.json()) as { detail: string }).detail).toStartWith('The request timed out');
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
  // The late results are dropped.
  expect((await fetch(`${server.url}/api/items/1`)).status).toBe(200);
  const figures = await (await fetch(`${server.url}/metrics`)).text();
  expect(figures).toContain('shelf_http_requests_total{route="/api/items",method="POST",status="503"} 1\n');
  expect(figures).not.toContain('route="/api/items",method="POST",status="201"');
  await server.stop();
}, 120_000);

describe.each(migratedEngines())('%s: incomplete bulks', (_, newUrl) => {
  const head = (length: number) =>
    `POST /api/v2/items HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nContent-Length: ${length}\r\n\r\n`;
  const lines = '{"name":"set aside","price":1}\n'.repeat(2000);
  const setAside = () => spoolsOf(process.pid).reduce((sum, { size }) => sum + size, 0);

  test('share --max-spool', async () => {
    const server = await startServer({ database: await newUrl(), limits: { maxBulk: 100_000, maxSpool: 1 } });
    const first = openRaw(server.url, head(lines.length + 1) + lines);
    await until(() => setAside() === lines.length);
    const refused = openRaw(server.url, head(lines.length) + lines);
    await until(() => refused.received().includes('\r\n\r\n'));
    expect(refused.received()).toStartWith('HTTP/1.1 503 ');
    expect(refused.received()).toContain('/problems/storage-unavailable');
    first.socket.destroy();
    await until(() => setAside() === 0);
    const again = openRaw(server.url, head(lines.length) + lines);
    await until(() => again.received().includes('HTTP/1.1 201 '));
    for (const { socket } of [refused, again]) socket.destroy();
    await server.stop();
  });
});

describe.each(quickEngines)('%s: a limit of more than 1,000', (_, newUrl) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl() });
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const body = '{"name":"many","price":1}\n'.repeat(1100);
    expect((await fetch(`${server.url}/api/v2/items`, { method: 'POST', headers, body })).status).toBe(201);
  });
  afterAll(() => server.stop());

  type Answer = { readonly data: readonly unknown[]; readonly next_cursor: string | null };
  const ask = async (path: string) => (await (await fetch(server.url + path)).json()) as Answer;

  test('is 1,000 for a list, which continues with a cursor', async () => {
    const { data, next_cursor: cursor } = await ask('/api/v2/items?limit=5000');
    expect(data.length).toBe(1000);
    expect((await ask(`/api/v2/items?limit=1001&cursor=${cursor}`)).data.length).toBe(101);
  });

  test('is 1,000 for the change feed', async () => {
    expect((await ask('/api/v2/changes?limit=5000')).data.length).toBe(1000);
    expect((await ask('/api/v2/changes?limit=999')).data.length).toBe(999);
  });
});
