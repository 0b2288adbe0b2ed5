/** The changes that callers with a role follow: what leaves their sight is deleted for them, and what enters it is created. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { admin, librarian, member, privateLibrary, privateRules, visitor } from '../../support/data/private-library.ts';
import { emptyEngines } from '../../support/servers/engines.ts';
import { type As, type RoleServer, startRoleServer, tokenOf } from '../../support/servers/role-server.ts';

type Change = { readonly type: string; readonly by: unknown; readonly record: object; readonly before?: object };

describe.each(emptyEngines)('%s', (_, newUrl) => {
  let server: RoleServer;
  let book = 0;
  beforeAll(async () => {
    server = await startRoleServer(privateLibrary, privateRules, await newUrl());
    book = await add('books', { title: 'Free' });
  });
  afterAll(() => server.stop());

  const add = async (collection: string, record: object) => {
    const { json, text } = await server.ask(admin, 'POST', `/api/v2/${collection}`, record);
    if (typeof (json as { id?: unknown }).id !== 'number') throw new Error(text);
    return (json as { id: number }).id;
  };
  const patch = (path: string, record: object) => server.ask(admin, 'PATCH', `/api/v2/${path}`, record);
  const changes = async (as: As, query: string) => server.ask(as, 'GET', `/api/v2/changes?${query}`);
  const last = async () => (await server.store.feed.history()).last;
  const dataOf = ({ json }: { json: unknown }) => (json as { data: Change[] }).data;

  /** A loan of somebody else, which comes to member 7, changes, and leaves again. */
  async function lend(): Promise<number> {
    const id = await add('loans', { book, member: 8, due_on: '2026-01-01', fine: '9.99' });
    await patch(`loans/${id}`, { member: 7 });
    await patch(`loans/${id}`, { due_on: '2026-01-02', fine: '8.88' });
    await patch(`loans/${id}`, { member: 8 });
    await server.ask(admin, 'DELETE', `/api/v2/loans/${id}`);
    return id;
  }

  test('the pulled feed', async () => {
    const after = await last();
    const id = await lend();
    const answer = await changes(member(), `collection=loans&after=${after}`);
    expect(dataOf(answer).map(({ type, by, record, before }) => ({ type, by, record, before }))).toEqual([
      {
        type: 'loan.created',
        by: null,
        record: expect.objectContaining({ id, due_on: '2026-01-01', member: 7 }),
        before: undefined,
      },
      {
        type: 'loan.updated',
        by: null,
        record: expect.objectContaining({ id, due_on: '2026-01-02' }),
        before: { due_on: '2026-01-01', version: 2, updated_at: expect.any(String) },
      },
      { type: 'loan.deleted', by: null, record: { id }, before: undefined },
    ]);
    expect(answer.text).not.toContain('fine');
    expect(answer.text).not.toContain('jwt:test');
    expect(dataOf(await changes(librarian, `collection=loans&after=${after}`))).toHaveLength(5);
  });

  test('with a filter of its own', async () => {
    const after = await last();
    await lend();
    const found = dataOf(await changes(member(), `collection=loans&after=${after}&due_on=2026-01-02`));
    expect(found.map(({ type, ...one }) => [type, 'match' in one && one.match])).toEqual([
      ['loan.updated', 'entered'],
      ['loan.deleted', 'left'],
    ]);
    expect((await changes(member(), 'collection=loans&fine=1.00')).status).toBe(400);
  });

  test('a transaction is not named', async () => {
    const after = await last();
    await server.ask(admin, 'POST', '/api/v2/transactions', {
      operations: [7, 8].map((one) => ({
        op: 'create',
        collection: 'loans',
        record: { book, member: one, due_on: '2026-01-01' },
      })),
    });
    const answer = await changes(member(), `collection=loans&after=${after}`);
    expect([dataOf(answer).length, answer.text.includes('transaction')]).toEqual([1, false]);
  });

  test('refusals', async () => {
    const path = await changes(member(), 'collection=reviews');
    expect([path.status, path.text]).toEqual([403, expect.stringContaining('a path to another record')]);
    expect((await changes(member(), '')).status).toBe(403);
    const [hidden, missing] = [
      await changes(member(), 'collection=secrets'),
      await changes(member(), 'collection=nope'),
    ];
    expect([hidden.status, hidden.text]).toEqual([400, missing.text.replaceAll('nope', 'secrets')]);
    expect((await changes(visitor, 'collection=loans')).status).toBe(400);
  });

  test('listeners that see other fields share no bytes, though they get the same changes', async () => {
    const after = await last();
    const callers = [librarian, member(), visitor];
    const listen = (as: As) =>
      fetch(`${server.url}/api/v2/events?collection=books&after=${after}`, {
        headers: { Authorization: `Bearer ${tokenOf(as)}` },
      });
    const streams = await Promise.all(callers.map(listen));
    await add('books', { title: 'Shared', cost: '5.55', isbn: `s${after}` });
    const texts = await Promise.all(streams.map((stream) => upTo(stream, 'event: book.created')));
    const has = (part: string) => texts.map((text) => text.includes(part));
    expect([has('Shared'), has('"isbn"'), has('"cost"')]).toEqual([
      [true, true, true],
      [true, true, false],
      [true, false, false],
    ]);
  });

  test('live events, also by a ticket', async () => {
    const after = await last();
    const { json } = await server.ask(member(), 'POST', '/api/v2/events/ticket');
    const { ticket } = json as { ticket: string };
    const query = `collection=loans&after=${after}`;
    const streams = await Promise.all([
      fetch(`${server.url}/api/v2/events?${query}&ticket=${ticket}`),
      fetch(`${server.url}/api/v2/events?${query}`, { headers: { Authorization: `Bearer ${tokenOf(member())}` } }),
    ]);
    await lend();
    for (const stream of streams) {
      const text = await upTo(stream, 'event: loan.deleted');
      expect([...text.matchAll(/^event: (\S+)/gm)].map(([, type]) => type)).toEqual([
        'loan.created',
        'loan.updated',
        'loan.deleted',
      ]);
      expect(text).not.toContain('fine');
      expect(text).not.toContain('jwt:test');
    }
  });
});

async function upTo(response: Response, end: string): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error('no body');
  let text = '';
  for (const decoder = new TextDecoder(); !new RegExp(`${end}\\ndata: .*\\n\\n`).test(text); ) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the stream has ended: ${text}`);
    text += decoder.decode(value);
  }
  await reader.cancel();
  return text;
}
