/** Collections of the user's own, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { maxFields } from '../../src/declarations/check.ts';
import { maxCascade } from '../../src/domain/store/constraint-clash.ts';
import { declared, libraryFile } from '../support/data/library.ts';
import { quickEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

/** What the tests look at in records, pages, changes and problems. */
type Body = {
  readonly id: number;
  readonly title: string;
  readonly isbn: string;
  readonly author: number;
  readonly type: string;
  readonly at: string;
  readonly record: { readonly id: number };
  readonly expanded: unknown;
  readonly data: readonly Body[];
  readonly last: number;
  readonly total: number;
  readonly next_cursor: string | null;
  readonly detail: string;
  readonly errors: unknown;
};
type Answer = { readonly status: number; readonly body: Body };

/** With records of the contract that depend on others of their own collection. */
const collections = declared({
  ...libraryFile,
  parts: {
    singular: 'part',
    contract: true,
    fields: { label: 'text', of: { type: 'reference', to: 'parts', on_delete: 'cascade', optional: true } },
  },
});

describe.each(quickEngines)('%s', (_, newUrl) => {
  let server: TestServer;
  let isbn = 9780000000000;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), collections });
  });
  afterAll(() => server.stop());

  async function send(method: string, path: string, body?: unknown, type = 'application/json'): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(`${server.url}/api/v2/${path}`, {
      method,
      ...(body === undefined ? {} : { body: text, headers: { 'Content-Type': type } }),
    });
    const content = await answer.text();
    return { status: answer.status, body: (content === '' ? {} : JSON.parse(content)) as Body };
  }
  const newIsbn = () => String(++isbn);
  const text = async (path: string) => (await fetch(`${server.url}/api/v2/${path}`)).text();
  const author = async () => (await send('POST', 'authors', { name: 'Borges' })).body.id;
  const book = async (more: object = {}) =>
    (
      await send('POST', 'books', {
        title: 'Ficciones',
        isbn: newIsbn(),
        price: '12.30',
        author: await author(),
        ...more,
      })
    ).body;

  test('a record has its defaults, and null for what is optional', async () => {
    const made = await send('POST', 'books', { title: 'T', isbn: newIsbn(), price: '7', author: await author() });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      pages: null,
      weight: 0.5,
      price: '7.00',
      state: 'draft',
      in_stock: true,
      published_on: null,
      tags: [],
      ratings: null,
      meta: null,
      follows: null,
    });
    expect((await send('GET', `books/${made.body.id}`)).body).toEqual(made.body);
    expect('external_id' in made.body).toBe(false);
  });

  test('every value comes back as it was sent, digit for digit, also in the feed, in CSV and in NDJSON', async () => {
    const by = await author();
    const sent =
      `{"title":"a\\"b,\\n'=1","isbn":"${newIsbn()}","pages":9223372036854775807,"weight":-0,"price":"-0.10",` +
      `"state":"published","in_stock":false,"published_on":"2024-02-29","seen_at":"2026-11-15T10:00:00.1234+02:00",` +
      `"tags":["x","","é,\\u0001"],"ratings":[1,-9223372036854775808],"meta":{"b":1.50,"a":[1e2, 12345678901234567890],"b":null},"author":${by}}`;
    const refused = await send('POST', 'books', sent);
    expect(refused.status).toBe(400);
    expect(refused.body.errors).toEqual([{ pointer: '#/price', detail: 'must be at least 0.00' }]);
    const made = await fetch(`${server.url}/api/v2/books`, {
      method: 'POST',
      body: sent.replace('-0.10', '92233720368547758.07'),
    });
    const record = await made.text();
    expect(made.status).toBe(201);
    for (const part of [
      '"pages":9223372036854775807',
      '"weight":-0,',
      '"price":"92233720368547758.07"',
      '"seen_at":"2026-11-15T08:00:00.123Z"',
      '"tags":["x","","é,\\u0001"]',
      '"ratings":[1,-9223372036854775808]',
      '"meta":{"b":1.50,"a":[1e2,12345678901234567890],"b":null}',
    ])
      expect(record).toContain(part);
    const { id } = JSON.parse(record);
    expect(await text(`books/${id}`)).toBe(record);
    expect(await text(`books?id=${id}`)).toBe(`{"data":[${record}],"next_cursor":null}`);
    expect(await text('changes?limit=1000')).toContain(`"record":${record}`);
    const patched = await fetch(`${server.url}/api/v2/books/${id}`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/merge-patch+json' },
      body: '{"weight":1e16,"pages":null}',
    });
    const changed = await patched.text();
    expect(changed).toContain('"pages":null,"weight":10000000000000000,');
    expect(await text(`books/${id}`)).toBe(changed);
    expect(await text('changes?limit=1000')).toContain(
      `"type":"book.updated","at":"${JSON.parse(changed).updated_at}","by":null,"record":${changed}`,
    );
    const lines = await (
      await fetch(`${server.url}/api/v2/books?id=${id}`, { headers: { Accept: 'application/x-ndjson' } })
    ).text();
    expect(lines).toBe(`${changed}\n`);
    const csv = await (await fetch(`${server.url}/api/v2/books?id=${id}`, { headers: { Accept: 'text/csv' } })).text();
    expect(csv).toContain(',"[""x"","""",""é,\\u0001""]",');
  });

  test.each([
    ['title', 7, 'must be a string'],
    ['isbn', '12', 'must match the pattern ^[0-9]{13}$'],
    ['isbn', '1'.repeat(14), 'must have at most 13 characters; it has 14'],
    ['pages', 0, 'must be at least 1'],
    ['pages', 1.5, 'must be an integer'],
    ['weight', '1', 'must be a number'],
    ['price', 12.3, 'must be a decimal number in a string, such as "0.00"'],
    ['price', '1.234', 'must be a decimal number with at most 2 places, from 0.00 to 92233720368547758.07'],
    ['state', 'gone', 'must be one of draft, published'],
    ['in_stock', 1, 'must be true or false'],
    ['published_on', '2026-02-30', 'must be a day from 0001-01-01 to 9999-12-31, such as 2026-11-15'],
    [
      'seen_at',
      '2026-01-01',
      'must be a time from 0001-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z, such as 2026-11-14T23:59:59.123Z',
    ],
    [
      'seen_at',
      '2026-11-15T10:00Z',
      'must be a time from 0001-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z, such as 2026-11-14T23:59:59.123Z',
    ],
    ['tags', 'x', 'must be a list'],
    ['tags', ['x', 7], 'element 1 must be a string'],
    ['tags', [null], 'element 0 cannot be null'],
    ['tags', Array(21).fill('x'), 'must have at most 20 elements; it has 21'],
    ['ratings', [1.5], 'element 0 must be an integer'],
    ['meta', 'x'.repeat(70_000), 'must have at most 65536 bytes; it has 70002'],
    ['meta', { 'a\0': 1 }, 'must not contain the character U+0000 or half of a surrogate pair'],
    ['meta', ['\ud800'], 'must not contain the character U+0000 or half of a surrogate pair'],
    ['author', 'x', 'must be an integer'],
    ['author', 0, 'must be an id, which is 1 or more'],
    ['author', null, 'cannot be null'],
  ])('%s %p is refused: %s', async (field, value, detail) => {
    const sent = { title: 'T', isbn: newIsbn(), price: '1', author: 1, [field]: value };
    const { status, body } = await send('POST', 'books', sent);
    expect({ status, errors: body.errors }).toEqual({ status: 400, errors: [{ pointer: `#/${field}`, detail }] });
  });

  test('a value that must be unique is refused with the record that has it', async () => {
    const { id, isbn: taken, author: by } = await book();
    const again = await send('POST', 'books', { title: 'T', isbn: taken, price: '1', author: by });
    expect(again).toMatchObject({ status: 409, body: { type: '/problems/already-exists', id } });
    expect(again.body.errors).toEqual([{ pointer: '#/isbn', detail: `must be unique; record ${id} has this value` }]);
    const other = await book();
    expect((await send('PATCH', `books/${other.id}`, { isbn: taken })).status).toBe(409);
    expect((await send('PATCH', `books/${id}`, { isbn: taken })).status).toBe(200);
    expect((await send('DELETE', `books/${id}`)).status).toBe(204);
    expect((await send('PATCH', `books/${other.id}`, { isbn: taken })).status).toBe(200);
  });

  test('of writes that arrive together, each is judged after those before it', async () => {
    const by = await author();
    const same = newIsbn();
    const all = await Promise.all(
      Array.from({ length: 20 }, () => send('POST', 'books', { title: 'T', isbn: same, price: '1', author: by })),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  });

  test('a reference to nothing is refused', async () => {
    const missing = await send('POST', 'books', { title: 'T', isbn: newIsbn(), price: '1', author: 999_999_999 });
    expect(missing).toMatchObject({ status: 409, body: { type: '/problems/reference-missing' } });
    expect(missing.body.errors).toEqual([
      { pointer: '#/author', detail: 'refers to record 999999999 of authors, which does not exist' },
    ]);
    const { id } = await book();
    expect((await send('PATCH', `books/${id}`, { author: 999_999_999 })).status).toBe(409);
  });

  test('a record that others refer to cannot be deleted', async () => {
    const { id, author: by } = await book();
    const second = await book({ author: by });
    const held = await send('DELETE', `authors/${by}`);
    expect(held).toMatchObject({
      status: 409,
      body: { type: '/problems/still-referenced', collection: 'books', count: 2, first_id: id },
    });
    await send('DELETE', `books/${id}`);
    await send('DELETE', `books/${second.id}`);
    expect((await send('DELETE', `authors/${by}`)).status).toBe(204);
  });

  test('a cascade deletes dependents before the parent, in one commit, each with its change', async () => {
    const first = await book();
    const second = await book({ follows: first.id });
    const review = (await send('POST', 'reviews', { text: 'r', book: second.id })).body;
    const { last } = (await send('GET', 'changes?after=0&limit=1000')).body;
    expect((await send('DELETE', `books/${first.id}`)).status).toBe(204);
    const { data } = (await send('GET', `changes?after=${last}`)).body;
    expect(data.map(({ type, record }) => [type, record.id])).toEqual([
      ['review.deleted', review.id],
      ['book.deleted', second.id],
      ['book.deleted', first.id],
    ]);
    expect(new Set(data.map(({ at }) => at)).size).toBe(1);
  });

  test('after a cascade an id of the contract leads to the first record that still has it', async () => {
    const part = async (label: string) => (await send('POST', 'parts', { external_id: 7, label })).body.id;
    const [first, second] = [await part('first'), await part('second')];
    await part('third');
    await send('PATCH', `parts/${first}`, { of: second });
    expect((await send('DELETE', `parts/${second}`)).status).toBe(204);
    expect(await (await fetch(`${server.url}/api/parts/7`)).json()).toEqual({ id: 7, label: 'third', of: null });
    expect((await send('GET', 'parts?external_id=7')).body.data).toHaveLength(1);
  });

  test('clear sets the field to null, with its change', async () => {
    const publisher = (await send('POST', 'publishers', { name: newIsbn() })).body.id;
    const { id } = (await send('POST', 'authors', { name: 'A', publisher })).body;
    const { last } = (await send('GET', 'changes?after=0&limit=1000')).body;
    expect((await send('DELETE', `publishers/${publisher}`)).status).toBe(204);
    expect((await send('GET', `authors/${id}`)).body).toMatchObject({ publisher: null, version: 2 });
    const { data } = (await send('GET', `changes?after=${last}`)).body;
    expect(data.map(({ type, record }) => [type, record.id])).toEqual([
      ['author.updated', id],
      ['publisher.deleted', publisher],
    ]);
  });

  test('a bulk names the lines that clash, and adds nothing', async () => {
    const { isbn: taken, author: by, id } = await book();
    const same = newIsbn();
    const line = (more: object) => JSON.stringify({ title: 'T', price: '1', author: by, ...more });
    const before = (await send('GET', 'books?count=exact&limit=1')).body.total;
    const lines = [
      line({ isbn: same }),
      '',
      line({ isbn: taken }),
      line({ isbn: newIsbn(), author: 999_999_999 }),
      line({ isbn: same }),
    ];
    const { status, body } = await send('POST', 'books', lines.join('\n'), 'application/x-ndjson');
    expect(status).toBe(409);
    expect(body.errors).toEqual([
      { pointer: '#/isbn', detail: `must be unique; record ${id} has this value`, line: 3 },
      { pointer: '#/author', detail: 'refers to record 999999999 of authors, which does not exist', line: 4 },
      {
        pointer: '#/isbn',
        detail: 'must be unique; an earlier record of the body (number 1) has this value',
        line: 5,
        earlier_record: 1,
      },
    ]);
    expect((await send('GET', 'books?count=exact&limit=1')).body.total).toBe(before);
  });

  test('references are expanded, at most two levels deep', async () => {
    const publisher = (await send('POST', 'publishers', { name: newIsbn() })).body;
    const by = (await send('POST', 'authors', { name: 'A', publisher: publisher.id })).body;
    const { id } = await book({ author: by.id });
    const one = (await send('GET', `books/${id}?expand=author.publisher,follows`)).body;
    expect(one.expanded).toEqual({ author: { ...by, expanded: { publisher } }, follows: null });
    const page = (await send('GET', `books?id=${id}&expand=author&fields=id`)).body;
    expect(page.data as unknown).toEqual([{ id, expanded: { author: by } }]);
    expect((await send('GET', `books/${id}?expand=nope`)).body.detail).toContain(
      'expected author, author.publisher, follows',
    );
    expect((await send('GET', `publishers?expand=x`)).body.detail).toContain('refers to nothing');
  });

  test('the ETag of an expanded record changes with what is expanded, and is a precondition on the record alone', async () => {
    const by = (await send('POST', 'authors', { name: 'Before' })).body.id;
    const { id } = await book({ author: by });
    const ask = async (method: string, path: string, headers: Record<string, string>, body?: string) => {
      const type = { 'Content-Type': 'application/merge-patch+json' };
      const sent = { method, headers: { ...type, ...headers }, ...(body === undefined ? {} : { body }) };
      const answer = await fetch(`${server.url}/api/v2/${path}`, sent);
      await answer.text();
      return { status: answer.status, tag: answer.headers.get('ETag') ?? '' };
    };
    const expanded = (headers = {}) => ask('GET', `books/${id}?expand=author`, headers);
    const first = await expanded();
    expect(first.tag).toMatch(/^"1-[^"]+"$/);
    expect(await expanded({ 'If-None-Match': first.tag })).toEqual({ status: 304, tag: first.tag });

    await send('PATCH', `authors/${by}`, { name: 'After' });
    const second = await expanded({ 'If-None-Match': first.tag });
    expect(second).toEqual({ status: 200, tag: expect.not.stringMatching(`^${first.tag}$`) });
    // The book is the same, though its author is not.
    const patch = (tag: string) => ask('PATCH', `books/${id}`, { 'If-Match': tag }, '{"weight":2}');
    expect(await patch(first.tag)).toEqual({ status: 200, tag: '"2"' });
    expect((await patch(second.tag)).status).toBe(412);
    const third = await expanded();
    expect(third.tag).toStartWith('"2-');
    expect((await ask('DELETE', `books/${id}`, { 'If-None-Match': third.tag })).status).toBe(412);
    expect((await ask('DELETE', `books/${id}`, { 'If-Match': `"2"` })).status).toBe(204);
  });

  describe('filters and sort', () => {
    let by: number;
    const found = async (query: string) => {
      const { status, body } = await send('GET', `books?author=${by}&fields=title&${query}`);
      return status === 200 ? body.data.map(({ title }) => title).join('') : body.detail;
    };
    beforeAll(async () => {
      by = await author();
      const rows: [string, object][] = [
        ['a', { price: '9.50', pages: 10, published_on: '2020-01-01', tags: ['x', 'y'], ratings: [1, 2] }],
        ['b', { price: '10', pages: null, in_stock: false, state: 'published', tags: ['x,y', '"'], meta: 1 }],
        [
          'c',
          { price: '100.00', pages: 9, published_on: '2019-12-31', seen_at: '2026-01-01T00:00:00Z', ratings: [12] },
        ],
      ];
      for (const [title, more] of rows) await book({ title, author: by, ...more });
    });

    test.each([
      ['price[gt]=9.5&sort=price', 'bc'],
      ['sort=-price', 'cba'],
      ['price=10.0', 'b'],
      ['sort=pages', 'cab'],
      ['sort=-pages', 'acb'],
      ['pages[is]=null', 'b'],
      ['pages[is]=set', 'ac'],
      ['pages[ne]=10', 'c'],
      ['meta[is]=set', 'b'],
      ['in_stock=false', 'b'],
      ['in_stock[ne]=false&sort=title', 'ac'],
      ['state[in]=draft,published&sort=title', 'abc'],
      ['published_on[gte]=2020-01-01', 'a'],
      ['seen_at[lt]=2026-01-01T01:00:00%2B00:30', 'c'],
      ['tags[has]=x', 'a'],
      ['tags[has]=x,y', 'b'],
      ['tags[has]=%22', 'b'],
      ['ratings[has]=2', 'a'],
      ['ratings[has]=1', 'a'],
      ['title[starts_with]=a', 'a'],
      ['state=draft&sort=-price', 'ca'],
      ['published_on[is]=null', 'b'],
    ])('%s gives %s', async (query, titles) => {
      expect(await found(query)).toBe(titles);
    });

    test('pages follow each other through equal values and nulls, in both directions', async () => {
      for (const sort of ['pages', '-pages', 'published_on,-price', '-seen_at', 'in_stock,-pages']) {
        const whole = await found(`sort=${sort}`);
        let paged = '';
        for (let cursor: string | null = ''; cursor !== null; ) {
          const { body }: Answer = await send(
            'GET',
            `books?author=${by}&limit=1&sort=${sort}${cursor === '' ? '' : `&cursor=${cursor}`}`,
          );
          paged += body.data.map(({ title }) => title).join('');
          cursor = body.next_cursor;
        }
        expect({ sort, paged }).toEqual({ sort, paged: whole });
      }
    });

    test.each([
      ['meta=1', 'expected an operator of meta (is)'],
      ['sort=meta', 'expected names out of id, title'],
      ['sort=tags', 'expected names out of'],
      ['price=1.234', 'expected a decimal number with at most 2 places'],
      ['published_on=2026-02-30', 'expected a day'],
      ['state=gone', 'expected one of draft, published'],
      ['tags=x', 'expected an operator of tags (has)'],
      ['in_stock=1', 'expected true or false'],
      ['seen_at[gte]=2026-11-15T10:00Z', 'expected a time from'],
      ['pages[is]=1', 'expected null or set'],
      ['external_id=1', 'Unknown query parameter external_id'],
    ])('%s is refused: %s', async (query, detail) => {
      expect(await found(query)).toContain(detail);
    });
  });

  test('PUT fills what is left out, and PATCH does not', async () => {
    const { id, isbn: own, author: by } = await book({ tags: ['x'], weight: 7, pages: 3, state: 'published' });
    expect((await send('PATCH', `books/${id}`, { title: 'P' })).body as object).toMatchObject({
      title: 'P',
      tags: ['x'],
      weight: 7,
      pages: 3,
      state: 'published',
    });
    const put = await send('PUT', `books/${id}`, { title: 'Q', isbn: own, price: '1', author: by });
    expect(put.body as object).toMatchObject({ title: 'Q', tags: [], weight: 0.5, pages: null, state: 'draft' });
  });

  test('the contract has no routes for it, and lists it nowhere', async () => {
    expect((await fetch(`${server.url}/api/books`)).status).toBe(404);
    expect(await (await fetch(`${server.url}/api`)).text()).not.toContain('books');
  });

  test('GET /api/v2 has the declarations', async () => {
    const { collections } = (await (await fetch(`${server.url}/api/v2`)).json()) as {
      collections: { name: string; declaration: { fields: Record<string, unknown> } }[];
    };
    expect(collections.map(({ name }) => name)).toEqual([
      'items',
      'users',
      'publishers',
      'authors',
      'books',
      'reviews',
      'parts',
    ]);
    expect(collections[4]?.declaration.fields.price).toEqual({ type: 'decimal', scale: 2, min: '0' });
  });
});

