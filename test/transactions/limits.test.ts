/** How much one transaction may be, and that a retry commits it once. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { everyEngine, type Lending, startLending } from '../support/servers/transactions.ts';

const maxBody = 256 * 1024;

describe.each(everyEngine())('%s', (_, newUrl) => {
  let server: Lending;
  beforeAll(async () => {
    // The default is too short for a thousand operations on PostgreSQL, on a machine that runs all tests at once.
    server = await startLending({
      database: await newUrl(),
      storage: { timeout: 60_000 },
      limits: { maxBody },
    });
  });
  afterAll(() => server.stop());

  const book = (title: string, more: object = {}) => ({
    op: 'create',
    collection: 'books',
    record: { title },
    ...more,
  });
  const total = async (title: string) => (await server.get(`books?title=${title}&count=exact&limit=1`)).body.total;

  describe('an Idempotency-Key', () => {
    const keyed = (key: string, operations: readonly unknown[] | string, more = {}) =>
      server.transact(operations, more, { 'Idempotency-Key': key });

    test('commits once, and the answer is the same', async () => {
      const operations = [
        book('once', { as: 'b' }),
        { op: 'update', collection: 'books', id: { created: 'b' }, record: { state: 'lent' } },
        { op: 'check', collection: 'books', where: { title: 'once' }, count: { eq: 1 } },
      ];
      const [one, two] = [await keyed('a', operations), await keyed('a', operations)];
      expect([one.status, one.headers.get('Idempotent-Replayed')]).toEqual([200, null]);
      expect([two.status, two.headers.get('Idempotent-Replayed')]).toEqual([200, 'true']);
      expect(two.text).toBe(one.text);
      expect(await total('once')).toBe(1);
    });

    test('white space makes no difference', async () => {
      const text = JSON.stringify({ operations: [book('a b'), book('space')], return: 'records' });
      const one = await keyed('spaced', text);
      const two = await keyed('spaced', JSON.stringify(JSON.parse(text), null, 2));
      expect(two.headers.get('Idempotent-Replayed')).toBe('true');
      expect(two.text).toBe(one.text);
      expect(one.text).toContain('"title":"space"');
    });

    test('is 422 with another body', async () => {
      expect((await keyed('b', [book('first')])).status).toBe(200);
      for (const [operations, more] of [
        [[book('second')], {}],
        [[book('first')], { return: 'records' }],
        [[book('first'), book('first')], {}],
      ] as const)
        expect((await keyed('b', operations, more)).body.type).toBe('/problems/key-reused');
      expect(await total('first')).toBe(1);
    });

    test('of a transaction that failed is not used up', async () => {
      const wanted = { op: 'check', collection: 'books', where: { title: 'wanted' }, count: { eq: 1 } };
      expect((await keyed('c', [wanted, book('after')])).status).toBe(409);
      await server.create('books', { title: 'wanted' });
      const { status, headers } = await keyed('c', [wanted, book('after')]);
      expect([status, headers.get('Idempotent-Replayed')]).toEqual([200, null]);
    });

    test('belongs to one path', async () => {
      expect((await keyed('d', [book('path')])).status).toBe(200);
      const { status } = await server.send('POST', 'books', { title: 'path' }, { 'Idempotency-Key': 'd' });
      expect(status).toBe(201);
      expect(await total('path')).toBe(2);
    });

    test('of concurrent requests commits once', async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => keyed('e', [book('race'), book('race')])));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(await total('race')).toBe(2);
    });

    test('must be one', async () => {
      expect((await keyed('ü', [book('x')])).body.type).toBe('/problems/invalid-key');
    });
  });

  test('a thousand operations in a large body are one commit', async () => {
    const operations = Array.from({ length: 999 }, () => book('thousand'));
    const check = { op: 'check', collection: 'books', where: { title: 'thousand' }, count: { eq: 999 } };
    const { status, body } = await server.transact([...operations, check]);
    expect(status).toBe(200);
    expect(Number(body.last_change) - Number(body.first_change)).toBe(998);
    expect(await total('thousand')).toBe(999);
  });

  test('every mistake of a large body is found', async () => {
    const wrong = { ...book('wrong'), more: 1 };
    const { body } = await server.transact(Array(500).fill(wrong), { x: 'y'.repeat(40_000) });
    expect(body.detail).toEndWith('; and 481 more.');
    expect((body.errors as { pointer: string }[])[0]?.pointer).toBe('#/x');
    expect(body.errors).toHaveLength(100);
  });

  test('a body above --max-body is 413, and a compressed one is 415', async () => {
    expect((await server.transact([book('x'.repeat(maxBody))])).status).toBe(413);
    const { body } = await server.transact([book('x')], {}, { 'Content-Encoding': 'gzip' });
    expect(body.type).toBe('/problems/unsupported-encoding');
  });

  test('the Content-Type makes no difference, as for POST', async () => {
    const { status } = await server.transact([book('typed')], {}, { 'Content-Type': 'text/plain' });
    expect(status).toBe(200);
  });

  test('at most 10,000 records are changed', async () => {
    const lines = Array.from({ length: 10_001 }, () => '{"title":"bulk"}').join('\n');
    const added = await fetch(`${server.url}/api/v2/books/bulk`, { method: 'POST', body: lines });
    const { first_id: from } = (await added.json()) as { first_id: number };
    const setLent = (id: object) => ({ op: 'update', collection: 'books', where: { id }, record: { state: 'lent' } });
    // On a busy machine the time for finding them is over before their number is known: then `operation` and the reason differ.
    const refusal = { status: 409, body: { type: '/problems/too-many-records', operation: expect.any(Number) } };
    expect(await server.transact([book('before'), setLent({ gte: from })])).toMatchObject(refusal);
    const middle = from + 5000;
    const halves = [setLent({ gte: from, lt: middle }), setLent({ gte: middle })];
    expect(await server.transact([book('before'), ...halves])).toMatchObject(refusal);
    expect(await total('before')).toBe(0);
    expect((await server.get(`books?title=bulk&state=lent&count=exact&limit=1`)).body.total).toBe(0);
    const { text } = await server.transact([setLent({ gte: from, lt: from + 100 })]);
    expect(text).toContain('{"results":[{"count":100}]');
  });
});

test('a transaction counts as one request for the rate limit', async () => {
  const server = await startLending({ access: { rateLimit: { value: { count: 2, seconds: 3600 } } } });
  const operations = [
    { op: 'create', collection: 'books', record: { title: 'x' } },
    { op: 'create', collection: 'books', record: { title: 'x' } },
  ];
  const statuses = [];
  for (let round = 0; round < 3; round++) statuses.push((await server.transact(operations)).status);
  expect(statuses).toEqual([200, 200, 429]);
  await server.stop();
});
