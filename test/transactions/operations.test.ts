/** What each operation of a transaction does, and what it answers. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { everyEngine, type Lending, startLending } from '../support/servers/transactions.ts';

describe.each(everyEngine())('%s', (_, newUrl) => {
  let server: Lending;
  beforeAll(async () => {
    server = await startLending({ database: await newUrl() });
  });
  afterAll(() => server.stop());

  const records = { return: 'records' };
  const one = async (collection: string, id: unknown) => (await server.get(`${collection}/${id}`)).body;
  const book = (more: object = {}) => server.create('books', { title: 'Ficciones', ...more });
  const member = (more: object = {}) => server.create('members', { name: 'Ada', ...more });

  test('a book is lent: all operations are committed together', async () => {
    const [lent, borrower] = [await book(), await member()];
    const before = (await server.get('changes?limit=1000')).body.last as number;
    const answer = await server.transact([
      {
        op: 'check',
        collection: 'loans',
        where: { member: borrower, returned_on: { is: 'null' } },
        count: { lt: 5 },
      },
      { op: 'update', collection: 'books', id: lent, where: { state: 'available' }, record: { state: 'lent' } },
      { op: 'add', collection: 'members', id: borrower, record: { loans_total: 1, deposit: '-2.50' } },
      { op: 'create', collection: 'loans', as: 'loan', record: { book: lent, member: borrower, due_on: '2026-12-01' } },
      { op: 'create', collection: 'notices', record: { loan: { created: 'loan' }, text: 'lent' } },
    ]);
    expect(answer.status).toBe(200);
    const { results } = answer.body as { results: { id: number }[] };
    const [loan, notice] = [results[3]?.id, results[4]?.id];
    expect(answer.text).toBe(
      `{"results":[{"count":0},{"id":${lent},"version":2},{"id":${borrower},"version":2},{"id":${loan},"version":1},{"id":${notice},"version":1}],"first_change":${before + 1},"last_change":${before + 4}}`,
    );
    expect(answer.headers.get('Content-Type')).toBe('application/json');
    expect(await one('books', lent)).toMatchObject({ state: 'lent', version: 2 });
    expect(await one('members', borrower)).toMatchObject({ loans_total: 1, deposit: '7.50', version: 2 });
    expect(await one('loans', loan)).toMatchObject({ book: lent, member: borrower });
    expect(await one('notices', notice)).toMatchObject({ loan, text: 'lent' });
    const { data } = (await server.get(`changes?after=${before}`)).body as { data: { seq: number; type: string }[] };
    expect(data.map(({ seq, type }) => `${seq - before} ${type}`)).toEqual([
      '1 book.updated',
      '2 member.updated',
      '3 loan.created',
      '4 notice.created',
    ]);
  });

  test('create is POST: defaults, and null for what is left out', async () => {
    const { body } = await server.transact(
      [{ op: 'create', collection: 'members', record: { name: 'Grace' } }],
      records,
    );
    const [made] = (body as { results: Record<string, unknown>[] }).results;
    expect(made).toMatchObject({ loans_total: 0, deposit: '10.00', score: 0, points: null, version: 1 });
    expect(await one('members', made?.id)).toEqual(made ?? {});
  });

  test('update is PATCH, and replace is PUT', async () => {
    const id = await member({ loans_total: 3, points: 7 });
    const { body } = await server.transact(
      [
        { op: 'update', collection: 'members', id, version: 1, record: { points: null } },
        { op: 'replace', collection: 'members', id, version: 2, record: { name: 'Grace' } },
      ],
      records,
    );
    const { results } = body as { results: object[] };
    expect(results[0]).toMatchObject({ id, name: 'Ada', loans_total: 3, points: null, version: 2 });
    expect(results[1]).toMatchObject({ id, name: 'Grace', loans_total: 0, points: null, version: 3 });
    expect(await one('members', id)).toEqual(results[1] as never);
  });

  test('add is exact, and null counts as zero', async () => {
    const id = await member({ score: 0.1 });
    const add = (record: string) =>
      server.transact(`{"operations":[{"op":"add","collection":"members","id":${id},"record":${record}}]}`);
    expect((await add('{"points":9007199254740993,"deposit":"0.07","score":0.2}')).status).toBe(200);
    expect((await add('{"points":9007199254740993}')).status).toBe(200);
    const { text } = await server.get(`members/${id}`);
    expect(text).toContain('"points":18014398509481986,');
    expect(text).toContain('"deposit":"10.07"');
    expect(text).toContain('"score":0.30000000000000004');
    expect((await add('{"points":-18014398509481987,"deposit":"-10.07"}')).status).toBe(200);
    expect(await one('members', id)).toMatchObject({ points: -1, deposit: '0.00', version: 4 });
  });

  test('delete is DELETE with its cascades, and answers with the last state', async () => {
    const loan = await server.create('loans', { book: await book(), member: await member(), due_on: '2026-01-01' });
    const notice = await server.create('notices', { loan, text: 'late' });
    const { body } = await server.transact([{ op: 'delete', collection: 'loans', id: loan, version: 1 }], records);
    const { results, first_change, last_change } = body as {
      results: object[];
      first_change: number;
      last_change: number;
    };
    expect(results[0]).toMatchObject({ id: loan, due_on: '2026-01-01' });
    expect(last_change - first_change).toBe(1);
    expect((await server.get(`loans/${loan}`)).status).toBe(404);
    expect((await server.get(`notices/${notice}`)).status).toBe(404);
  });

  test('upsert changes the record with the values of the key, or creates one', async () => {
    const key = { isbn: '9780000000007' };
    const upsert = (record: object) => ({ op: 'upsert', collection: 'books', key, record });
    const { body } = await server.transact(
      [upsert({ title: 'First', state: 'lent' }), upsert({ title: 'Second' })],
      records,
    );
    const { results } = body as { results: { id: number }[] };
    expect(results[0]).toMatchObject({ ...key, title: 'First', state: 'lent', version: 1 });
    expect(results[1]).toMatchObject({ ...key, title: 'Second', state: 'lent', version: 2, id: results[0]?.id ?? 0 });
  });

  test('an id and a reference may be a record that an earlier operation created', async () => {
    const { body, status } = await server.transact(
      [
        { op: 'create', collection: 'members', as: 'm', record: { name: 'Ada' } },
        { op: 'create', collection: 'books', as: 'b', record: { title: 'New' } },
        {
          op: 'create',
          collection: 'loans',
          as: 'l',
          record: { member: { created: 'm' }, book: { created: 'b' }, due_on: '2026-12-01' },
        },
        { op: 'update', collection: 'books', id: { created: 'b' }, version: 1, record: { state: 'lent' } },
        { op: 'add', collection: 'members', id: { created: 'm' }, record: { loans_total: 1 } },
        { op: 'check', collection: 'loans', id: { created: 'l' }, where: { 'book.state': 'lent' } },
        { op: 'delete', collection: 'loans', id: { created: 'l' } },
        { op: 'check', collection: 'loans', id: { created: 'l' }, exists: false },
      ],
      records,
    );
    expect(status).toBe(200);
    const { results } = body as { results: { id: number }[] };
    expect(results[2]).toMatchObject({ member: results[0]?.id ?? 0, book: results[1]?.id ?? 0 });
    expect(results[3]).toMatchObject({ state: 'lent', version: 2, id: results[1]?.id ?? 0 });
    expect(results[4]).toMatchObject({ loans_total: 1 });
    expect(results[7]).toEqual({ id: results[2]?.id ?? 0, version: null } as never);
  });

  test('update, add and delete without an id change every record that matches', async () => {
    for (const points of [1, 2, 3]) await member({ name: 'many', points });
    const where = { name: 'many' };
    const { text } = await server.transact([
      { op: 'update', collection: 'members', where: { ...where, points: { gte: 2 } }, record: { score: 1.5 } },
      { op: 'add', collection: 'members', where, count: { eq: 3 }, record: { points: 10 } },
      { op: 'check', collection: 'members', where: { ...where, points: { gt: 10 } }, count: { eq: 3 } },
      { op: 'delete', collection: 'members', where: { ...where, score: 1.5 }, count: { lte: 2 } },
      { op: 'update', collection: 'members', where: { name: 'nobody' }, record: { score: 1 } },
      { op: 'check', collection: 'members', where, count: { gte: 1, lt: 2, ne: 0 } },
    ]);
    expect(text).toStartWith(
      '{"results":[{"count":2},{"count":3},{"count":3},{"count":2},{"count":0},{"count":1}],"first_change":',
    );
    const { data } = (await server.get('members?name=many&fields=points,score')).body;
    expect(data).toEqual([{ points: 11, score: 0 }] as never);
  });

  test('checks alone change nothing', async () => {
    const id = await book();
    const before = await server.everything();
    const { text } = await server.transact([
      { op: 'check', collection: 'books', id },
      { op: 'check', collection: 'books', id, exists: true, version: 1, where: { state: 'available' } },
      { op: 'check', collection: 'books', id: 999_999, exists: false },
      { op: 'check', collection: 'books', where: { id }, count: { eq: 1 } },
    ]);
    expect(text).toBe(
      `{"results":[{"id":${id},"version":1},{"id":${id},"version":1},{"id":999999,"version":null},{"count":1}],"first_change":null,"last_change":null}`,
    );
    expect(await server.everything()).toBe(before);
  });

  test('where has paths, and every other part of the filter language', async () => {
    const [shelf, borrower] = [await book({ title: 'Path' }), await member({ name: 'Path' })];
    const loan = await server.create('loans', { book: shelf, member: borrower, due_on: '2026-01-01' });
    const { status, text } = await server.transact([
      { op: 'check', collection: 'loans', where: { 'book.title': 'Path', 'member.name': 'Path' }, count: { eq: 1 } },
      {
        op: 'update',
        collection: 'loans',
        id: loan,
        where: { any: [{ 'book.state': 'lent' }, { not: { returned_on: { is: 'set' } } }] },
        record: { returned_on: '2026-01-02' },
      },
      {
        op: 'check',
        collection: 'loans',
        where: { id: { in: [loan] }, due_on: { lt: { field: 'returned_on' } } },
        count: { eq: 1 },
      },
    ]);
    expect({ status, text }).toMatchObject({ status: 200 });
  });

  test('records of the contract have the id of the contract API', async () => {
    const { body } = await server.transact(
      [
        { op: 'create', collection: 'items', record: { name: 'Lamp', price: 20 } },
        { op: 'create', collection: 'items', as: 'i', record: { external_id: 77, name: 'Desk', price: 1 } },
        { op: 'update', collection: 'items', id: { created: 'i' }, record: { price: 2 } },
      ],
      records,
    );
    const { results } = body as { results: { id: number }[] };
    expect(results[0]).toMatchObject({ external_id: results[0]?.id ?? 0, name: 'Lamp' });
    expect(results[2]).toMatchObject({ external_id: 77, price: 2, version: 2 });
    const answer = await fetch(`${server.url}/api/items/77`);
    expect(await answer.json()).toEqual({ id: 77, name: 'Desk', price: 2 });
  });

  test('all changes have one time', async () => {
    const { body } = await server.transact([
      { op: 'create', collection: 'books', record: { title: 'A' } },
      { op: 'create', collection: 'books', record: { title: 'B' } },
    ]);
    const { data } = (await server.get(`changes?after=${Number(body.first_change) - 1}`)).body as {
      data: { at: string }[];
    };
    expect(data).toHaveLength(2);
    expect(data[0]?.at).toBe(data[1]?.at ?? '');
  });
});
