/** What callers with a role may change, through every door. Each test makes its own records. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/data/folder.ts';
import {
  admin,
  clerk,
  librarian,
  member,
  privateLibrary,
  privateRules,
  visitor,
} from '../../support/data/private-library.ts';
import { type EngineUnderTest, emptyEngines } from '../../support/servers/engines.ts';
import { type Answer, type As, type RoleServer, startRoleServer } from '../../support/servers/role-server.ts';

const folder = temporaryFolder();
const engines: readonly EngineUnderTest[] = [...emptyEngines, ['sqlite', () => `sqlite:${join(folder, 'writes.db')}`]];

describe.each(engines)('%s', (_, newUrl) => {
  let server: RoleServer;
  let free = 0;
  let lent = 0;
  let lost = 0;
  const post = (as: As, path: string, body: unknown, headers?: Record<string, string>) =>
    server.ask(as, 'POST', `/api/v2/${path}`, body, headers);
  const patch = (as: As, path: string, body: unknown, headers?: Record<string, string>) =>
    server.ask(as, 'PATCH', `/api/v2/${path}`, body, headers);
  const add = async (collection: string, record: object) => idOf(await post(admin, collection, record));
  const idOf = ({ status, json, text }: Answer) => {
    if (status !== 201) throw new Error(text);
    return (json as { id: number }).id;
  };
  const shown = async (path: string) =>
    (await server.ask(admin, 'GET', `/api/v2/${path}`)).json as Record<string, unknown>;
  const loanOf = (id: number, more: object = {}) =>
    add('loans', { book: free, member: id, due_on: '2026-01-01', ...more });
  const transact = (as: As, ...operations: object[]) => post(as, 'transactions', { operations });

  beforeAll(async () => {
    server = await startRoleServer(privateLibrary, privateRules, await newUrl());
    free = await add('books', { title: 'Free', state: 'available' });
    lent = await add('books', { title: 'Lent', state: 'lent' });
    lost = await add('books', { title: 'Lost', state: 'lost', isbn: 'taken' });
  });
  afterAll(() => server.stop());

  test('a creation gets what the server sets, and shows the visible fields', async () => {
    const made = await post(member(), 'loans', { book: free, due_on: '2026-02-01' });
    expect(made.json).toEqual({
      id: expect.any(Number),
      book: free,
      member: 7,
      due_on: '2026-02-01',
      returned_on: null,
      version: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await shown(`loans/${idOf(made)}`)).toMatchObject({ member: 7, fine: '0.00' });
    expect((await post(member(), 'loans', { book: free, due_on: '2026-02-01', member: 7 })).status).toBe(201);
  });

  test('a creation by the rules: check, fields, set, and no rule at all', async () => {
    const loan = { book: free, due_on: '2026-02-01' };
    expect((await post(member(), 'loans', { ...loan, book: lent })).status).toBe(403);
    const other = await post(member(), 'loans', { ...loan, member: 8 });
    expect([other.status, other.text]).toEqual([400, expect.stringContaining('set by the server')]);
    // Visible, and not to be sent: read-only. Hidden: unknown.
    expect((await post(member(), 'loans', { ...loan, returned_on: '2026-01-01' })).text).toContain(
      'cannot be set by the role member',
    );
    const [hidden, missing] = [
      await post(member(), 'loans', { ...loan, fine: '1.00' }),
      await post(member(), 'loans', { ...loan, nope: '1.00' }),
    ];
    expect([hidden.status, hidden.text]).toEqual([400, missing.text.replaceAll('nope', 'fine')]);
    expect((await post(visitor, 'reviews', { book: free, text: 'x', stars: 1 })).status).toBe(403);
    expect((await post(visitor, 'loans', loan)).status).toBe(404);
    expect((await post({ role: 'member' }, 'loans', loan)).status).toBe(403);
  });

  test('a reference to a hidden record is as one to a missing record', async () => {
    const to = (book: number) => post(member(), 'loans', { book, due_on: '2026-02-01' });
    const [hidden, missing] = [await to(lost), await to(9999)];
    expect([hidden.status, hidden.text]).toEqual([409, missing.text.replaceAll('9999', String(lost))]);
    const review = (author: number) => post(member(), 'reviews', { book: free, author, text: 'x', stars: 1 });
    await add('members', { name: 'one' });
    expect((await review(1)).text).toBe((await review(9999)).text.replaceAll('9999', '1'));
  });

  test('a change is judged before and after', async () => {
    const [mine, theirs, done] = [await loanOf(7), await loanOf(8), await loanOf(7, { returned_on: '2026-01-05' })];
    const changed = await patch(member(), `loans/${mine}`, { due_on: '2026-03-01' });
    expect([changed.status, changed.json]).toEqual([200, expect.not.objectContaining({ fine: '0.00' })]);
    expect(changed.headers.get('etag')).toBe('"2"');
    const hidden = await patch(member(), `loans/${theirs}`, { due_on: '2026-03-01' });
    expect([hidden.status, hidden.text]).toEqual([
      404,
      (await patch(member(), 'loans/9999', { due_on: '2026-03-01' })).text.replaceAll('9999', String(theirs)),
    ]);
    expect((await patch(member(), `loans/${done}`, { due_on: '2026-03-01' })).status).toBe(403);
    expect((await patch(member(), `loans/${mine}`, { fine: '0.00' })).status).toBe(400);
    expect((await patch(member(), `loans/${mine}`, { member: 8 })).text).toContain('cannot be set');
    expect((await patch(member(), `loans/${mine}`, { due_on: '2026-03-02' }, { 'If-Match': '"1"' })).status).toBe(412);
    expect((await patch(member(), `loans/${theirs}`, { due_on: '2026-03-02' }, { 'If-Match': '"1"' })).status).toBe(
      404,
    );
    // Of an open loan alone, and the rule names the field as one that may be sent.
    expect((await patch(member(), `loans/${mine}`, { returned_on: '2026-03-01' })).status).toBe(200);
    expect((await patch(member(), `loans/${mine}`, { returned_on: null })).status).toBe(403);
  });

  test('where of an update holds after the change, too, unless the rule names its fields', async () => {
    const review = await add('reviews', { book: free, text: 'x', stars: 1 });
    expect((await patch(member(), `reviews/${review}`, { stars: 4 })).status).toBe(200);
    expect((await patch(member(), `reviews/${review}`, { stars: 5 })).status).toBe(403);
    expect(await shown(`reviews/${review}`)).toMatchObject({ stars: 4, version: 2 });
  });

  test('PUT replaces the fields that may be sent, and keeps the others', async () => {
    const mine = await loanOf(7, { fine: '2.00' });
    const put = await server.ask(member(), 'PUT', `/api/v2/loans/${mine}`, { due_on: '2026-04-01' });
    expect(put.status).toBe(200);
    expect(await shown(`loans/${mine}`)).toMatchObject({ due_on: '2026-04-01', fine: '2.00', member: 7 });
  });

  test('deletions: 404, 403 and 204', async () => {
    const [open, done, theirs] = [
      await loanOf(7),
      await loanOf(7, { returned_on: '2026-01-05' }),
      await loanOf(8, { returned_on: '2026-01-05' }),
    ];
    const remove = async (id: number, as: As = member()) =>
      (await server.ask(as, 'DELETE', `/api/v2/loans/${id}`)).status;
    expect([await remove(theirs), await remove(open), await remove(done), await remove(done)]).toEqual([
      404, 403, 204, 404,
    ]);
    const members = async (id: number) => (await server.ask(member(), 'DELETE', `/api/v2/books/${id}`)).status;
    expect([await members(free), await members(lost), await members(9999)]).toEqual([403, 404, 404]);
    expect((await server.ask(librarian, 'DELETE', `/api/v2/books/${free}`)).json).toMatchObject({ status: 409 });
    expect(Object.keys((await server.ask(librarian, 'DELETE', `/api/v2/books/${free}`)).json as object)).not.toContain(
      'count',
    );
  });

  test('a unique value says that it is taken, and not by which record', async () => {
    const clash = await post(librarian, 'books', { title: 'x', isbn: 'taken' });
    expect([clash.status, Object.keys(clash.json as object)]).toEqual([409, expect.not.arrayContaining(['id'])]);
    expect(clash.text).not.toContain(`record ${lost}`);
  });

  test('transactions', async () => {
    const [mine, theirs] = [await loanOf(7), await loanOf(8)];
    const update = (id: number) => ({ op: 'update', collection: 'loans', id, record: { due_on: '2026-05-01' } });
    const both = await transact(member(), update(mine), update(theirs));
    expect([both.status, both.json]).toEqual([404, expect.objectContaining({ operation: 1 })]);
    expect(await shown(`loans/${mine}`)).toMatchObject({ version: 1 });
    const made = await post(member(), 'transactions', {
      operations: [
        { op: 'create', collection: 'loans', as: 'new', record: { book: free, due_on: '2026-05-01' } },
        { op: 'update', collection: 'loans', id: { created: 'new' }, record: { due_on: '2026-05-02' } },
        { op: 'check', collection: 'loans', id: theirs, exists: false },
        { op: 'check', collection: 'loans', where: { id: theirs }, count: { eq: 0 } },
      ],
      return: 'records',
    });
    expect([made.status, made.json]).toEqual([
      200,
      expect.objectContaining({
        results: [
          expect.objectContaining({ due_on: '2026-05-01', member: 7 }),
          expect.objectContaining({ due_on: '2026-05-02' }),
          { id: theirs, version: null },
          { count: 0 },
        ],
      }),
    ]);
    expect(made.text).not.toContain('fine');
    const [hidden, missing] = [
      await transact(member(), { op: 'check', collection: 'loans', id: theirs, version: 9 }),
      await transact(member(), { op: 'check', collection: 'loans', id: 9999, version: 9 }),
    ];
    expect([hidden.status, hidden.text]).toEqual([409, missing.text]);
    expect((await transact(member(), { op: 'check', collection: 'secrets', id: 1 })).text).toContain(
      'unknown collection',
    );
    expect((await transact(member(), { op: 'delete', collection: 'books', id: free })).status).toBe(403);
  });

  test('a sum tells what the field had: it is for fields that may be read', async () => {
    const id = await loanOf(7, { fine: '2.00' });
    const added = (record: object) => transact(clerk, { op: 'add', collection: 'loans', id, record });
    expect((await patch(clerk, `loans/${id}`, { fine: '3.00' })).json).not.toHaveProperty('fine');
    const [hidden, missing] = [await added({ fine: '99999999999.00' }), await added({ nope: '1.00' })];
    expect([hidden.status, hidden.text]).toEqual([400, missing.text.replaceAll('nope', 'fine')]);
    expect((await added({ member: 1 })).status).toBe(200);
    expect(await shown(`loans/${id}`)).toMatchObject({ member: 8, fine: '3.00' });
  });

  test('a sum has no place for fields that the server sets', async () => {
    const id = await add('reviews', { book: free, text: 'x', stars: 1 });
    const refused = await transact(clerk, { op: 'add', collection: 'reviews', id, record: { stars: 1 } });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('may not add to')]);
    expect((await patch(clerk, `reviews/${id}`, { stars: 2 })).json).toMatchObject({ stars: 2, text: 'rated' });
  });

  test('operations on all that match change what is visible alone', async () => {
    const [mine, theirs] = [await loanOf(70, { due_on: '2027-01-01' }), await loanOf(80, { due_on: '2027-01-01' })];
    const all = {
      op: 'update',
      collection: 'loans',
      where: { due_on: '2027-01-01' },
      record: { due_on: '2027-01-02' },
    };
    expect((await transact(member(70), all)).json).toMatchObject({ results: [{ count: 1 }] });
    expect([await shown(`loans/${mine}`), await shown(`loans/${theirs}`)]).toMatchObject([
      { version: 2 },
      { version: 1 },
    ]);
    const done = { ...all, where: { due_on: '2027-01-02' }, record: { returned_on: '2027-01-02' } };
    expect((await transact(member(70), done)).json).toMatchObject({ results: [{ count: 1 }] });
    expect((await transact(member(70), { ...all, where: { due_on: '2027-01-02' } })).status).toBe(403);
    expect((await transact(member(70), { op: 'delete', collection: 'loans', where: {} })).json).toMatchObject({
      results: [{ count: 1 }],
    });
  });

  test('bulks are judged record by record', async () => {
    const lines = (...records: object[]) => records.map((one) => JSON.stringify(one)).join('\n');
    const type = { 'Content-Type': 'application/x-ndjson' };
    const two = await post(
      member(),
      'loans',
      lines({ book: free, due_on: '2026-06-01' }, { book: free, due_on: '2026-06-02' }),
      type,
    );
    expect([two.status, two.json]).toEqual([
      201,
      { created: 2, first_id: expect.any(Number), last_id: expect.any(Number) },
    ]);
    const before = await shown('loans?count=exact&limit=1');
    const bad = await post(
      member(),
      'loans',
      lines({ book: free, due_on: '2026-06-01' }, { book: lent, due_on: '2026-06-02' }),
      type,
    );
    expect([bad.status, bad.text]).toEqual([403, expect.stringContaining('Line 2')]);
    expect(
      (await post(member(), 'loans?dry_run=true', lines({ book: free, due_on: '2026-06-01' }), type)).json,
    ).toEqual({ dry_run: true, valid: 1 });
    expect((await shown('loans?count=exact&limit=1')).total).toBe(before.total);
    const tooMany = Array<object>(1001).fill({ book: free, due_on: '2026-06-05' });
    const refused = await post(member(), 'loans', lines(...tooMany), type);
    expect([refused.status, refused.text]).toEqual([413, expect.stringContaining('at most 1000 records')]);
    expect((await shown('loans?count=exact&limit=1&due_on=2026-06-05')).total).toBe(0);
    const csv = await post(member(), 'loans', `book,due_on\r\n${free},2026-06-03\r\n`, { 'Content-Type': 'text/csv' });
    expect([csv.status, csv.text]).toEqual([201, expect.stringContaining('"created":1')]);
  });

  test('bulks with a key find only what is visible', async () => {
    const type = { 'Content-Type': 'application/x-ndjson' };
    const keyed = (as: As, record: object) => post(as, 'books?key=isbn', JSON.stringify(record), type);
    const done = await keyed(librarian, { isbn: 'k1', title: 'New' });
    expect(done.json).toMatchObject({ created: 1, updated: 0 });
    expect((await keyed(librarian, { isbn: 'k1', title: 'Other' })).json).toMatchObject({ created: 0, updated: 1 });
    expect((await keyed(member(), { isbn: 'taken', title: 'x' })).status).toBe(403);
  });

  test('a retry is judged by the rules of now', async () => {
    const key = { 'Idempotency-Key': `k${Math.random()}` };
    const body = { book: free, due_on: '2026-07-01' };
    const [first, again] = [await post(member(), 'loans', body, key), await post(member(), 'loans', body, key)];
    expect([again.status, again.headers.get('idempotent-replayed'), again.json]).toEqual([201, 'true', first.json]);
    await patch(admin, `loans/${idOf(first)}`, { member: 8 });
    const hidden = await post(member(), 'loans', body, key);
    expect(Object.keys(hidden.json as object)).toEqual(['id', 'version', 'created_at', 'updated_at']);
  });

  test('the contract', async () => {
    expect((await server.ask(visitor, 'POST', '/api/books', { id: 9, title: 'x' })).status).toBe(403);
    const made = await server.ask(librarian, 'POST', '/api/books', { id: 9, title: 'x' });
    expect([made.status, made.text]).toEqual([201, made.text]);
    expect((await server.ask(member(), 'DELETE', '/api/books/9')).status).toBe(403);
    const { headers } = await server.ask(librarian, 'GET', '/api/books/9');
    expect((await server.ask(librarian, 'DELETE', '/api/books/9', undefined, { 'If-Match': '"other"' })).status).toBe(
      412,
    );
    expect(
      (await server.ask(librarian, 'DELETE', '/api/books/9', undefined, { 'If-Match': headers.get('etag') ?? '' }))
        .status,
    ).toBe(204);
    expect((await server.ask(librarian, 'DELETE', '/api/books/9')).status).toBe(404);
  });
});
