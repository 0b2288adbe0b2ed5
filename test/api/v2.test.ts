/** The production API, on every engine. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import { join } from 'node:path';
import { SQL } from 'bun';
import fc from 'fast-check';
import { collections } from '../../src/collections/registry.ts';
import { failures } from '../../src/domain/errors.ts';
import { condition, orderBy } from '../../src/storage/query-sql.ts';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { indexedBooks as books, books as plainBooks } from '../support/data/books.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { emptyEngines, quickEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

type Book = {
  id: number;
  external_id: number;
  title: string;
  pages: number;
  weight: number;
  version: number;
  created_at: string;
  updated_at: string;
};
type Page = { data: Book[]; next_cursor: string | null; total?: number };
type Problem = { type: string; title: string; status: number; detail: string; instance: string; errors?: object[] };

describe.each(quickEngines)('%s', (_, newUrl) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), collections: [...collections, books] });
  });
  afterAll(() => server.stop());

  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(server.url + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const get = async (path: string) => (await send('GET', path)).text();
  const create = async (body: unknown) => (await (await send('POST', '/api/v2/books', body)).json()) as Book;
  const page = async (search: string) => JSON.parse(await get(`/api/v2/books?${search}`)) as Page;

  async function problem(answer: Response, code: keyof typeof failures): Promise<Problem> {
    expect(answer.headers.get('Content-Type')).toBe('application/problem+json');
    const told = (await answer.json()) as Problem;
    const { status, title } = failures[code];
    expect(told).toMatchObject({ type: `/problems/${code.replaceAll('_', '-')}`, title, status });
    expect(answer.status).toBe(status);
    expect(told.instance).toBe(new URL(answer.url).pathname);
    expect(told.detail).toEndWith('.');
    return told;
  }

  test('a failure is answered as a problem, also if the path is percent-encoded', async () => {
    for (const path of ['/api/v2/books/999999', '/api/%762/books/999999'])
      await problem(await send('GET', path), 'not_found');
    await problem(await send('GET', '/api/v2/nothing'), 'unknown_path');
  });

  test.each([
    ['GET', '/api/v2/books/1'],
    ['PUT', '/api/v2/books/1'],
    ['PATCH', '/api/v2/books/1'],
    ['DELETE', '/api/v2/books/1'],
    ['POST', '/api/v2/books'],
    ['POST', '/api/v2/events/ticket'],
  ])('%s %s has no query parameters, and refuses them', async (method, path) => {
    const { detail } = await problem(await send(method, `${path}?colour=red`), 'invalid_query');
    expect(detail).toBe('Unknown query parameter colour; this path has none.');
  });

  test('a change that is not in this history is named with the digits that were sent', async () => {
    const { detail } = await problem(await send('GET', '/api/v2/changes?after=9223372036854775807'), 'history_trimmed');
    expect(detail).toStartWith('Change 9223372036854775807 is not of this history');
  });

  describe('one record', () => {
    test('is created with its own number, and visible at once in both APIs', async () => {
      const answer = await send('POST', '/api/v2/books', { title: 'Emma', pages: 474, weight: 0.5 });
      expect(answer.status).toBe(201);
      expect(answer.headers.get('ETag')).toBe('"1"');
      const made = (await answer.json()) as Book;
      expect(answer.headers.get('Location')).toBe(`/api/v2/books/${made.id}`);
      expect(made).toEqual({
        id: made.id,
        external_id: made.id,
        title: 'Emma',
        pages: 474,
        weight: 0.5,
        version: 1,
        created_at: made.created_at,
        updated_at: made.created_at,
      });
      expect(new Date(made.created_at).toISOString()).toBe(made.created_at);
      expect(JSON.parse(await get(`/api/v2/books/${made.id}`))).toEqual(made);
      const list = JSON.parse(await get('/api/books')) as unknown[];
      expect(list.at(-1)).toEqual({ id: made.id, title: 'Emma', pages: 474, weight: 0.5 });
    });

    test('keeps every digit of external_id, which need not be unique', async () => {
      const body = '{"external_id":9223372036854775807,"title":"t","pages":-9223372036854775808,"weight":-0}';
      const first = await (await send('POST', '/api/v2/books', body)).text();
      const second = await (await send('POST', '/api/v2/books', body)).text();
      for (const text of [first, second]) {
        expect(text).toContain(
          '"external_id":9223372036854775807,"title":"t","pages":-9223372036854775808,"weight":-0,',
        );
      }
      expect(JSON.parse(first).id).not.toBe(JSON.parse(second).id);
      const found = await get('/api/v2/books?external_id=9223372036854775807');
      expect(found).toBe(`{"data":[${first},${second}],"next_cursor":null}`);
      expect(await get('/api/v2/books?external_id=9223372036854775806')).toBe('{"data":[],"next_cursor":null}');
    });

    test('that was created in the contract is visible in v2', async () => {
      await send('POST', '/api/users', { id: 4242, name: 'Grace' });
      const found = JSON.parse(await get('/api/v2/users?external_id=4242')) as { data: object[] };
      expect(found.data).toMatchObject([{ external_id: 4242, name: 'Grace', version: 1 }]);
    });

    test('is replaced completely by PUT, keeps its place in the contract, and gets the next version', async () => {
      const made = await create({ title: 'before', pages: 1, weight: 1 });
      const later = await create({ title: 'later', pages: 1, weight: 1 });
      const order = async () =>
        (JSON.parse(await get('/api/books')) as { id: number }[])
          .map(({ id }) => id)
          .filter((id) => id >= made.id && id < 1e6);
      const before = await order();
      const answer = await send('PUT', `/api/v2/books/${made.id}`, { title: 'after', pages: 2, weight: 2 });
      const now = (await answer.json()) as Book;
      expect(answer.headers.get('ETag')).toBe('"2"');
      expect(now).toMatchObject({ id: made.id, external_id: made.id, title: 'after', pages: 2, weight: 2, version: 2 });
      expect(now.created_at).toBe(made.created_at);
      expect(now.updated_at >= made.updated_at).toBe(true);
      expect(await order()).toEqual(before);
      expect(before).toContain(later.id);
      await problem(await send('PUT', `/api/v2/books/${made.id}`, { title: 'x' }), 'invalid_body');
    });

    test('has its changed external_id as its id in the contract', async () => {
      const made = await create({ external_id: 555_001, title: 'a', pages: 1, weight: 1 });
      await send('PATCH', `/api/v2/books/${made.id}`, { external_id: 555_002 });
      const list = JSON.parse(await get('/api/books')) as { id: number }[];
      expect(list.some(({ id }) => id === 555_001)).toBe(false);
      expect(list.some(({ id }) => id === 555_002)).toBe(true);
    });

    test('keeps the fields that a PATCH does not name', async () => {
      const made = await create({ title: 'a', pages: 1, weight: 1 });
      const answer = await send('PATCH', `/api/v2/books/${made.id}`, '{"weight":2.5}', {
        'Content-Type': 'application/merge-patch+json; charset=utf-8',
      });
      expect((await answer.json()) as Book).toMatchObject({ title: 'a', pages: 1, weight: 2.5, version: 2 });
      await problem(await send('PATCH', `/api/v2/books/${made.id}`, { title: null }), 'invalid_body');
      const wrong = await send('PATCH', `/api/v2/books/${made.id}`, 'x', { 'Content-Type': 'text/plain' });
      expect(await problem(wrong, 'unsupported_media_type')).toMatchObject({
        detail: 'Unsupported Content-Type "text/plain": send application/json, or application/merge-patch+json.',
      });
      expect(wrong.headers.get('Accept-Patch')).toBe('application/merge-patch+json, application/json');
      const without = await send('PATCH', `/api/v2/books/${made.id}`);
      expect(await problem(without, 'unsupported_media_type')).toMatchObject({
        detail: 'There is no Content-Type: send application/json, or application/merge-patch+json.',
      });
    });

    test('concurrent patches are all applied', async () => {
      const made = await create({ title: 'a', pages: 0, weight: 0 });
      const changes = Array.from({ length: 6 }, (_, n) =>
        send('PATCH', `/api/v2/books/${made.id}`, n % 2 === 0 ? { pages: n } : { weight: n }),
      );
      for (const answer of await Promise.all(changes)) expect(answer.status).toBe(200);
      expect(JSON.parse(await get(`/api/v2/books/${made.id}`)).version).toBe(7);
    });

    test('is not found after it is deleted, and its number is not used again', async () => {
      const made = await create({ title: 'a', pages: 1, weight: 1 });
      expect((await send('DELETE', `/api/v2/books/${made.id}`)).status).toBe(204);
      for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
        const body = method === 'PUT' ? { title: 'a', pages: 1, weight: 1 } : method === 'PATCH' ? {} : undefined;
        await problem(await send(method, `/api/v2/books/${made.id}`, body), 'not_found');
      }
      expect((await create({ title: 'a', pages: 1, weight: 1 })).id).toBeGreaterThan(made.id);
    });

    test.each([
      ['"1"', 200],
      ['"7", "1"', 200],
      ['*', 200],
      ['"2"', 412],
      ['W/"1"', 412],
      ['1', 412],
      ['', 412],
    ])('with If-Match: %s it is %d', async (tag, status) => {
      const made = await create({ title: 'a', pages: 1, weight: 1 });
      const path = `/api/v2/books/${made.id}`;
      for (const [method, body] of [
        ['PUT', { title: 'b', pages: 1, weight: 1 }],
        ['PATCH', { title: 'b' }],
        ['DELETE', undefined],
      ] as const) {
        const target =
          method === 'PUT' ? path : `/api/v2/books/${(await create({ title: 'a', pages: 1, weight: 1 })).id}`;
        const answer = await send(method, target, body, { 'If-Match': tag });
        expect(answer.status).toBe(status === 200 && method === 'DELETE' ? 204 : status);
        if (status === 412) await problem(answer, 'precondition_failed');
      }
    });

    test('preconditions are checked after 404, and of two changes with the same tag one succeeds', async () => {
      await problem(await send('DELETE', '/api/v2/books/999999', undefined, { 'If-Match': '"9"' }), 'not_found');
      const made = await create({ title: 'a', pages: 1, weight: 1 });
      const both = await Promise.all(
        [1, 2].map((pages) => send('PATCH', `/api/v2/books/${made.id}`, { pages }, { 'If-Match': '"1"' })),
      );
      expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    });

    test('a change without If-Match always succeeds, also during concurrent changes', async () => {
      const { id } = await create({ title: 'a', pages: 0, weight: 0 });
      const changes = Array.from({ length: 96 }, (_, n) =>
        n % 3 === 0
          ? send('PATCH', `/api/v2/books/${id}`, { pages: n })
          : n % 3 === 1
            ? send('PATCH', `/api/v2/books/${id}`, `{"weight":-0}`)
            : send('PUT', `/api/v2/books/${id}`, { title: `t${n}`, pages: n, weight: 1 }),
      );
      const answers = await Promise.all(changes);
      expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
      const versions = await Promise.all(answers.map(async (answer) => ((await answer.json()) as Book).version));
      expect(versions.sort((one, other) => one - other)).toEqual(versions.map((_, n) => n + 2));
    });

    test('a field that is not sent keeps every digit', async () => {
      const body = '{"external_id":-9223372036854775808,"title":"\\u2028\\"😀","pages":9007199254740993,"weight":-0}';
      const { id } = JSON.parse(await (await send('POST', '/api/v2/books', body)).text()) as Book;
      const patched = await (await send('PATCH', `/api/v2/books/${id}`, '{"title":"t"}')).text();
      const exact = '"external_id":-9223372036854775808,"title":"t","pages":9007199254740993,"weight":-0,"version":2';
      expect(patched).toContain(exact);
      expect(await get(`/api/v2/books/${id}`)).toBe(patched);
      await send('PATCH', `/api/v2/books/${id}`, '{"weight":4611686018427387904,"external_id":7}');
      const renamed = await (await send('PATCH', `/api/v2/books/${id}`, '{"title":"u"}')).text();
      expect(renamed).toContain('"external_id":7,"title":"u","pages":9007199254740993,"weight":4611686018427388000');
      expect(await get(`/api/books`)).toContain(
        '{"id":7,"title":"u","pages":9007199254740993,"weight":4611686018427388000}',
      );
    });

    test('OPTIONS has the media types that PATCH accepts', async () => {
      const answer = await send('OPTIONS', '/api/v2/books/1');
      expect(answer.status).toBe(204);
      expect(answer.headers.get('Accept-Patch')).toBe('application/merge-patch+json, application/json');
      expect((await send('OPTIONS', '/api/v2/books')).headers.get('Accept-Patch')).toBeNull();
    });

    test('is answered with 304 while it does not change', async () => {
      const made = await create({ title: 'a', pages: 1, weight: 1 });
      for (const tag of ['"1"', 'W/"1"', '*']) {
        expect((await send('GET', `/api/v2/books/${made.id}`, undefined, { 'If-None-Match': tag })).status).toBe(304);
      }
      expect((await send('GET', `/api/v2/books/${made.id}`, undefined, { 'If-None-Match': '"2"' })).status).toBe(200);
    });

    test.each([
      [
        '{"id":5,"title":"t","pages":1,"weight":1}',
        [{ pointer: '#/id', detail: 'is set by the server; leave it out' }],
      ],
      [
        '{"title":"t","pages":1,"weight":1,"a/b~":1}',
        [{ pointer: '#/a~1b~0', detail: 'unknown field; known fields: external_id, title, pages, weight' }],
      ],
      [
        '{"title":7,"pages":1.5}',
        [
          { pointer: '#/title', detail: 'must be a string' },
          { pointer: '#/pages', detail: 'must be an integer' },
          { pointer: '#/weight', detail: 'is required' },
        ],
      ],
      ['[]', [{ pointer: '#', detail: 'must be a JSON object' }]],
      ...(
        [
          ['', '#/'],
          ['c%d', '#/c%25d'],
          ['e^f g', '#/e%5Ef%20g'],
          ['é', '#/%C3%A9'],
          ['\\ud800', '#/%EF%BF%BD'],
        ] as const
      ).map(([key, pointer]): [string, object[]] => [
        `{"title":"t","pages":1,"weight":1,"${key}":1}`,
        [{ pointer, detail: 'unknown field; known fields: external_id, title, pages, weight' }],
      ]),
    ])('%s is refused with every problem', async (body, errors) => {
      expect((await problem(await send('POST', '/api/v2/books', body), 'invalid_body')).errors).toEqual(errors);
    });

    test.each(['abc', '1.5', '%20'])('the id %s is invalid', async (id) => {
      await problem(await send('GET', `/api/v2/books/${id}`), 'invalid_id');
    });

    test.each(['0', '-1', '99999999999999999999'])('the id %s is not found', async (id) => {
      await problem(await send('GET', `/api/v2/books/${id}`), 'not_found');
    });
  });

  describe('lists', () => {
    test.each([
      ['title=p2', ['p2']],
      ['title[ne]=p2&title[starts_with]=p', ['p1', 'p3', 'pé', 'p😀']],
      ['title[in]=p1,p3', ['p1', 'p3']],
      ['title[in]=p1&title[in]=p3', ['p1', 'p3']],
      ['title[contains]=😀', ['p😀']],
      ['title=p%C3%A9', ['pé']],
      ['title=p%c3%a9&&sort=title', ['pé']],
      ['title[gt]=p2&title[lt]=q', ['p3', 'pé', 'p😀']],
      ['title[starts_with]=p&pages[gte]=20&pages[lt]=40', ['p2', 'p3', 'pé']],
      ['title[starts_with]=p&weight=-0', ['p1']],
      ['title[starts_with]=p&weight[gt]=1e2', ['p😀']],
      ['title[starts_with]=p&created_at[gt]=2020-01-01', ['p1', 'p2', 'p3', 'pé', 'p😀']],
      ['title[starts_with]=p&created_at[lt]=2020-01-01T00:00:00Z', []],
      ['title[starts_with]=p&created_at[lt]=0001-01-01', []],
      ['title[starts_with]=p&created_at[gt]=9999-12-31T23:59:59.999Z', []],
      ['title[starts_with]=p&created_at[in]=0001-01-01,9999-12-31', []],
      ['title[starts_with]=p&sort=-title', ['p😀', 'pé', 'p3', 'p2', 'p1']],
      ['title[starts_with]=p&sort=-pages,title', ['p😀', 'p3', 'pé', 'p2', 'p1']],
      ['title[starts_with]=p&version=1&limit=2', ['p1', 'p2']],
    ])('%s', async (search, titles) => {
      if ((await page('title[starts_with]=p')).data.length === 0) {
        const rows = [
          ['p1', 10, 0],
          ['p2', 20, 1.5],
          ['p3', 30, 2],
          ['pé', 30, 3],
          ['p😀', 40, 1e300],
        ] as const;
        for (const [title, pages, weight] of rows) await create({ title, pages, weight });
      }
      expect((await page(search)).data.map(({ title }) => title)).toEqual([...titles]);
    });

    test('a page has the requested fields, the total, and a link to the next page', async () => {
      for (let pages = 0; pages < 5; pages++) await create({ title: 'link', pages, weight: 1 });
      const answer = await send('GET', '/api/v2/books?title=link&limit=2&sort=-pages&fields=pages,id&count=exact');
      const { data, next_cursor, total } = (await answer.json()) as Page;
      expect(data.map(Object.keys)).toEqual([
        ['id', 'pages'],
        ['id', 'pages'],
      ]);
      expect(total).toBe(5);
      const [, next] = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('Link') ?? '') ?? [];
      expect(next).toContain(`cursor=${next_cursor}`);
      const second = JSON.parse(await get(next ?? '')) as Page;
      expect(second.data.map(({ pages }) => pages)).toEqual([2, 1]);
      const third = JSON.parse(await get(`/api/v2/books?title=link&sort=-pages&cursor=${second.next_cursor}`)) as Page;
      expect(third.data.map(({ pages }) => pages)).toEqual([0]);
      expect(third.next_cursor).toBeNull();
    });

    test.each([
      'title=caf%E9',
      'title=%ED%A0%80',
      'title=100%',
      '%FF=1',
      'created_at[gte]=0000-01-01',
      'created_at[gte]=0001-01-01T00:00:00%2B00:01',
      'updated_at[lt]=9999-12-31T23:59:59-00:01',
      'updated_at[in]=2026-01-01,0000-12-31',
      'created_at=2026-02-30',
      'created_at=2026-13-01',
      'nope=1',
      'title[nope]=1',
      'pages[contains]=1',
      'pages=x',
      'pages=1.5',
      'pages=9223372036854775808',
      'weight=NaN',
      'weight=0x10',
      'created_at=yesterday',
      'limit=0',
      'limit=-1',
      'limit=x',
      'limit=9223372036854775808',
      'limit=',
      'limit=1&limit=2',
      'sort=nope',
      'sort=',
      'fields=nope',
      'fields=-id',
      'count=1',
      'title[]=a',
      `id[in]=${Array(101).fill(1).join()}`,
    ])('%s is refused', async (search) => {
      await problem(await send('GET', `/api/v2/books?${search}`), 'invalid_query');
    });

    test('a limit over 1000 is 1000', async () => {
      expect((await send('GET', '/api/v2/books?limit=999999')).status).toBe(200);
      expect((await send('GET', '/api/v2/books?limit=9223372036854775807')).status).toBe(200);
    });

    test('a cursor without a sort is after the record, whatever its external_id', async () => {
      for (const external_id of [900_001, 7]) await create({ title: 'unsorted', pages: 1, weight: 1, external_id });
      const first = await page('title=unsorted&limit=1');
      const second = await page(`title=unsorted&limit=1&cursor=${first.next_cursor}`);
      expect([first, second].map(({ data }) => data[0]?.external_id)).toEqual([900_001, 7]);
      expect(second.next_cursor).toBeNull();
    });

    test('a cursor that was changed, cut, or made for another list is refused', async () => {
      for (let n = 0; n < 3; n++) await create({ title: 'seal', pages: n, weight: n });
      const { next_cursor: cursor } = await page('title=seal&limit=1&sort=pages');
      const good = String(cursor);
      expect((await page(`title=seal&limit=2&sort=pages&cursor=${good}`)).data.map(({ pages }) => pages)).toEqual([
        1, 2,
      ]);
      const flipped = Buffer.from(good, 'base64url');
      flipped[flipped.length - 2] = (flipped.at(-2) ?? 0) ^ 1;
      for (const search of [
        `title=seal&sort=pages&cursor=${flipped.toString('base64url')}`,
        `title=seal&sort=pages&cursor=${good.slice(0, -3)}`,
        'title=seal&sort=pages&cursor=',
        'title=seal&sort=pages&cursor=%00%C3%BF',
        `title=seal&sort=-pages&cursor=${good}`,
        `title=other&sort=pages&cursor=${good}`,
        `sort=pages&cursor=${good}`,
      ]) {
        await problem(await send('GET', `/api/v2/books?${search}`), 'invalid_cursor');
      }
      await problem(await send('GET', `/api/v2/users?cursor=${good}`), 'invalid_cursor');
      // Also where the list has no filters.
      const { next_cursor: unfiltered } = await page('limit=1&sort=pages');
      expect((await page(`sort=pages&cursor=${unfiltered}`)).data.length).toBeGreaterThan(0);
      for (const sort of ['-pages', 'title', 'pages,title'])
        await problem(await send('GET', `/api/v2/books?sort=${sort}&cursor=${unfiltered}`), 'invalid_cursor');
    });

    test('paging returns every unchanged record once, also during writes', async () => {
      const fields = fc.constantFrom('id', 'external_id', 'title', 'pages', 'weight', 'created_at');
      const sort = fc.uniqueArray(fc.tuple(fields, fc.boolean()), { maxLength: 3, selector: ([field]) => field });
      const filter = fc.constantFrom('', '&pages[gte]=2', '&title[ne]=b', '&weight[lt]=3', '&pages[in]=0,1,2');
      const row = fc.record({ title: fc.constantFrom('a', 'b', 'c', 'é'), pages: fc.nat(4), weight: fc.nat(4) });
      const property = fc.asyncProperty(
        sort,
        filter,
        fc.integer({ min: 1, max: 7 }),
        fc.array(row, { minLength: 5, maxLength: 25 }),
        fc.array(fc.tuple(fc.constantFrom('insert', 'update', 'delete'), fc.nat(24), row), { maxLength: 12 }),
        async (order, condition, limit, rows, changes) => {
          const made = await Promise.all(rows.map(create));
          const first = Math.min(...made.map(({ id }) => id));
          const touched = new Set(changes.map(([, index]) => made[index % made.length]?.id));
          const list = `id[gte]=${first}${condition}&sort=${order.map(([field, down]) => (down ? '-' : '') + field).join() || 'id'}`;
          const expected = (await page(`${list}&limit=1000`)).data;
          const walked: Book[] = [];
          let cursor: string | null = null;
          do {
            const next: Page = await page(`${list}&limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`);
            walked.push(...next.data);
            cursor = next.next_cursor;
            const [kind, index, body] = changes.shift() ?? [];
            const id = made[(index ?? 0) % made.length]?.id;
            if (kind === 'insert') await create(body);
            if (kind === 'update') await send('PUT', `/api/v2/books/${id}`, body);
            if (kind === 'delete') await send('DELETE', `/api/v2/books/${id}`);
          } while (cursor !== null);
          const untouched = (all: Book[]) =>
            all.filter(({ id }) => made.some((one) => one.id === id) && !touched.has(id)).map(({ id }) => id);
          expect(untouched(walked)).toEqual(untouched(expected));
        },
      );
      await fc.assert(property, { numRuns: 30 });
    });
  });

  describe('a whole list as a stream', () => {
    const read = async (accept: string, search: string) => {
      const answer = await send('GET', `/api/v2/books?${search}`, undefined, { Accept: accept });
      return { answer, text: await answer.text() };
    };

    test('in CSV is quoted as in RFC 4180, and has no field that a spreadsheet would run as a formula', async () => {
      const titles = [
        'a,b',
        'say "hi"',
        'two\r\nlines',
        ' space',
        '=1+1',
        '@cmd',
        '+1',
        '-1',
        '\n=1',
        '＝1',
        "'=1",
        "''-1",
        "'quoted'",
        'é😀',
        '',
      ];
      for (const title of titles) await create({ title, pages: 7, weight: -0.5 });
      const { answer, text } = await read('text/csv', 'pages=7&weight=-0.5&fields=title,weight');
      expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8; header=present');
      const fields = [
        '"a,b"',
        '"say ""hi"""',
        '"two\r\nlines"',
        '" space"',
        "'=1+1",
        "'@cmd",
        "'+1",
        "'-1",
        '"\'\n\'=1"',
        "'＝1",
        "''=1",
        "'''-1",
        "'quoted'",
        'é😀',
        '""',
      ];
      expect(text).toBe(`title,weight\r\n${fields.map((field) => `${field},-0.5\r\n`).join('')}`);
    });

    test('in NDJSON has every record, one per line, in the requested order', async () => {
      await Promise.all(Array.from({ length: 1234 }, (_, n) => create({ title: 'stream', pages: n, weight: n % 7 })));
      const { answer, text } = await read('application/x-ndjson', 'title=stream&sort=-weight,pages');
      expect(answer.headers.get('Content-Type')).toBe('application/x-ndjson');
      const records = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Book);
      expect(records.length).toBe(1234);
      const sorted = [...records].sort((left, right) => right.weight - left.weight || left.pages - right.pages);
      expect(records).toEqual(sorted);
      expect((await read('text/csv', 'title=stream&fields=id')).text.split('\r\n').length).toBe(1236);
    });

    test('is sent only if the client prefers it to a page', async () => {
      const type = async (accept: string) =>
        (await read(accept, 'title=nobody')).answer.headers.get('Content-Type')?.split(';')[0];
      expect(await type('application/json, text/csv;q=0.1')).toBe('application/json');
      expect(await type('application/json;q=0.1, text/csv;q=0.2')).toBe('text/csv');
      expect(await type('text/csv;q=0.1, application/x-ndjson')).toBe('application/x-ndjson');
      expect(await type('*/*')).toBe('application/json');
    });

    test('without a match is only the CSV header, or empty', async () => {
      expect((await read('text/csv', 'title=nobody&fields=id,title')).text).toBe('id,title\r\n');
      expect((await read('application/x-ndjson', 'title=nobody')).text).toBe('');
    });

    test.each(['limit=5', 'count=exact', 'cursor=x'])('%s is refused', async (search) => {
      await problem(await send('GET', `/api/v2/books?${search}`, undefined, { Accept: 'text/csv' }), 'invalid_query');
    });
  });

  describe('a request that is sent again', () => {
    const body = { title: 'once', pages: 1, weight: 1 };
    const again = (key: string, sent: object = body) => send('POST', '/api/v2/books', sent, { 'Idempotency-Key': key });
    const named = async (title: string) => (await page(`title=${title}&count=exact`)).total;

    test('creates nothing and gets the first answer', async () => {
      const title = `once-${Math.random()}`;
      const first = await again('"k-1"', { ...body, title });
      const text = await first.text();
      expect(first.status).toBe(201);
      expect(first.headers.get('Idempotent-Replayed')).toBeNull();
      await send('PATCH', `/api/v2/books/${JSON.parse(text).id}`, { pages: 9 });
      // The quotes of the key and the whitespace of the body do not matter.
      const second = await send('POST', '/api/v2/books', `{ "title":"${title}", "pages":1.0, "weight":1 }`, {
        'Idempotency-Key': 'k-1',
      });
      expect(second.status).toBe(201);
      expect(second.headers.get('Idempotent-Replayed')).toBe('true');
      for (const header of ['Location', 'ETag']) expect(second.headers.get(header)).toBe(first.headers.get(header));
      expect(await second.text()).toBe(text);
      expect(await named(title)).toBe(1);
    });

    test('is refused with another body, and is a new request on another path', async () => {
      expect((await again('k-2')).status).toBe(201);
      await problem(await again('k-2', { ...body, pages: 2 }), 'key_reused');
      const user = await send('POST', '/api/v2/users', { name: 'other' }, { 'Idempotency-Key': 'k-2' });
      expect(user.status).toBe(201);
    });

    test('twenty times at once creates one record', async () => {
      const title = `many-${Math.random()}`;
      const answers = await Promise.all(Array.from({ length: 20 }, () => again('k-3', { ...body, title })));
      expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
      expect(answers.filter(({ headers }) => headers.get('Idempotent-Replayed') === null).length).toBe(1);
      expect(await named(title)).toBe(1);
    });

    test('a refused request does not use its key', async () => {
      await problem(await again('k-4', { title: 7 }), 'invalid_body');
      expect((await again('k-4')).status).toBe(201);
    });

    test('an expired key can be used again', async () => {
      const first = (await (await again('k-5')).json()) as Book;
      await server.store.admin.forgetIdempotencyKeys(-60_000);
      expect(((await (await again('k-5')).json()) as Book).id).toBeGreaterThan(first.id);
    });

    test('an instance whose clock is years ahead removes no key and no history', async () => {
      const first = await (await again('k-6')).text();
      setSystemTime(new Date('2045-01-01'));
      try {
        await server.store.admin.forgetIdempotencyKeys(3_600_000);
        expect(await server.store.feed.trim(3_600_000)).toBe(0);
        expect(await (await again('k-6')).text()).toBe(first);
      } finally {
        setSystemTime();
      }
    });

    test.each(['""', '"a', 'a b', 'é', 'x'.repeat(256), '"a"b"'])('the key %s is invalid', async (key) => {
      await problem(await again(Buffer.from(key).toString('latin1')), 'invalid_key');
    });
  });

  describe('the change feed', () => {
    type Fed = { data: { seq: number; type: string; at: string; record: Book }[]; last: number };
    const pull = async (search: string) => JSON.parse(await get(`/api/v2/changes?${search}`)) as Fed;
    async function end(): Promise<number> {
      let last = 0;
      for (let page = await pull('limit=1000'); page.data.length > 0; page = await pull(`limit=1000&after=${last}`))
        last = page.last;
      return last;
    }

    test('has every change once, in order, with the record at that time', async () => {
      const before = await end();
      const made = await create({ title: 'fed', pages: 1, weight: 0.1 });
      const patched = (await (await send('PATCH', `/api/v2/books/${made.id}`, { pages: 2 })).json()) as Book;
      await send('POST', '/api/users', { id: 31_337, name: 'contract' });
      await send('DELETE', '/api/users/31337');
      await send('DELETE', `/api/v2/books/${made.id}`);
      const { data, last } = await pull(`after=${before}`);
      expect(data.map(({ type }) => type)).toEqual([
        'book.created',
        'book.updated',
        'user.created',
        'user.deleted',
        'book.deleted',
      ]);
      expect(data[0]?.record).toEqual(made);
      expect(data[1]?.record).toEqual(patched);
      expect(data[4]?.record).toEqual(patched);
      expect(data[2]?.record).toMatchObject({ external_id: 31_337, name: 'contract', version: 1 });
      expect(data.every(({ seq }, index) => seq > (data[index - 1]?.seq ?? before))).toBe(true);
      expect(last).toBe(data.at(-1)?.seq ?? 0);
      expect(new Date(data[0]?.at ?? '').toISOString()).toBe(made.created_at);

      const books = await pull(`after=${before}&collection=books&limit=2`);
      expect(books.data.map(({ type }) => type)).toEqual(['book.created', 'book.updated']);
      expect((await pull(`after=${last}`)).data).toEqual([]);
      expect((await pull(`after=${last}`)).last).toBe(last);
    });

    test('refused writes make no change', async () => {
      const before = await end();
      const made = await create({ title: 'x', pages: 1, weight: 1 });
      await send('PATCH', `/api/v2/books/${made.id}`, { pages: 'x' });
      await send('PUT', `/api/v2/books/${made.id}`, { title: 'y', pages: 1, weight: 1 }, { 'If-Match': '"9"' });
      await send('DELETE', '/api/v2/books/99999999');
      expect((await pull(`after=${before}`)).data.length).toBe(1);
    });

    test('numbers and text are exactly as they were sent', async () => {
      const before = await end();
      const body = '{"external_id":-9223372036854775808,"title":"é😀\\"","pages":9007199254740993,"weight":-0}';
      const made = await (await send('POST', '/api/v2/books', body)).text();
      await send('DELETE', `/api/v2/books/${JSON.parse(made).id}`);
      const feed = await get(`/api/v2/changes?after=${before}`);
      expect(feed.split(made).length).toBe(3);
    });

    test.each(['after=x', 'after=-1', 'after=9223372036854775808', 'limit=0', 'limit=x', 'nope=1', 'after=1&after=2'])(
      '%s is refused',
      async (search) => {
        await problem(await send('GET', `/api/v2/changes?${search}`), 'invalid_query');
      },
    );

    test('an unknown collection is refused with those that there are', async () => {
      const { detail } = await problem(await send('GET', '/api/v2/changes?collection=nope'), 'invalid_query');
      expect(detail).toContain('one of items, users, books,');
    });

    test('a change beyond the end of history is 410', async () => {
      await problem(await send('GET', '/api/v2/changes?after=9223372036854775807'), 'history_trimmed');
    });

    test('a trimmed change is 410, with the start of history', async () => {
      const made = await create({ title: 'old', pages: 1, weight: 1 });
      const trimmedTo = await end();
      while ((await server.store.feed.trim(-60_000)) > 0);
      const { detail } = await problem(await send('GET', '/api/v2/changes'), 'history_trimmed');
      expect(detail).toContain(`after=${trimmedTo}`);
      expect((await pull(`after=${trimmedTo}`)).data).toEqual([]);
      await send('DELETE', `/api/v2/books/${made.id}`);
      expect((await pull(`after=${trimmedTo}`)).data.map(({ type }) => type)).toEqual(['book.deleted']);
    });
  });

  test.each(Object.entries(failures))('/problems explains %s', async (code, { title, hint }) => {
    const answer = await fetch(`${server.url}/problems/${code.replaceAll('_', '-')}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    const html = (await answer.text()).replaceAll(/&#(\d+);/g, (_, unit) => String.fromCharCode(Number(unit)));
    expect(html).toContain(title);
    expect(html).toContain(`<p>${hint.charAt(0).toUpperCase()}${hint.slice(1)}.</p>`);
  });
});

test.skipIf(emptyEngines.length < 2)('both engines give the same answers to a random sequence', async () => {
  const both = await Promise.all(
    emptyEngines.map(async ([, newUrl]) => startServer({ database: await newUrl(), collections: [books] })),
  );
  const times = /"(created_at|updated_at|at)":"[^"]+"/g;
  const cursors = /"next_cursor":"[^"]+"/g;
  async function alike(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
    const [left, right] = await Promise.all(
      both.map(async ({ url }) => {
        const answer = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) });
        const text = (await answer.text()).replaceAll(times, '"$1":0').replaceAll(cursors, '"next_cursor":0');
        // The tag of a list depends on timestamps or on the engine, so it is not compared.
        return [answer.status, /^\/api\/v2\/books(\/|$)/.test(path) ? answer.headers.get('ETag') : '', text];
      }),
    );
    expect({ method, path, body, answer: right }).toEqual({ method, path, body, answer: left });
  }
  const id = fc.nat(30);
  const title = fc.oneof(
    fc.constantFrom('a', 'B', 'é', 'Z', '😀', '\uffff', ''),
    fc.string({ unit: 'binary', maxLength: 3 }).filter((text) => !text.includes('\0')),
  );
  const weight = fc.oneof(fc.constantFrom(0, -0, 1, 1e21, 5e-324), fc.double({ noNaN: true, noDefaultInfinity: true }));
  const pages = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const digits = (value: number) => (Object.is(value, -0) ? '-0' : String(value));
  const row = fc
    .record({ title, pages, weight })
    .map((one) => `{"title":${JSON.stringify(one.title)},"pages":${one.pages},"weight":${digits(one.weight)}}`);
  const column = fc.constantFrom('id', 'external_id', 'title', 'pages', 'weight', 'version');
  const sort = fc.uniqueArray(
    fc.tuple(column, fc.boolean()).map(([name, down]) => (down ? `-${name}` : name)),
    { maxLength: 3, selector: (name) => name.replace('-', '') },
  );
  const operator = fc.constantFrom('gt', 'gte', 'lt', 'lte', 'ne', 'contains', 'starts_with');
  const json = { 'Content-Type': 'application/json' };
  const operation = fc.oneof(
    { weight: 5, arbitrary: row.map((body) => () => alike('POST', '/api/v2/books', body)) },
    {
      weight: 2,
      arbitrary: fc.tuple(id, row).map(
        ([n, body]) =>
          () =>
            alike('PUT', `/api/v2/books/${n}`, body),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(id, weight, fc.constantFrom('*', '"1"', '"2"')).map(([n, value, tag]) => () => {
        const body = `{"weight":${digits(value)}}`;
        return alike('PATCH', `/api/v2/books/${n}`, body, { ...json, 'If-Match': tag });
      }),
    },
    { weight: 1, arbitrary: id.map((n) => () => alike('DELETE', `/api/v2/books/${n}`)) },
    {
      weight: 1,
      arbitrary: fc.tuple(id, fc.constantFrom('*', '"1"', 'W/"2", "3"')).map(
        ([n, tag]) =>
          () =>
            alike('DELETE', `/api/v2/books/${n}`, undefined, { 'If-None-Match': tag }),
      ),
    },
    { weight: 2, arbitrary: id.map((n) => () => alike('GET', `/api/v2/books/${n}`)) },
    {
      weight: 4,
      arbitrary: fc.tuple(sort, title, operator, weight).map(([order, text, how, value]) => () => {
        const filters = `title[${how}]=${encodeURIComponent(text)}&weight[lte]=${encodeURIComponent(digits(value))}`;
        return alike('GET', `/api/v2/books?sort=${order.join() || 'id'}&${filters}&count=exact&limit=7`);
      }),
    },
    { weight: 1, arbitrary: fc.constant(() => alike('GET', '/api/v2/changes?limit=1000')) },
    {
      weight: 1,
      arbitrary: sort.map((order) => () => {
        const search = `sort=${order.join() || 'id'}&fields=id,title,pages,weight`;
        return alike('GET', `/api/v2/books?${search}`, undefined, { Accept: 'text/csv' });
      }),
    },
    { weight: 1, arbitrary: fc.constant(() => alike('GET', '/api/books')) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 25 }), async (operations) => {
      for (const run of operations) await run();
    }),
    { numRuns: 40 },
  );
  for (const server of both) await server.stop();
});

test('the contract has Deprecation and Sunset headers only if the operator sets the dates', async () => {
  const server = await startServer({
    server: { deprecation: { value: new Date('2027-01-31') }, sunset: { value: new Date('2028-01-31') } },
  });
  for (const path of ['/api/items', '/api/v1/items/1', '/api/items/404', '/api/users/x']) {
    const { headers } = await fetch(server.url + path);
    expect(headers.get('Deprecation')).toBe('@1801353600');
    expect(headers.get('Sunset')).toBe('Mon, 31 Jan 2028 00:00:00 GMT');
    expect(headers.get('Link')).toMatch(/^<\/api\/v2\/(items|users)>; rel="successor-version"$/);
  }
  for (const path of ['/api/v2/items', '/healthz', '/', '/api/nope']) {
    expect((await fetch(server.url + path)).headers.get('Deprecation')).toBeNull();
  }
  await server.stop();
  const silent = await startServer();
  expect((await fetch(`${silent.url}/api/items`)).headers.get('Sunset')).toBeNull();
  await silent.stop();
});

describe('an indexed field', () => {
  const { sql } = condition(
    {
      parameter: (_, { name }) => (name === '"weight"' ? '0.5' : '7'),
      bind: (_, value) => value,
      literal: String,
      contains: () => '',
      startsWith: () => '',
      sameFolded: () => '',
      words: () => '',
      has: () => '',
    },
    books,
    [],
    [{ field: 'weight', descending: false }],
    { values: [0.5], recordId: 7 },
  );
  const statement = `select * from books ${sql} ${orderBy(books, [{ field: 'weight', descending: false }])} limit 10`;

  test('is sorted and filtered by its index on SQLite, also if the table existed before the index', async () => {
    const path = join(temporaryFolder(), 'indexed.db');
    for (const declared of [plainBooks, books])
      await (await startServer({ database: `sqlite:${path}`, collections: [declared] })).stop();
    const db = new Database(path);
    const plan = db.prepare<{ detail: string }, []>(`explain query plan ${statement}`).all();
    expect(plan.map(({ detail }) => detail).join()).toMatch(/^SEARCH books USING INDEX books:weight \(weight>\?\)$/);
    db.close();
  });

  test.skipIf(postgresUrl === undefined)('is sorted and filtered by its index on PostgreSQL', async () => {
    const database = await newDatabase();
    for (const declared of [plainBooks, books]) await (await startServer({ database, collections: [declared] })).stop();
    const sql = new SQL({ url: database, max: 1 });
    await sql`set enable_seqscan = off`;
    await sql`set enable_sort = off`;
    const plan = await sql.unsafe(`explain ${statement}`).values();
    expect(plan.join('\n')).toMatch(/Index Scan using "books:weight" on books[\s\S]*Index Cond: \(weight >= /);
    await sql.close();
  });
});
