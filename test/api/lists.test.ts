/** Lists as byte streams: one snapshot, sent at the reader's pace, from memory or from the file. */

import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { FileList } from '../../src/storage/sqlite/reads/file-list.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { seed } from '../support/data/seed.ts';
import { threads } from '../support/servers/engine.ts';
import { quickEngines } from '../support/servers/engines.ts';
import { connectTo } from '../support/servers/network/socket.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const folder = temporaryFolder();
const many = 60_000;
const item = (id: number) => `{"id":${id},"name":"Item number ${id}","price":${id}.5}`;
const first = '{"id":1,"name":"Widget","price":9.99}';
const whole = (from: number, to: number) =>
  [first, ...Array.from({ length: to - from + 1 }, (_, n) => item(from + n))].join(',');
const get = (server: TestServer, path: string, headers = {}) => fetch(server.url + path, { headers });
const add = (server: TestServer, id: number) => fetch(`${server.url}/api/items`, { method: 'POST', body: item(id) });

/** Waits until the records are in memory: before that a list has no tag. */
async function warm(server: TestServer): Promise<void> {
  while ((await get(server, '/api/items')).headers.get('ETag') === null) await Bun.sleep(10);
}

/** A reader that has read only the beginning of the list. */
async function pausedReader(server: TestServer): Promise<{ readonly socket: Socket; readonly begun: string }> {
  const socket = connectTo(server.url);
  const begun = await new Promise<string>((resolve) => {
    socket.once('data', (chunk) => {
      socket.pause();
      resolve(chunk.toString());
    });
    socket.write('GET /api/items HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  });
  return { socket, begun };
}

describe.each([
  ['from memory', 2 ** 28],
  ['from the file', 0],
])('a long list, %s', (_, cache) => {
  let server: TestServer;
  beforeAll(async () => {
    const path = join(folder, `${cache}.db`);
    await seed(path, many);
    server = await startServer({ database: `sqlite:${path}`, storage: { cache } });
    if (cache > 0) await warm(server);
  });
  afterAll(() => server.stop());

  test('is complete and in order', async () => {
    expect(await (await get(server, '/api/items')).text()).toBe(`[${whole(2, many)}]`);
    expect(await (await get(server, `/api/items/${many}`)).text()).toBe(item(many));
  });

  test('a reader that pauses gets the snapshot of its request', async () => {
    const { socket, begun } = await pausedReader(server);
    let received = begun;
    expect((await add(server, many + 1)).status).toBe(201);
    const after = await (await get(server, '/api/items')).text();
    expect(after.endsWith(`${item(many + 1)}]`)).toBe(true);

    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    socket.resume();
    await new Promise((resolve) => socket.on('close', resolve));
    expect(received).toContain(item(many));
    expect(received).not.toContain(item(many + 1));
  });

  test('a reader that disconnects does not block writes', async () => {
    for (let n = 0; n < 5; n++) {
      const reader = (await get(server, '/api/items')).body?.getReader();
      await reader?.read();
      await reader?.cancel();
    }
    expect((await add(server, many + 2)).status).toBe(201);
  });

  test('a reader that disconnects releases its snapshot, so the WAL can be truncated', async () => {
    const other = new Database(join(folder, `${cache}.db`));
    const isRead = () => other.prepare<{ busy: number }, []>('pragma wal_checkpoint(truncate)').get()?.busy === 1;
    // Waits for close(), because garbage collection would also release a snapshot at some point.
    const closing = spyOn(FileList.prototype, 'close');
    const readers = await Promise.all([1, 2, 3].map(() => pausedReader(server)));
    expect((await add(server, many + 3)).status).toBe(201);
    if (cache === 0) expect(isRead()).toBe(true);
    for (const { socket } of readers) socket.destroy();
    if (cache === 0 && threads === '1') while (closing.mock.calls.length < readers.length) await Bun.sleep(5);
    closing.mockRestore();
    while (isRead()) await Bun.sleep(5);
    other.close();
  });

  test('HEAD sends the size if it is known, and no body', async () => {
    const head = await fetch(`${server.url}/api/items`, { method: 'HEAD' });
    const full = await (await get(server, '/api/items')).arrayBuffer();
    expect(head.headers.get('Content-Length')).toBe(cache > 0 ? String(full.byteLength) : null);
  });
});

describe.each(quickEngines)('tags, %s', (_, newUrl) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl() });
    for (let id = 2; id <= 100; id++) await add(server, id);
    await warm(server);
  });
  afterAll(() => server.stop());

  test.each(['/api/items', '/api/items/7', '/api/v1/items', '/api/users/1'])(
    '%s is answered with 304 while it does not change',
    async (path) => {
      const tag = (await get(server, path)).headers.get('ETag') ?? '';
      expect(tag).toMatch(/^"[^"]+"$/);
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const again = await get(server, path, { 'If-None-Match': known });
        expect({ known, status: again.status }).toEqual({ known, status: 304 });
        expect(again.headers.get('ETag')).toBe(tag);
        expect(await again.text()).toBe('');
      }
      expect((await get(server, path, { 'If-None-Match': '"other"' })).status).toBe(200);
    },
  );

  test('a change gives the list a new tag', async () => {
    const before = (await get(server, '/api/items')).headers.get('ETag');
    await add(server, 101);
    expect((await get(server, '/api/items')).headers.get('ETag')).not.toBe(before);
  });

  test.each([
    ['zstd', (bytes: ArrayBuffer) => Bun.zstdDecompressSync(bytes)],
    ['gzip', (bytes: ArrayBuffer) => Bun.gunzipSync(bytes)],
  ] as const)('a list is sent in %s on request, with its own tag', async (encoding, unpack) => {
    const ask = (accepted: string) =>
      fetch(`${server.url}/api/items`, { headers: { 'Accept-Encoding': accepted }, decompress: false });
    const plain = await ask('identity');
    const packed = await ask(`br, ${encoding}`);
    expect(packed.headers.get('Content-Encoding')).toBe(encoding);
    expect(packed.headers.get('Vary')).toBe('Accept-Encoding');
    expect(packed.headers.get('ETag')).not.toBe(plain.headers.get('ETag'));
    const bytes = await packed.arrayBuffer();
    expect(bytes.byteLength).toBe(Number(packed.headers.get('Content-Length')));
    expect(Buffer.from(unpack(bytes)).toString()).toBe(await plain.text());
  });

  test('a short answer is not compressed', async () => {
    const answer = await get(server, '/api/users', { 'Accept-Encoding': 'gzip' });
    expect(answer.headers.get('Content-Encoding')).toBeNull();
  });
});

