/** A transaction that fails changes nothing, and says which operation failed and why. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { everyEngine, type Lending, startLending } from '../support/servers/transactions.ts';

describe.each(everyEngine())('%s', (engine, newUrl) => {
  let server: Lending;
  /** A book that is lent, its member and the loan. */
  const ids = { book: 0, member: 0, loan: 0, notice: 0 };
  beforeAll(async () => {
    server = await startLending({ database: await newUrl() });
    ids.book = await server.create('books', { title: 'Ficciones', isbn: '9780000000001', state: 'lent' });
    ids.member = await server.create('members', { name: 'Ada', points: 1 });
    ids.loan = await server.create('loans', { book: ids.book, member: ids.member, due_on: '2026-01-01' });
    ids.notice = await server.create('notices', { loan: ids.loan, text: 'lent' });
  });
  afterAll(() => server.stop());

  const first = { op: 'create', collection: 'books', as: 'b', record: { title: 'Before' } };

  /** Sends the operation after another one, which must be undone. */
  async function failureOf(operation: object | string, ...after: readonly object[]) {
    const before = await server.everything();
    const text = typeof operation === 'string' ? operation : JSON.stringify(operation);
    const answer = await server.transact(
      `{"operations":[${[JSON.stringify(first), text, ...after.map((one) => JSON.stringify(one))].join()}]}`,
    );
    expect(await server.everything()).toBe(before);
    expect(answer.headers.get('Content-Type')).toBe('application/problem+json');
    expect(answer.body.instance).toBe('/api/v2/transactions');
    return answer;
  }
  const type = (code: string) => `/problems/${code.replaceAll('_', '-')}`;

  test.each(['update', 'replace', 'add', 'delete', 'check'])('%s: a record that does not exist is 404', async (op) => {
    const record = op === 'add' ? { points: 1 } : { name: 'x' };
    const operation = {
      op,
      collection: 'members',
      id: 999_999,
      ...(op === 'delete' || op === 'check' ? {} : { record }),
    };
    const { status, body } = await failureOf(operation);
    expect({ status, body }).toMatchObject({ status: op === 'check' ? 409 : 404, body: { operation: 1 } });
    expect(body.type).toBe(type(op === 'check' ? 'check_failed' : 'not_found'));
    expect(body.detail).toStartWith('Operation 1: ');
  });

  test.each(['update', 'replace', 'add', 'delete', 'check'])('%s: another version is 412', async (op) => {
    const record = op === 'add' ? { points: 1 } : { name: 'x' };
    const { status, body } = await failureOf({
      ...{ op, collection: 'members', id: ids.member, version: 7 },
      ...(op === 'delete' || op === 'check' ? {} : { record }),
    });
    expect({ status, body }).toMatchObject({ status: 412, body: { type: type('precondition_failed'), operation: 1 } });
  });

  test.each(['update', 'replace', 'add', 'delete', 'check'])('%s: "where" that does not hold is 409', async (op) => {
    const record = op === 'add' ? { points: 1 } : { name: 'x' };
    const { status, body } = await failureOf({
      ...{ op, collection: 'members', id: ids.member, where: { name: 'Grace' } },
      ...(op === 'delete' || op === 'check' ? {} : { record }),
    });
    expect({ status, body }).toMatchObject({ status: 409, body: { type: type('check_failed'), operation: 1 } });
  });

  test('a record that exists and must not is 409', async () => {
    const { body } = await failureOf({ op: 'check', collection: 'members', id: ids.member, exists: false });
    expect(body).toMatchObject({ status: 409, type: type('check_failed'), operation: 1 });
  });

  test('a count that does not hold is 409 with the number that was found', async () => {
    const where = { member: ids.member };
    expect((await failureOf({ op: 'check', collection: 'loans', where, count: { lt: 1 } })).body).toMatchObject({
      type: type('check_failed'),
      operation: 1,
      count: 1,
    });
    const record = { due_on: '2026-02-01' };
    expect(
      (await failureOf({ op: 'update', collection: 'loans', where, count: { gt: 1 }, record })).body,
    ).toMatchObject({
      type: type('check_failed'),
      count: 1,
    });
    expect((await failureOf({ op: 'delete', collection: 'loans', where, count: { eq: 0 } })).body).toMatchObject({
      type: type('check_failed'),
      count: 1,
    });
  });

  test.each([
    ['its bounds', '{"deposit":"-10.01"}', 'deposit'],
    ['its upper bound', '{"deposit":"90.01"}', 'deposit'],
    ['64 bits', '{"points":9223372036854775807}', 'points'],
    ['doubles', '{"score":1.7976931348623157e308}', 'score'],
    ['bounds, of several fields the first,', '{"points":9223372036854775807,"deposit":"90.01"}', 'deposit'],
    ['bounds, in whatever order they are sent,', '{"deposit":"90.01","points":9223372036854775807}', 'deposit'],
  ])('a sum out of %s is 409', async (_, record, field) => {
    const add = `{"op":"add","collection":"members","id":${ids.member},"record":${record}}`;
    const { body } = await failureOf(field === 'score' ? `${add},${add}` : add);
    expect(body).toMatchObject({
      type: type('out_of_bounds'),
      operation: field === 'score' ? 2 : 1,
      errors: [{ pointer: `#/operations/${field === 'score' ? 2 : 1}/record/${field}` }],
    });
  });

  test('a unique value that another record has is 409 with its id', async () => {
    const record = { title: 'x', isbn: '9780000000001' };
    expect((await failureOf({ op: 'create', collection: 'books', record })).body).toMatchObject({
      type: type('already_exists'),
      operation: 1,
      id: ids.book,
      errors: [{ pointer: '#/operations/1/record/isbn' }],
    });
    const isbn = '9780000000002';
    const { body } = await failureOf(
      { op: 'create', collection: 'members', record: { name: 'x' } },
      { op: 'create', collection: 'books', record: { title: 'x', isbn } },
      { op: 'update', collection: 'books', id: { created: 'b' }, record: { isbn } },
    );
    const message = (what: string) => `must be unique; the record of operation ${what} has this value`;
    expect(body).toMatchObject({ type: type('already_exists'), operation: 3 });
    expect(body.errors).toEqual([{ pointer: '#/operations/3/record/isbn', detail: message('2') }]);
    // There is no such record any more.
    expect(body).not.toHaveProperty('id');
    const upsert = { op: 'upsert', collection: 'books', key: { isbn }, record: { title: 'x' } };
    const after = await failureOf(upsert, upsert, { op: 'create', collection: 'books', record: { title: 'x', isbn } });
    expect(after.body.detail).toBe('Operation 3: isbn must be unique, and the record of operation 1 has this value.');
  });

  test('a reference to nothing is 409', async () => {
    const record = { book: 999_999, member: ids.member, due_on: '2026-01-01' };
    expect((await failureOf({ op: 'create', collection: 'loans', record })).body).toMatchObject({
      type: type('reference_missing'),
      operation: 1,
      errors: [{ pointer: '#/operations/1/record/book' }],
    });
  });

  test('the deletion of a record that others refer to is 409 with their number and the first', async () => {
    expect((await failureOf({ op: 'delete', collection: 'books', id: ids.book })).body).toMatchObject({
      type: type('still_referenced'),
      operation: 1,
      collection: 'loans',
      count: 1,
      first_id: ids.loan,
    });
  });

  test('the first operation that fails is the answer', async () => {
    const { body } = await failureOf(
      { op: 'delete', collection: 'books', id: 999_999 },
      { op: 'check', collection: 'books', id: 999_999 },
    );
    expect(body).toMatchObject({ status: 404, operation: 1 });
  });

  test('every mistake is 400 with a pointer, before anything is looked up', async () => {
    const { status, body } = await failureOf(
      { op: 'delete', collection: 'books', id: 999_999 },
      { op: 'create', collection: 'loans', record: { book: 1, member: 1, due_on: 'soon' } },
      { op: 'updat', collection: 'boks', id: 1 },
      { op: 'check', collection: 'books', where: { 'a/b': 1 }, count: { lt: -1 } },
    );
    expect(status).toBe(400);
    expect(body.type).toBe(type('invalid_body'));
    expect(body.detail).toStartWith('Invalid transaction: operations.2.record.due_on must be a day');
    expect(body.operation).toBeUndefined();
    expect((body.errors as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual([
      '#/operations/2/record/due_on',
      '#/operations/3/op',
      '#/operations/3/collection',
      '#/operations/4/count/lt',
      '#/operations/4/where/a~1b',
    ]);
  });

  test.each([
    ['', 'malformed_json'],
    ['{"operations":[', 'malformed_json'],
    ['[]', 'invalid_body'],
    ['{"operations":[]}', 'invalid_body'],
    [`{"operations":[${Array(1001).fill('{}').join()}]}`, 'invalid_body'],
  ])('%.30s is 400', async (body, code) => {
    const answer = await server.transact(body);
    expect([answer.status, answer.body.type]).toEqual([400, type(code)]);
  });

  test('no id is used up', async () => {
    if (engine === 'postgres') return;
    const earlier = await server.create('books', { title: 'x' });
    await failureOf({ op: 'delete', collection: 'books', id: 999_999 });
    expect(await server.create('books', { title: 'x' })).toBe(earlier + 1);
  });

  test('a query parameter is 400, and another method is 405', async () => {
    expect((await server.send('POST', 'transactions?x=1', { operations: [first] })).body.type).toBe(
      type('invalid_query'),
    );
    const { status, headers } = await server.get('transactions');
    expect([status, headers.get('Allow')]).toEqual([405, 'POST, OPTIONS']);
  });
});
