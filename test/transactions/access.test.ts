/** The rights that a transaction needs, collection by collection. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { runKeys } from '../../src/cli/commands/keys.ts';
import type { Scope } from '../../src/domain/caller.ts';
import { lending } from '../support/data/lending.ts';
import { everyEngine, type Lending, startLending } from '../support/servers/transactions.ts';

describe.each(everyEngine())('%s', (_, newUrl) => {
  let server: Lending;
  const keys: Record<string, string> = {};
  const ids = { book: 0, member: 0, loan: 0 };

  const headersOf = (key: string) => ({ 'X-API-Key': keys[key] ?? '' });
  const transact = (key: string, ...operations: readonly object[]) => server.transact(operations, {}, headersOf(key));

  beforeAll(async () => {
    server = await startLending({ database: await newUrl(), access: { auth: 'write' } });
    const grant = async (name: string, scope: Scope, collections?: string[]) => {
      const order = { kind: 'create', name, scope, collections, lastsMs: undefined } as const;
      keys[name] = (await runKeys(server.store.admin.apiKeys, order, new Date(), lending)).output.trim();
    };
    await grant('all', 'write');
    await grant('reads', 'read');
    await grant('readsLoans', 'read', ['loans']);
    await grant('books', 'write', ['books']);
    await grant('loans', 'write', ['loans']);
    await grant('loansAndNotices', 'write', ['loans', 'notices']);
    const create = async (collection: string, record: object) =>
      (await server.send('POST', collection, record, headersOf('all'))).body.id as number;
    ids.book = await create('books', { title: 'Ficciones' });
    ids.member = await create('members', { name: 'Ada' });
    ids.loan = await create('loans', { book: ids.book, member: ids.member, due_on: '2026-01-01' });
    await create('notices', { loan: ids.loan, text: 'lent' });
  });
  afterAll(() => server.stop());

  const book = { op: 'create', collection: 'books', record: { title: 'x' } };
  const lacks = (scope: string) => ({ status: 403, body: { detail: `This key lacks the scope ${scope}.` } });

  test('there must be a key, also where reads need none', async () => {
    expect((await server.transact([book])).status).toBe(401);
    expect((await server.transact([{ op: 'check', collection: 'books', id: ids.book }])).status).toBe(401);
  });

  test('a change needs write, and a check needs read', async () => {
    const check = { op: 'check', collection: 'loans', where: {}, count: { gte: 1 } };
    expect(await transact('reads', book)).toMatchObject(lacks('write on books'));
    expect(await transact('reads', check)).toMatchObject({ status: 200 });
    expect(await transact('readsLoans', check)).toMatchObject({ status: 200 });
    expect(await transact('books', book)).toMatchObject({ status: 200 });
    expect(await transact('books', book, check)).toMatchObject(lacks('read on loans'));
    expect(await transact('loans', check, book)).toMatchObject(lacks('write on books'));
    const upsert = { op: 'upsert', collection: 'books', key: { isbn: '9780000000001' }, record: { title: 'x' } };
    expect(await transact('loans', upsert)).toMatchObject(lacks('write on books'));
  });

  test('a lack of rights is found before mistakes, and before stored records', async () => {
    const missing = { op: 'delete', collection: 'books', id: 999_999 };
    const wrong = { op: 'create', collection: 'books', record: {}, more: 1 };
    const other = { op: 'check', collection: 'loans', id: ids.loan };
    expect(await transact('books', missing, wrong, other)).toMatchObject(lacks('read on loans'));
    expect(await transact('books', missing, wrong)).toMatchObject({ status: 400 });
    expect(await transact('books', missing)).toMatchObject({ status: 404 });
  });

  test('a path in "where" needs read on what it leads to', async () => {
    const check = { op: 'check', collection: 'loans', where: { 'member.name': 'Ada' }, count: { eq: 1 } };
    expect(await transact('loans', check)).toMatchObject({
      status: 403,
      body: { detail: 'This key may not read members: leave paths to it out of the filter.' },
    });
    expect(await transact('all', check)).toMatchObject({ status: 200 });
  });

  test('cascades need write, and a caller learns nothing of what it may not read', async () => {
    const removal = { op: 'delete', collection: 'loans', id: ids.loan };
    const { status, text } = await transact('loans', removal);
    expect(status).toBe(403);
    expect(text).toContain('"operation":0');
    expect(text).not.toContain('notices');
    const held = await transact('books', book, { op: 'delete', collection: 'books', id: ids.book });
    expect(held.body).toMatchObject({ status: 409, type: '/problems/still-referenced', operation: 1 });
    expect(held.text).not.toContain('loans');
    expect(held.text).not.toContain('count');
    const shown = await transact('all', book, { op: 'delete', collection: 'books', id: ids.book });
    expect(shown.body).toMatchObject({ operation: 1, collection: 'loans', count: 1, first_id: ids.loan });
    expect(await transact('loansAndNotices', removal)).toMatchObject({ status: 200 });
  });

  test('a suggestion names only collections that the caller may read', async () => {
    const wrong = { op: 'check', collection: 'notice', id: 1 };
    expect((await transact('all', wrong)).text).toContain('did you mean \\"notices\\"?');
    expect((await transact('loans', wrong)).text).not.toContain('notices');
  });

  test('the changes have the name of the caller', async () => {
    const { body } = await transact('books', book, book);
    const { data } = (await server.get(`changes?after=${Number(body.first_change) - 1}`)).body;
    expect(data).toMatchObject([{ by: 'books' }, { by: 'books' }]);
  });

  test('callers do not share Idempotency-Keys', async () => {
    const keyed = (key: string) => server.transact([book], {}, { ...headersOf(key), 'Idempotency-Key': 'same' });
    const [one, other] = [await keyed('books'), await keyed('all')];
    expect(other.headers.get('Idempotent-Replayed')).toBeNull();
    expect(other.text).not.toBe(one.text);
    expect((await keyed('books')).text).toBe(one.text);
  });
});