describe.each(quickEngines)('%s', (_, newUrl) => {
  const shops = declared({
    shops: {
      singular: 'shop',
      contract: true,
      first: { name: 'First' },
      fields: { name: 'text', limit: { type: 'integer', default: 1 } },
    },
    notes: {
      singular: 'note',
      contract: true,
      // FOUND is a variable of PL/pgSQL.
      fields: { found: { type: 'boolean', default: false }, more: 'json' },
    },
    sales: {
      singular: 'sale',
      fields: {
        value: { type: 'list', of: 'text', default: [] },
        shop: { type: 'reference', to: 'shops' },
        old: { type: 'reference', to: 'items', optional: true, on_delete: 'cascade' },
      },
    },
  });
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), collections: shops });
  });
  afterAll(() => server.stop());
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${server.url}/api/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    });
    return `${answer.status} ${await answer.text()}`;
  };

  test('contract: true gives the routes of the contract, with defaults and the first record', async () => {
    expect(await ask('GET', 'shops')).toBe('200 [{"id":1,"name":"First","limit":1}]');
    expect(await ask('POST', 'v1/shops', { id: 7, name: 'x' })).toBe('201 {"id":7,"name":"x","limit":1}');
    expect(await ask('GET', 'shops/7')).toBe('200 {"id":7,"name":"x","limit":1}');
    expect(await ask('POST', 'shops', { id: 8 })).toContain('400');
    expect(await ask('GET', 'v2/shops?external_id=7&fields=id')).toContain('{"id":2}');
  });

  test('names and values that are special to an engine or to JavaScript are like any other', async () => {
    expect(await ask('POST', 'v2/notes', { more: {}, external_id: 1 })).toContain('201');
    expect(await ask('PATCH', 'v2/notes/1', { found: true })).toContain('"found":true');
    expect(await ask('PATCH', 'v2/notes/1', { more: 1 })).toContain('"found":true,"more":1');
    for (const value of ['constructor', 'toString', '__proto__'])
      expect(await ask('GET', `v2/notes?found=${value}`)).toContain('400');
    // Of two members with one name the last counts, but both are kept.
    for (const text of ['{"a":"\\u0000","a":1}', '["\\ud83d\\\\ude00"]', '"\\\\\\u0000"']) {
      const body = `{"external_id":2,"more":${text}}`;
      const headers = { 'Content-Type': 'application/json' };
      expect((await fetch(`${server.url}/api/v2/notes`, { method: 'POST', body, headers })).status).toBe(400);
    }
    expect(await ask('POST', 'v2/notes', { external_id: 3, more: '\\u0000' })).toContain('201');
    expect(await ask('POST', 'notes', { id: 4, more: null })).toContain('more cannot be null');
  });

  test('a list is found by an element, also if it has the name of a column of json_each', async () => {
    await ask('POST', 'v2/sales', { shop: 1, value: ['x'] });
    expect(await ask('GET', 'v2/sales?value[has]=x&fields=value')).toContain('[{"value":["x"]}]');
    expect(await ask('GET', 'v2/sales?value[has]=y&fields=value')).toContain('"data":[]');
    const [{ id }] = JSON.parse((await ask('GET', 'v2/sales?value[has]=x')).slice(4)).data;
    expect(await ask('DELETE', `v2/sales/${id}`)).toBe('204 ');
  });

  test('a field with the name of a list parameter is filtered by its operator', async () => {
    await ask('POST', 'v2/shops', { name: 'limited', limit: 5 });
    expect(await ask('GET', 'v2/shops?limit[eq]=5&limit=1&fields=name')).toBe(
      '200 {"data":[{"name":"limited"}],"next_cursor":null}',
    );
  });

  test("the contract's DELETE is refused as well, and a cascade reaches the lists of the contract", async () => {
    await ask('POST', 'v2/shops', { name: 'held', external_id: 50 });
    const shop = JSON.parse((await ask('GET', 'v2/shops?external_id=50')).slice(4)).data[0].id;
    await ask('POST', 'v2/sales', { shop, old: 1 });
    expect(await ask('DELETE', 'shops/50')).toMatch(/^409 \{"detail":"1 record of sales refers to it by shop/);
    expect(await ask('DELETE', 'v2/items/1')).toBe('204 ');
    expect(await ask('GET', 'v2/sales')).toBe('200 {"data":[],"next_cursor":null}');
    expect(await ask('DELETE', 'shops/50')).toBe('204 ');
    expect(await ask('GET', 'shops')).not.toContain('held');
    expect(await ask('GET', 'items')).toBe('200 []');
  });
});

