/** What callers with a role read, through every door. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/data/folder.ts';
import { admin, librarian, member, privateLibrary, privateRules, visitor } from '../../support/data/private-library.ts';
import { type EngineUnderTest, emptyEngines } from '../../support/servers/engines.ts';
import { type As, type RoleServer, startRoleServer } from '../../support/servers/role-server.ts';

const folder = temporaryFolder();
const engines: readonly EngineUnderTest[] = [...emptyEngines, ['sqlite', () => `sqlite:${join(folder, 'reads.db')}`]];

describe.each(engines)('%s', (_, newUrl) => {
  let server: RoleServer;
  const get = async (as: As, path: string, headers?: Record<string, string>) =>
    server.ask(as, 'GET', path, undefined, headers);
  const add = async (collection: string, record: object) => {
    const { status, json, text } = await server.ask(admin, 'POST', `/api/v2/${collection}`, record);
    expect([status, text]).toEqual([201, text]);
    return (json as { id: number }).id;
  };
  const ids = (answer: { json: unknown }) => (answer.json as { data: { id: number }[] }).data.map(({ id }) => id);

  beforeAll(async () => {
    server = await startRoleServer(privateLibrary, privateRules, await newUrl());
    for (const name of ['Ana', 'Bo', 'Cy', 'Di', 'Ed', 'Flo', 'Gus', 'Hal'])
      await add('members', { name, email: `${name}@example.com`, secret: `${name} is late` });
    await add('books', { title: 'Ficciones', state: 'available', cost: '12.30', note: 'torn', isbn: '1' });
    await add('books', { title: 'Emma', state: 'lent', cost: '5.00', isbn: '2' });
    await add('books', { title: 'Lost one', state: 'lost', cost: '7.00', isbn: '3' });
    await add('loans', { book: 2, member: 7, due_on: '2026-01-01' });
    await add('loans', { book: 1, member: 8, due_on: '2026-01-02', fine: '3.00' });
    await add('loans', { book: 3, member: 7, due_on: '2026-01-03', returned_on: '2026-01-02', fine: '4.00' });
    await add('reviews', { book: 1, author: 7, text: 'good', stars: 5 });
    await add('reviews', { book: 2, author: 8, text: 'bad', stars: 1 });
    await add('secrets', { text: 'hidden' });
  });
  afterAll(() => server.stop());

  test('single records, with the visible fields alone', async () => {
    expect((await get(librarian, '/api/v2/books/1')).json).toMatchObject({ cost: '12.30', note: 'torn' });
    const seen = await get(visitor, '/api/v2/books/1');
    expect(Object.keys(seen.json as object)).toEqual([
      'id',
      'external_id',
      'title',
      'state',
      'version',
      'created_at',
      'updated_at',
    ]);
    expect((await get(visitor, '/api/v2/books/2')).status).toBe(404);
    expect((await get(visitor, '/api/v2/books/2')).text).toBe(
      (await get(visitor, '/api/v2/books/99')).text.replaceAll('/99', '/2'),
    );
    expect((await get(member(), '/api/v2/loans/1')).status).toBe(200);
    expect((await get(member(), '/api/v2/loans/2')).status).toBe(404);
    // By a path: the engine judges it.
    expect((await get(visitor, '/api/v2/reviews/1')).json).not.toHaveProperty('stars');
    expect((await get(visitor, '/api/v2/reviews/2')).status).toBe(404);
  });

  test('a claim that is absent or of another type makes the rule false', async () => {
    for (const claim of ['7', 7.5, null, true, [7], { field: 'member' }, {}])
      expect([claim, ids(await get(member(claim), '/api/v2/loans'))]).toEqual([claim, []]);
    expect(ids(await get({ role: 'member' }, '/api/v2/loans'))).toEqual([]);
    expect(ids(await get(member(7), '/api/v2/loans'))).toEqual([1, 3]);
  });

  test('a claim with a list, which can be empty', async () => {
    const guardian = (member_ids: readonly unknown[]) => ({ role: 'guardian', claims: { member_ids } });
    for (const [list, expected] of [
      [[7], [1, 3]],
      [
        [7, 8],
        [1, 2, 3],
      ],
      [[], []],
      [[7, '8'], []],
    ] as const) {
      expect([list, ids(await get(guardian(list), '/api/v2/loans'))]).toEqual([list, [...expected]] as never);
      const single = await get(guardian(list), '/api/v2/loans/1');
      expect([list, single.status]).toEqual([list, expected.length > 0 ? 200 : 404]);
    }
  });

  test('large hidden values do not decide where a page ends', async () => {
    const note = 'x'.repeat(700_000);
    const made: number[] = [];
    for (let n = 0; n < 4; n++) made.push(await add('books', { title: 'Large', state: 'lent', note }));
    expect(ids(await get(admin, '/api/v2/books?title=Large'))).toHaveLength(2);
    expect(ids(await get(member(), '/api/v2/books?title=Large&sort=-title'))).toEqual(made);
    expect((await get(member(), '/api/v2/books?title=Large&limit=3')).json).toMatchObject({
      data: made.slice(0, 3).map((id) => ({ id })),
      next_cursor: expect.any(String),
    });
    for (const id of made) await server.ask(admin, 'DELETE', `/api/v2/books/${id}`);
  });

  test('a collection without a rule is an unknown path', async () => {
    for (const path of ['/api/v2/secrets', '/api/v2/secrets/1', '/api/v2/secrets/summary', '/api/v2/secrets/export']) {
      const answer = await get(member(), path);
      expect([path, answer.status, answer.text]).toEqual([
        path,
        404,
        (await get(member(), '/api/v2/nothing')).text.replaceAll('/api/v2/nothing', path),
      ]);
    }
    const put = await server.ask(member(), 'PUT', '/api/v2/secrets', {});
    expect(put.text).toBe(
      (await server.ask(member(), 'PUT', '/api/v2/nothing', {})).text.replaceAll('nothing', 'secrets'),
    );
    expect(
      (
        (await get(visitor, '/api/v2')).json as { collections: { name: string; declaration: { fields: object } }[] }
      ).collections.map(({ name, declaration }) => [name, Object.keys(declaration.fields)]),
    ).toEqual([
      ['books', ['title', 'state']],
      ['reviews', ['book', 'text']],
    ]);
  });

  test('lists, counts, sorts and filters', async () => {
    expect(ids(await get(member(), '/api/v2/books'))).toEqual([1, 2]);
    expect((await get(member(), '/api/v2/books?count=exact')).json).toMatchObject({ total: 2 });
    expect(ids(await get(member(), '/api/v2/books?sort=-title'))).toEqual([1, 2]);
    expect(ids(await get(visitor, '/api/v2/reviews'))).toEqual([1]);
    // All of its fields are visible, and not all of its records.
    expect(ids(await get(member(), '/api/v2/reviews'))).toEqual([1]);
    for (const [hidden, missing] of [
      ['sort=cost', 'sort=nope'],
      ['cost=5.00', 'nope=5.00'],
      ['cost[gt]=5.00', 'nope[gt]=5.00'],
      ['fields=cost', 'fields=nope'],
      ['where=%7B%22cost%22:%225.00%22%7D', 'where=%7B%22nope%22:%225.00%22%7D'],
    ] as const) {
      const [one, other] = [
        await get(member(), `/api/v2/books?${hidden}`),
        await get(member(), `/api/v2/books?${missing}`),
      ];
      expect([hidden, one.status, one.text]).toEqual([hidden, 400, other.text.replaceAll('nope', 'cost')]);
    }
  });

  test('words of visible fields alone', async () => {
    expect(ids(await get(librarian, '/api/v2/books?words=torn'))).toEqual([1]);
    expect(ids(await get(member(), '/api/v2/books?words=torn'))).toEqual([]);
    expect(ids(await get(member(), '/api/v2/books?words=emma'))).toEqual([2]);
    expect((await get(member(), '/api/v2/books?note[words]=torn')).status).toBe(400);
  });

  test('paths lead through what the caller may read', async () => {
    expect(ids(await get(member(), '/api/v2/loans?book.state=lent'))).toEqual([1]);
    // The book is lost, which a member does not see.
    expect(ids(await get(member(), '/api/v2/loans?book.state=lost'))).toEqual([]);
    expect(ids(await get(member(), '/api/v2/loans?book.id=3'))).toEqual([]);
    expect((await get(member(), '/api/v2/loans?book.cost=7.00')).status).toBe(400);
    expect(ids(await get(member(), '/api/v2/reviews?author.name=Gus'))).toEqual([1]);
    expect(ids(await get(member(8), '/api/v2/reviews?author.name=Gus'))).toEqual([]);
    expect((await get(visitor, '/api/v2/reviews?book.cost=12.30')).status).toBe(400);
    expect((await get(visitor, '/api/v2/reviews?author.name=Gus')).status).toBe(400);
  });

  test('expand shows null for what is hidden', async () => {
    const { json } = await get(member(), '/api/v2/loans?expand=book');
    expect((json as { data: { expanded: { book: unknown } }[] }).data.map(({ expanded }) => expanded.book)).toEqual([
      expect.objectContaining({ id: 2, title: 'Emma' }),
      null,
    ]);
    expect((await get(member(), '/api/v2/loans/3?expand=book')).json).toMatchObject({ expanded: { book: null } });
    expect((await get(member(), '/api/v2/loans/1?expand=book')).text).not.toContain('cost');
    expect((await get(member(8), '/api/v2/reviews?expand=author')).json).toMatchObject({
      data: [{ expanded: { author: null } }],
    });
  });

  test('exports and summaries', async () => {
    const csv = await get(visitor, '/api/v2/books/export');
    expect(csv.text.split('\r\n')[0]).toBe('id,external_id,title,state,version,created_at,updated_at');
    expect(csv.text.trim().split('\r\n')).toHaveLength(2);
    const lines = await get(member(), '/api/v2/loans', { Accept: 'application/x-ndjson' });
    expect(
      lines.text
        .trim()
        .split('\n')
        .map((line) => Object.keys(JSON.parse(line)).includes('fine')),
    ).toEqual([false, false]);
    expect((await get(member(), '/api/v2/books/summary?group=state')).json).toEqual({
      data: [
        { state: 'available', count: 1 },
        { state: 'lent', count: 1 },
      ],
      groups: 2,
    });
    expect((await get(member(), '/api/v2/books/summary?measures=cost.sum')).status).toBe(400);
  });

  test('cursors belong to the view', async () => {
    const { json } = await get(member(), '/api/v2/loans?limit=1');
    const { next_cursor: cursor } = json as { next_cursor: string };
    expect(ids(await get(member(), `/api/v2/loans?limit=1&cursor=${cursor}`))).toEqual([3]);
    for (const other of [member(8), librarian, admin])
      expect((await get(other, `/api/v2/loans?limit=1&cursor=${cursor}`)).status).toBe(400);
  });

  test('the contract', async () => {
    expect((await get(visitor, '/api/books')).json).toEqual([{ id: 1, title: 'Ficciones', state: 'available' }]);
    // The tag of a list is that of all records.
    const tags = [admin, visitor].map(async (as) => (await get(as, '/api/books')).headers.has('etag'));
    expect(await Promise.all(tags)).toEqual([true, false]);
    expect((await get(visitor, '/api/books/1')).json).toEqual({ id: 1, title: 'Ficciones', state: 'available' });
    expect((await get(visitor, '/api/books/2')).text).toBe((await get(visitor, '/api/books/99')).text);
  });

  test('operators ask with a scope', async () => {
    for (const path of ['/api/v2/figures', '/api/v2/keys', '/api/v2/books?explain=true'])
      expect([path, (await get(librarian, path)).status]).toEqual([path, 403]);
  });
});
