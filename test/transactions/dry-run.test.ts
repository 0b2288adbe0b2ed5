/** A transaction that is tried: the answer of the transaction itself, and nothing is changed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { everyEngine, type Lending, startLending } from '../support/servers/transactions.ts';

describe.each(everyEngine())('%s', (_, newUrl) => {
  let server: Lending;
  let [book, other, loan] = [0, 0, 0];
  beforeAll(async () => {
    server = await startLending({ database: await newUrl() });
    book = await server.create('books', { title: 'Ficciones', isbn: '9780000000001', state: 'lent' });
    other = await server.create('books', { title: 'Emma', isbn: '9780000000002' });
    const member = await server.create('members', { name: 'Ada', points: 1 });
    loan = await server.create('loans', { book, member, due_on: '2026-01-01' });
  });
  afterAll(() => server.stop());

  async function tried(operations: readonly object[], headers: Record<string, string> = {}) {
    const before = await server.everything();
    const answer = await server.send('POST', 'transactions?dry_run=true', { operations }, headers);
    expect(await server.everything()).toBe(before);
    return answer;
  }
  const remove = (id: number) => ({ op: 'delete', collection: 'books', id });

  test('what could be committed is 200, and can be committed later under the same key', async () => {
    const operations = [{ op: 'update', collection: 'books', id: book, record: { title: 'Again' } }, remove(other)];
    const key = { 'Idempotency-Key': 'tried' };
    const { status, text } = await tried(operations, key);
    expect([status, text]).toEqual([200, '{"dry_run":true}']);
    const done = await server.transact(operations, {}, key);
    expect([done.status, done.headers.get('Idempotent-Replayed')]).toEqual([200, null]);
    expect((await server.get(`books/${other}`)).status).toBe(404);
  });

  test('what could not is the failure of the transaction', async () => {
    const { status, body } = await tried([{ op: 'check', collection: 'books', id: book }, remove(book)]);
    const clash = { operation: 1, collection: 'loans', count: 1, first_id: loan };
    expect({ status, body }).toMatchObject({ status: 409, body: { type: '/problems/still-referenced', ...clash } });
    // Its last operation, too.
    const missing = await tried([{ op: 'check', collection: 'books', id: 999_999 }]);
    expect([missing.status, missing.body.operation]).toEqual([409, 0]);
    expect((await tried([{ op: 'delete', collection: 'books', id: 'x' }])).status).toBe(400);
  });

  test.each(['dry_run=yes', 'dry_run=true&dry_run=true', 'dry=true'])('%s is 400', async (query) => {
    const { status, body } = await server.send('POST', `transactions?${query}`, { operations: [remove(book)] });
    expect([status, body.type]).toEqual([400, '/problems/invalid-query']);
  });
});