test.each(quickEngines)(
  '%s: a collection of 200 unique fields, to which many others refer, is created, written and read',
  async (_, newUrl) => {
    const wide = Object.fromEntries(
      Array.from({ length: maxFields }, (_, n) => [`f${n}`, { type: 'integer', unique: true, optional: true }]),
    );
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        `c${n}`,
        { fields: { a: 'text', up: { type: 'reference', to: 'wide', optional: true } } },
      ]),
    );
    const server = await startServer({
      database: await newUrl(),
      collections: declared({ wide: { fields: wide }, ...many }),
    });
    const post = async (path: string, body: object) => {
      const answer = await fetch(`${server.url}/api/v2/${path}`, { method: 'POST', body: JSON.stringify(body) });
      return { status: answer.status, body: (await answer.json()) as Body };
    };
    try {
      const record = Object.fromEntries(Object.keys(wide).map((key, n) => [key, n]));
      const made = await post('wide', record);
      expect(made.body as object).toMatchObject(record);
      const again = await post('wide', record);
      expect(again.status).toBe(409);
      expect(again.body.errors).toHaveLength(maxFields);
      expect((await post('c29', { a: 'x', up: made.body.id })).status).toBe(201);
      expect((await post('c0', { a: 'x', up: 7 })).status).toBe(409);
      const gone = await fetch(`${server.url}/api/v2/wide/${made.body.id}`, { method: 'DELETE' });
      expect(gone.status).toBe(409);
      expect((await fetch(`${server.url}/openapi.json`)).status).toBe(200);
    } finally {
      await server.stop();
    }
  },
);

