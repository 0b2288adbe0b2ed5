/** If-Match and If-None-Match on every route that sends an ETag: checked after 404, and atomically with the write. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { books } from '../support/data/books.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { type EngineUnderTest, quickEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const folder = temporaryFolder();
const engines: readonly EngineUnderTest[] = [...quickEngines, ['sqlite', () => `sqlite:${join(folder, 'books.db')}`]];

describe.each(engines)('%s', (_, newUrl) => {
  let server: TestServer;
  let ids = 100;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), collections: [books], storage: { cache: 0 } });
  });
  afterAll(() => server.stop());

  const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
    fetch(server.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  const json = { 'Content-Type': 'application/json' };

  /** Returns the path of a new record in each API, and its tag in the contract API. */
  async function make(fields = '"title":"t","pages":1,"weight":1.5', id = ids++) {
    const body = `{"id":${id},${fields}}`;
    expect((await ask('POST', '/api/books', {}, body)).status).toBe(201);
    const found = await ask('GET', `/api/v2/books?external_id=${id}&sort=-id&limit=1`);
    const { data } = (await found.json()) as { data: { id: number }[] };
    const path = `/api/books/${id}`;
    const tag = (await ask('GET', path)).headers.get('ETag') ?? '';
    return { id, path, v2: `/api/v2/books/${data[0]?.id}`, tag };
  }

  const other = '"other"';
  const rows: readonly [header: string, of: (tag: string) => string, holds: boolean][] = [
    ['If-Match', (tag) => tag, true],
    ['If-Match', (tag) => `${other}, ${tag}`, true],
    ['If-Match', () => '*', true],
    ['If-Match', () => other, false],
    ['If-Match', (tag) => `W/${tag}`, false],
    ['If-Match', (tag) => tag.replaceAll('"', ''), false],
    ['If-Match', () => '",*,"', false],
    ['If-Match', () => '', false],
    ['If-None-Match', () => other, true],
    ['If-None-Match', () => '",*,"', true],
    ['If-None-Match', (tag) => tag, false],
    ['If-None-Match', (tag) => `${other},W/${tag}`, false],
    ['If-None-Match', () => '*', false],
  ];

  describe.each(rows)('%s %s', (header, of, holds) => {
    const unless = (status: number) => (holds ? status : 412);

    test("on the contract's DELETE", async () => {
      const { path, tag } = await make();
      expect((await ask('DELETE', path, { [header]: of(tag) })).status).toBe(unless(204));
      expect((await ask('GET', path)).status).toBe(holds ? 404 : 200);
      expect((await ask('DELETE', '/api/books/99', { [header]: of(tag) })).status).toBe(404);
    });

    test.each(['PUT', 'PATCH', 'DELETE'])('on %s of v2', async (method) => {
      const { v2 } = await make();
      const body = method === 'DELETE' ? undefined : '{"title":"new","pages":2,"weight":2}';
      const headers = { ...(body === undefined ? {} : json), [header]: of('"1"') };
      const answer = await ask(method, v2, headers, body);
      expect(answer.status).toBe(unless(method === 'DELETE' ? 204 : 200));
      const now = await ask('GET', v2);
      if (method === 'DELETE' && holds) expect(now.status).toBe(404);
      else expect(now.headers.get('ETag')).toBe(holds ? '"2"' : '"1"');
      expect((await ask(method, '/api/v2/books/999999', headers, body)).status).toBe(404);
    });

    test('on reads, where a match of If-None-Match is 304', async () => {
      const { path, v2 } = await make();
      for (const read of [path, v2, '/api/books']) {
        for (const method of ['GET', 'HEAD']) {
          const tag = (await ask(method, read)).headers.get('ETag');
          // A list that is read from the file has no tag.
          if (tag === null) continue;
          const failed = header === 'If-Match' ? 412 : 304;
          expect((await ask(method, read, { [header]: of(tag) })).status).toBe(holds ? 200 : failed);
        }
      }
    });
  });

  test('both headers must hold', async () => {
    const { v2 } = await make();
    const patch = (match: string, none: string) =>
      ask('PATCH', v2, { ...json, 'If-Match': match, 'If-None-Match': none }, '{"pages":3}');
    expect((await patch('"1"', '"1"')).status).toBe(412);
    expect((await patch('"2"', '"2"')).status).toBe(412);
    expect((await patch('"1"', '"2"')).status).toBe(200);
  });

  test.each([
    '"title":"é😀\\u2028\\"\\\\","pages":9007199254740993,"weight":1e21',
    '"title":"","pages":-9223372036854775808,"weight":-0',
    '"title":"x","pages":0,"weight":5e-324',
    '"title":"x","pages":0,"weight":3',
  ])('the tag of {%s} matches the record that was sent, also after a change', async (fields) => {
    const { path, tag } = await make(fields);
    expect((await ask('DELETE', path, { 'If-None-Match': tag })).status).toBe(412);
    expect((await ask('DELETE', path, { 'If-Match': tag })).status).toBe(204);

    const changed = await make();
    await ask('PATCH', changed.v2, json, `{${fields}}`);
    const now = (await ask('GET', changed.path)).headers.get('ETag') ?? '';
    expect((await ask('DELETE', changed.path, { 'If-Match': changed.tag })).status).toBe(412);
    expect((await ask('DELETE', changed.path, { 'If-Match': now })).status).toBe(204);
  });

  test('of concurrent conditional deletions one succeeds, and another record with the same id stays', async () => {
    const { id, path, tag } = await make();
    await make('"title":"another","pages":1,"weight":1', id);
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask('DELETE', path, { 'If-Match': tag })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([204, ...Array(9).fill(412)]);
    expect(await (await ask('GET', path)).text()).toContain('"another"');
  });

  test('of a concurrent change and conditional deletion exactly one succeeds', async () => {
    for (let round = 0; round < 30; round++) {
      const { path, v2, tag } = await make();
      const [changed, deleted] = await Promise.all([
        ask('PATCH', v2, json, '{"pages":2}'),
        ask('DELETE', path, { 'If-Match': tag }),
      ]);
      expect([changed.status, deleted.status]).toEqual(changed.status === 200 ? [200, 412] : [404, 204]);
    }
  });
});
