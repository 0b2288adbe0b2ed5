/** Many records in one request, on every engine: either all are stored or none. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { migratedEngines } from '../support/servers/engines.ts';
import { connectTo } from '../support/servers/network/socket.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

type Problem = { type: string; detail: string; errors?: { pointer: string; detail: string; line: number }[] };

describe.each(migratedEngines())('%s', (_, newUrl) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), limits: { maxBody: 4096, maxBulk: 1024 * 1024 } });
  });
  afterAll(() => server.stop());

  const bulk = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/api/v2/items`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson', ...headers },
      body,
    });
  const total = async (name = '') => {
    const search = name === '' ? '' : `&name=${name}`;
    const answer = await fetch(`${server.url}/api/v2/items?count=exact&limit=1${search}`);
    return ((await answer.json()) as { total: number }).total;
  };
  const lines = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `{"name":"${name}","price":${index}}`).join('\n');

  async function refused(answer: Response, status: number): Promise<Problem> {
    expect(answer.status).toBe(status);
    expect(answer.headers.get('Content-Type')).toBe('application/problem+json');
    return (await answer.json()) as Problem;
  }

  test('a bulk adds every line in order, with consecutive numbers', async () => {
    const answer = await bulk(lines('many', 1500));
    expect(answer.status).toBe(201);
    const { created, first_id, last_id } = (await answer.json()) as Record<string, number>;
    expect({ created, span: Number(last_id) - Number(first_id) }).toEqual({ created: 1500, span: 1499 });

    const found = (await (await fetch(`${server.url}/api/v2/items?name=many&fields=id,price&limit=1000`)).json()) as {
      data: { id: number; price: number }[];
    };
    expect(found.data.slice(0, 3)).toEqual([0, 1, 2].map((index) => ({ id: Number(first_id) + index, price: index })));
    const contract = (await (await fetch(`${server.url}/api/items`)).json()) as { id: number; name: string }[];
    expect(contract.filter(({ name }) => name === 'many')).toHaveLength(1500);
    expect(contract.at(-1)?.id).toBe(Number(last_id));
  });

  test('a bulk is visible at once to reads, later additions and changes', async () => {
    const { last_id } = (await (await bulk(lines('seen', 700))).json()) as { last_id: number };
    expect(await (await fetch(`${server.url}/api/items/${last_id}`)).json()).toMatchObject({
      name: 'seen',
      price: 699,
    });
    const next = await fetch(`${server.url}/api/items`, { method: 'POST', body: '{"id":77,"name":"next","price":1}' });
    expect(next.status).toBe(201);
    expect(((await (await fetch(`${server.url}/api/items`)).json()) as object[]).at(-1)).toMatchObject({ id: 77 });
    const path = `${server.url}/api/v2/items/${last_id}`;
    expect(
      (await fetch(path, { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: '{"price":-1}' }))
        .status,
    ).toBe(200);
    expect(await (await fetch(`${server.url}/api/items/${last_id}`)).json()).toMatchObject({ price: -1 });
  });

  test('a bulk accepts empty lines, CRLF, 64-bit ids, and a last line without a line end', async () => {
    const answer = await bulk(
      '\n{"name":"odd","price":1}\r\n  \n{"external_id":-9223372036854775808,"name":"odd","price":2}',
    );
    expect((await answer.json()) as object).toMatchObject({ created: 2 });
    expect(await (await fetch(`${server.url}/api/items/-9223372036854775808`)).text()).toBe(
      '{"id":-9223372036854775808,"name":"odd","price":2}',
    );
  });

  test('every record keeps its exact values, also if some ids are beyond 2^53', async () => {
    const ids = Array.from(
      { length: 91 },
      (_, index) => 9_007_199_254_740_993n * (index % 13 === 0 ? 1n : 0n) + BigInt(index),
    );
    const record = (id: bigint, index: number) => `"external_id":${id},"name":"exact","price":${index}.25`;
    expect((await bulk(ids.map((id, index) => `{${record(id, index)}}`).join('\n'))).status).toBe(201);
    const found = await (await fetch(`${server.url}/api/v2/items?name=exact&limit=100`)).text();
    expect([...found.matchAll(/"external_id":[^}]*?"price":[\d.]+/g)].map(String)).toEqual(ids.map(record));
  });

  test('each record is one change, in order', async () => {
    const { last } = (await (await fetch(`${server.url}/api/v2/changes?after=0&limit=1000`)).json()) as {
      last: number;
    };
    let after = last;
    for (;;) {
      const page = (await (await fetch(`${server.url}/api/v2/changes?after=${after}`)).json()) as {
        data: [];
        last: number;
      };
      if (page.data.length === 0) break;
      after = page.last;
    }
    const odd = ['{"name":"é😀\\n\\t\\\\N","price":-0}', '{"external_id":9223372036854775807,"name":"","price":1e-7}'];
    const body = [lines('told', 5), ...odd].join('\n');
    const { first_id } = (await (await bulk(body)).json()) as { first_id: number };
    const text = await (await fetch(`${server.url}/api/v2/changes?after=${after}`)).text();
    const { data } = JSON.parse(text) as { data: { type: string; record: { id: number } }[] };
    expect(data.map(({ type, record }) => [type, record.id - first_id])).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((index) => ['item.created', index]),
    );
    // A change has its record byte for byte.
    for (const { record } of data)
      expect(text).toContain(`"record":${await (await fetch(`${server.url}/api/v2/items/${record.id}`)).text()}}`);
  });

  test('with one invalid line nothing is added, and every problem is reported with its line', async () => {
    const before = await total();
    const body = `${lines('broken', 600)}\n{"name":1,"price":"x"}\n{"name":"a"\n${lines('broken', 600)}\n\xff`;
    const { type, detail, errors } = await refused(await bulk(Buffer.from(body, 'latin1')), 400);
    expect(type).toBe('/problems/invalid-body');
    expect(detail).toStartWith('Nothing was added. Line 601: Invalid item: name must be a string');
    expect(errors?.map(({ line, pointer }) => [line, pointer])).toEqual([
      [601, '#/name'],
      [601, '#/price'],
      [602, '#'],
      [1203, '#'],
    ]);
    expect(await total()).toBe(before);
  });

  test('at most the first hundred problems are reported', async () => {
    const { errors } = await refused(await bulk('nonsense\n'.repeat(5000)), 400);
    expect(errors).toHaveLength(100);
    expect(errors?.at(-1)?.line).toBe(100);
  });

  test('a body that has no records, is compressed or is too large is refused with the reason', async () => {
    expect((await refused(await bulk('\n \n'), 400)).detail).toContain('no records');
    expect((await refused(await bulk('x', { 'Content-Encoding': 'gzip' }), 415)).type).toBe(
      '/problems/unsupported-encoding',
    );
    const long = `{"name":"ok","price":1}\n{"name":"${'x'.repeat(5000)}","price":1}`;
    expect((await refused(await bulk(long), 413)).detail).toBe(
      'Nothing was added. Line 2 is over the limit of 4096 bytes.',
    );
    expect((await refused(await bulk('x'.repeat(2_000_000)), 413)).detail).toContain('1048576 bytes');
  });

  test('an Idempotency-Key adds the records once', async () => {
    const key = { 'Idempotency-Key': `bulk-${crypto.randomUUID()}` };
    const first = await bulk(lines('keyed', 20), key);
    const again = await bulk(lines('keyed', 20), key);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(await again.text()).toBe(await first.text());
    expect(await total('keyed')).toBe(20);
    await refused(await bulk(lines('keyed', 21), key), 422);
    const long = { 'Idempotency-Key': `bulk-${crypto.randomUUID()}` };
    expect((await bulk(`${lines('long', 1200)}\n{"name":"long","price":-1}`, long)).status).toBe(201);
    await refused(await bulk(`${lines('long', 1200)}\n{"name":"long","price":-2}`, long), 422);
    const single = await fetch(`${server.url}/api/v2/items`, {
      method: 'POST',
      headers: key,
      body: '{"name":"keyed","price":0}',
    });
    await refused(single, 422);
    await refused(await bulk(lines('keyed', 1), { 'Idempotency-Key': 'a b' }), 400);
    expect(await total('keyed')).toBe(20);
  });

  test('a slow client that disconnects delays no other write and adds nothing', async () => {
    const socket = connectTo(server.url);
    const head =
      'POST /api/v2/items HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nContent-Length: 1000\r\n\r\n';
    await new Promise<void>((resolve) => socket.write(`${head}{"name":"left","price":1}\n`, () => resolve()));
    const other = await fetch(`${server.url}/api/items`, { method: 'POST', body: '{"id":5,"name":"quick","price":1}' });
    expect(other.status).toBe(201);
    await new Promise<void>((resolve) => {
      socket.on('close', () => resolve());
      socket.on('data', () => {});
      socket.end();
    });
    expect(await total('left')).toBe(0);
  });
});