test.each(quickEngines)('%s: a page of expanded records ends before it is too large', async (_, newUrl) => {
  const wide = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`n${n}`, { type: 'integer', default: 0 }]));
  const collections = declared({
    authors: { fields: { about: 'text', friend: { type: 'reference', to: 'authors', optional: true } } },
    books: { fields: { by: { type: 'reference', to: 'authors' }, ...wide } },
  });
  const server = await startServer({ database: await newUrl(), collections });
  const ask = async (path: string, body?: object) => {
    const post = { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${server.url}/api/v2/${path}`, body === undefined ? {} : post);
    return { status: answer.status, text: await answer.text() };
  };
  const pages = async (expand: string) => {
    const found: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { text } = await ask(`books?limit=1000&expand=${expand}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(text.length).toBeLessThan(6_000_000);
      const page = JSON.parse(text) as {
        data: { id: number; by: number; expanded: Body }[];
        next_cursor: string | null;
      };
      for (const { id, by, expanded } of page.data) {
        expect(expanded).toMatchObject({ by: { id: by, about: expect.stringMatching(/^x+$/) } });
        found.push(id);
      }
      cursor = page.next_cursor;
    }
    return found;
  };
  try {
    const about = 'x'.repeat(700_000);
    for (let n = 1; n <= 4; n++) await ask('authors', { about, friend: n === 1 ? null : n - 1 });
    for (let n = 0; n < 20; n++) await ask('books', { by: (n % 4) + 1 });
    const all = Array.from({ length: 20 }, (_, n) => n + 1);
    expect(await pages('by')).toEqual(all);
    expect(await pages('by.friend')).toEqual(all);
    const sort = (count: number) => ask(`books?sort=${Object.keys(wide).slice(0, count).join()}`);
    expect([(await sort(10)).status, (await sort(11)).status]).toEqual([200, 400]);
  } finally {
    await server.stop();
  }
});