test('a collection that outgrows the cache is served from the file, complete', async () => {
  const server = await startServer({
    database: `sqlite:${join(folder, 'outgrown.db')}`,
    storage: { cache: 64 * 1024 },
  });
  await warm(server);
  for (let id = 2; id <= 2000; id++) await add(server, id);
  const list = await get(server, '/api/items');
  expect(list.headers.get('ETag')).toBeNull();
  expect(await list.text()).toBe(`[${whole(2, 2000)}]`);
  expect(await (await get(server, '/api/items/2000')).text()).toBe(item(2000));
  await server.stop();
});

test('finding and listing are correct after thousands of insertions and deletions', async () => {
  const server = await startServer();
  const user = (id: number) => `{"id":${id},"name":"u${id}"}`;
  const ids = Array.from({ length: 2000 }, (_, n) => n + 2);
  await Promise.all(ids.map((id) => fetch(`${server.url}/api/users`, { method: 'POST', body: user(id) })));
  await Promise.all(
    ids.filter((id) => id % 3 !== 0).map((id) => fetch(`${server.url}/api/users/${id}`, { method: 'DELETE' })),
  );
  const left = (await (await get(server, '/api/users')).json()) as { id: number }[];
  expect(new Set(left.map(({ id }) => id))).toEqual(new Set([1, ...ids.filter((id) => id % 3 === 0)]));
  expect((await get(server, '/api/users/4')).status).toBe(404);
  expect(await (await get(server, '/api/users/6')).text()).toBe(user(6));
  await server.stop();
});

test('a write that the database refuses fails alone, and the rest of its batch is stored', async () => {
  const path = join(folder, 'trigger.db');
  const server = await startServer({ database: `sqlite:${path}` });
  const db = new Database(path);
  db.run("create trigger unlucky before insert on items when new.id = 13 begin select raise(abort, 'unlucky'); end");
  db.close();
  const statuses = await Promise.all(
    Array.from({ length: 40 }, (_, n) => add(server, n + 2).then(({ status }) => status)),
  );
  expect(statuses.filter((status) => status === 500).length).toBe(1);
  expect(statuses[11]).toBe(500);
  const listed = (await (await get(server, '/api/items')).json()) as { id: number }[];
  expect(listed.length).toBe(40);
  expect(listed.some(({ id }) => id === 13)).toBe(false);
  await server.stop();
});
