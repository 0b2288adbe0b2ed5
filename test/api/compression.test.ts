/** Answers of the v2 API are compressed for clients that accept it, and 304 while they do not change. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { quickEngines } from '../support/servers/engines.ts';
import { oneThread, startServer, type TestServer } from '../support/servers/server.ts';

const unpackers = {
  zstd: (bytes: Uint8Array<ArrayBuffer>) => Bun.zstdDecompressSync(bytes),
  gzip: (bytes: Uint8Array<ArrayBuffer>) => Bun.gunzipSync(bytes),
};
const encodings = Object.keys(unpackers) as (keyof typeof unpackers)[];

describe.each(quickEngines)('%s', (_, newUrl) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl() });
    const lines = Array.from({ length: 1500 }, (_, n) => `{"name":"Item number ${n} é","price":${n}.5}`).join('\n');
    expect((await post('application/x-ndjson', lines)).status).toBe(201);
  });
  afterAll(() => server.stop());

  const post = (type: string, body: string) =>
    fetch(`${server.url}/api/v2/items`, { method: 'POST', headers: { 'Content-Type': type }, body });
  const get = (path: string, headers: Record<string, string>, method = 'GET') =>
    fetch(server.url + path, { method, headers, decompress: false });
  const plain = { 'Accept-Encoding': 'identity' };

  const answers: readonly [path: string, accept: string][] = [
    ['/api/v2/items?limit=1000&sort=-price', 'application/json'],
    ['/api/v2/changes?limit=1000', 'application/json'],
    ['/openapi.json', 'application/json'],
    ['/api/v2/items', 'text/csv'],
    ['/api/v2/items?price[lt]=20', 'text/csv'],
    ['/api/v2/items?sort=-name', 'application/x-ndjson'],
  ];

  describe.each(answers)('%s as %s', (path, accept) => {
    test.each(encodings)('is sent in %s', async (encoding) => {
      const whole = await get(path, { Accept: accept, ...plain });
      expect(whole.headers.get('Content-Encoding')).toBeNull();
      const packed = await get(path, { Accept: accept, 'Accept-Encoding': encoding });
      expect(packed.headers.get('Content-Encoding')).toBe(encoding);
      expect(packed.headers.get('Content-Type')).toBe(whole.headers.get('Content-Type'));
      for (const answer of [whole, packed]) expect(answer.headers.get('Vary')).toContain('Accept-Encoding');
      const bytes = new Uint8Array(await packed.arrayBuffer());
      const text = await whole.text();
      expect(Buffer.from(unpackers[encoding](bytes)).toString()).toBe(text);
      expect(bytes.length).toBeLessThan(Buffer.byteLength(text) / 2);

      const head = await get(path, { Accept: accept, 'Accept-Encoding': encoding }, 'HEAD');
      expect(head.headers.get('Content-Encoding')).toBe(encoding);
    });
  });

  test.each(answers.slice(0, 3))('%s is answered with 304 while it does not change', async (path) => {
    for (const accepted of ['identity', ...encodings]) {
      const headers = { 'Accept-Encoding': accepted };
      const tag = (await get(path, headers)).headers.get('ETag') ?? '';
      expect(tag).not.toBe('');
      const again = await get(path, { ...headers, 'If-None-Match': tag });
      expect(again.status).toBe(304);
      expect(again.headers.get('ETag')).toBe(tag);
      expect(again.headers.get('Vary')).toContain('Accept-Encoding');
      expect(await again.text()).toBe('');
      expect((await get(path, { ...headers, 'If-None-Match': '"other"' })).status).toBe(200);
      expect((await get(path, { ...headers, 'If-Match': '"other"' })).status).toBe(412);
    }
  });

  test('each encoding has its own strong tag', async () => {
    const tags = await Promise.all(
      ['identity', ...encodings].map(async (accepted) => {
        const answer = await get('/api/v2/items', { 'Accept-Encoding': accepted });
        return answer.headers.get('ETag');
      }),
    );
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) expect(tag).toStartWith('"');
  });

  test('a change gives new tags only to pages that contain it', async () => {
    const tagOf = async (path: string) => (await get(path, plain)).headers.get('ETag');
    const paths = ['/api/v2/items?sort=-id', '/api/v2/changes?after=1400&limit=1000', '/api/v2/items?limit=5'];
    const before = await Promise.all(paths.map(tagOf));
    expect((await post('application/json', '{"name":"new","price":1}')).status).toBe(201);
    const after = await Promise.all(paths.map(tagOf));
    expect(after.map((tag, index) => tag === before[index])).toEqual([false, false, true]);
  });

  test('a short answer is not compressed', async () => {
    const headers = { 'Accept-Encoding': 'gzip' };
    for (const path of ['/api/v2/items?limit=1', '/api/v2/changes?limit=1']) {
      expect((await get(path, headers)).headers.get('Content-Encoding')).toBeNull();
    }
    const stream = await get('/api/v2/items?price[lt]=3', { ...headers, Accept: 'text/csv' });
    expect(stream.headers.get('Content-Encoding')).toBeNull();
  });

  test('a stream has no tag, and its readers may disconnect', async () => {
    const headers = { 'Accept-Encoding': 'gzip', Accept: 'text/csv' };
    // More than the limit of compressed streams.
    for (let n = 0; n < 70; n++) {
      const answer = await get('/api/v2/items', headers, n % 2 === 0 ? 'HEAD' : 'GET');
      expect(answer.headers.get('ETag')).toBeNull();
      expect(answer.headers.get('Content-Encoding')).toBe('gzip');
      await answer.body?.cancel();
    }
  });
});

test('an answer that could not be compressed is compressed for the next request', async () => {
  const server = await startServer({ server: oneThread });
  const body = '{"name":"one of many","price":1}\n'.repeat(100);
  await fetch(`${server.url}/api/v2/items`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body,
  });
  for (const path of ['/openapi.json', '/api/items']) {
    using _ = spyOn(Bun, 'zstdCompress').mockImplementationOnce(() => Promise.reject(new Error('no memory')));
    const statusOf = async () => (await fetch(server.url + path, { headers: { 'Accept-Encoding': 'zstd' } })).status;
    expect([await statusOf(), await statusOf()]).toEqual([500, 200]);
  }
  await server.stop();
});