test.each(quickEngines)('%s: a cascade of the most records, and of one more', async (_, newUrl) => {
  const reference = (to: string, on_delete: string) => ({ type: 'reference', to, on_delete, optional: true });
  const collections = declared({
    boxes: { fields: { n: 'integer' } },
    things: { fields: { box: reference('boxes', 'cascade'), beside: reference('things', 'clear') } },
  });
  // On a busy machine the records take longer than the usual limit.
  const server = await startServer({ database: await newUrl(), collections, storage: { timeout: 30_000 } });
  const send = (method: string, path: string, body?: string, type = 'application/json') =>
    fetch(`${server.url}/api/v2/${path}`, {
      method,
      ...(body === undefined ? {} : { body, headers: { 'Content-Type': type } }),
    });
  try {
    await send('POST', 'boxes', '{"n":1}');
    expect((await send('POST', 'things/bulk', '{"box":1}\n'.repeat(maxCascade), 'application/x-ndjson')).status).toBe(
      201,
    );
    const refused = await send('DELETE', 'boxes/1');
    expect({ status: refused.status, text: await refused.text() }).toMatchObject({
      status: 409,
      text: expect.stringContaining(String(maxCascade)),
    });
    expect((await send('DELETE', 'things/1')).status).toBe(204);
    expect((await send('DELETE', 'boxes/1')).status).toBe(204);
    expect(await (await send('GET', 'things?count=exact&limit=1')).json()).toMatchObject({ total: 0 });
  } finally {
    await server.stop();
  }
});
