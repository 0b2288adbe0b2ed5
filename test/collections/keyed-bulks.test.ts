/** Bulks with a key: they update the records that exist and create the others, on every engine. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { maxChanges } from '../../src/domain/store/operation.ts';
import { declared } from '../support/data/library.ts';
import { sharedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';
import { everyEngine } from '../support/servers/transactions.ts';

const bookFields = {
  isbn: { type: 'text', max: 13, unique: true, optional: true },
  title: { type: 'text', max: 50 },
  price: { type: 'decimal', scale: 2, default: '9.99' },
  stock: { type: 'integer', optional: true },
  shelf: { type: 'text', max: 5, unique: true, optional: true },
  added_at: { type: 'timestamp', default: '$now' },
  sequel_of: { type: 'reference', to: 'books', optional: true },
};
const file = {
  books: { singular: 'book', fields: bookFields },
  // They refer to no records of their own: PostgreSQL can store them together.
  papers: { singular: 'paper', fields: bookFields },
  copies: {
    singular: 'copy',
    fields: {
      book: { type: 'reference', to: 'books' },
      number: 'integer',
      note: { type: 'text', max: 20, optional: true },
      returned_on: { type: 'date', optional: true },
    },
    unique: [['book', 'number'], { fields: ['book', 'note'], where: { returned_on: { is: 'null' } } }],
  },
  loans: {
    singular: 'loan',
    fields: {
      book: { type: 'reference', to: 'books' },
      returned_on: { type: 'date', optional: true },
      days: { type: 'integer', default: 14 },
    },
    unique: [{ fields: ['book'], where: { returned_on: { is: 'null' } } }],
  },
  chapters: {
    singular: 'chapter',
    fields: { name: { type: 'text', max: 20 }, pages: 'integer', ended_on: { type: 'date', optional: true } },
    unique: [
      { fields: ['name'], where: { ended_on: { is: 'null' } } },
      { fields: ['name'], where: { pages: { gt: 5 } } },
    ],
  },
  notes: { singular: 'note', fields: { text: 'text' } },
  orders: {
    singular: 'order',
    fields: {
      number: { type: 'text', max: 9, unique: true },
      book: { type: 'reference', to: 'books', default: 4_000_000_000 },
    },
  },
};

type Json = Readonly<Record<string, unknown>>;
type Answer = { readonly status: number; readonly body: Json; readonly headers: Headers };

const ndjson = 'application/x-ndjson';
const lines = (...records: readonly object[]) => records.map((one) => JSON.stringify(one)).join('\n');

describe.each(everyEngine())('%s', (_, newUrl) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), collections: declared(file) });
  });
  afterAll(() => server.stop());

  async function send(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
    const answer = await fetch(`${server.url}/api/v2/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: (text === '' ? {} : JSON.parse(text)) as Json };
  }
  const bulk = (path: string, body: string, headers: Record<string, string> = {}): Promise<Answer> =>
    send('POST', path, body, { 'Content-Type': ndjson, ...headers });
  const result = async (path: string, body: string, headers?: Record<string, string>) => {
    const { status, body: answer } = await bulk(path, body, headers);
    return { status, answer };
  };
  const rows = async (path: string) => (await send('GET', path)).body.data as readonly Json[];
  const book = async (isbn: string, name = 'books') => (await rows(`${name}?isbn=${isbn}`))[0];
  const everything = async () =>
    JSON.stringify(
      await Promise.all([...Object.keys(file), 'changes'].map((name) => send('GET', `${name}?limit=1000`))),
      ['status', 'body', 'data', 'last', 'id', 'version'],
    );
  const lastChange = async () => Number((await send('GET', 'changes?limit=1000')).body.last);

  const price = (isbn: string, more: object) => ({ isbn, ...more });
  let first = 0;
  let firstPaper = 0;
  beforeEach(async () => {
    for (const name of ['orders', 'loans', 'copies', 'papers', 'books', 'chapters'])
      for (const { id } of await rows(`${name}?limit=1000&sort=-id`)) await send('DELETE', `${name}/${id}`);
    const some = lines(
      { isbn: 'a', title: 'A', stock: 1, shelf: 's1' },
      { isbn: 'b', title: 'B', price: '5' },
      { title: 'N' },
    );
    first = Number((await bulk('books/bulk', some)).body.first_id);
    firstPaper = Number((await bulk('papers/bulk', some)).body.first_id);
  });

  test.each(['books', 'papers'])(
    'records of %s that exist are updated as by PATCH, and others created as by POST',
    async (name) => {
      const singular = name.slice(0, -1);
      const holder = name === 'books' ? first : firstPaper;
      const before = await lastChange();
      const { status, answer } = await result(
        `${name}/bulk?key=isbn`,
        lines(
          price('b', { price: '6.5', stock: null }),
          price('c', { title: 'C' }),
          price('a', { price: '7' }),
          price('d', { title: 'D', stock: 4 }),
        ),
      );
      const { first_id: id } = answer;
      expect({ status, answer }).toEqual({
        status: 201,
        answer: { created: 2, updated: 2, first_id: id, last_id: Number(id) + 1 },
      });
      const common = { id: holder, isbn: 'a', title: 'A', price: '7.00', stock: 1, shelf: 's1', version: 2 };
      expect(await book('a', name)).toMatchObject(common);
      expect(await book('b', name)).toMatchObject({
        id: holder + 1,
        title: 'B',
        price: '6.50',
        stock: null,
        version: 2,
      });
      const made = await book('c', name);
      expect(made).toMatchObject({ id, title: 'C', price: '9.99', stock: null, shelf: null, version: 1 });
      expect(made?.added_at).toBe(made?.created_at as string);
      expect(await book('d', name)).toMatchObject({ id: Number(id) + 1, title: 'D', stock: 4, version: 1 });
      const changes = (await send('GET', `changes?after=${before}`)).body.data as readonly Json[];
      expect(changes.map(({ type, record, before: was }) => [type, (record as Json).isbn, was])).toEqual([
        [`${singular}.updated`, 'b', { price: '5.00', version: 1, updated_at: expect.any(String) }],
        [`${singular}.created`, 'c', undefined],
        [`${singular}.updated`, 'a', { price: '9.99', version: 1, updated_at: expect.any(String) }],
        [`${singular}.created`, 'd', undefined],
      ]);
      expect(new Set(changes.map(({ at }) => at)).size).toBe(1);
    },
  );

  test('without a record to create there are no ids, and an update that changes nothing is one, as with PATCH', async () => {
    expect(await result('books/bulk?key=isbn', lines({ isbn: 'a' }, price('b', { price: '5' })))).toEqual({
      status: 201,
      answer: { created: 0, updated: 2, first_id: null, last_id: null },
    });
    expect(await book('a')).toMatchObject({ version: 2, title: 'A' });
  });

  test.each(['books', 'papers'])('each record sees those before it: %s', async (name) => {
    const body = lines(
      price('x', { title: 'X', stock: 1 }),
      price('x', { stock: 2 }),
      // It leaves its place to another one.
      price('a', { shelf: 's2' }),
      price('y', { title: 'Y', shelf: 's1' }),
      price('x', { price: '1' }),
    );
    expect((await result(`${name}/bulk?key=isbn`, body)).answer).toMatchObject({ created: 2, updated: 3 });
    expect(await book('x', name)).toMatchObject({ title: 'X', stock: 2, price: '1.00', version: 3 });
    expect(await book('y', name)).toMatchObject({ shelf: 's1', version: 1 });
  });

  test('CSV: only the columns that are there are updated, and an empty cell of a field that is not optional is not sent', async () => {
    const csv = 'stock,isbn,price,title\n7,a,,\n,b,8,\n3,c,,C\n';
    expect((await result('books?key=isbn', csv, { 'Content-Type': 'text/csv' })).answer).toMatchObject({
      created: 1,
      updated: 2,
    });
    expect(await book('a')).toMatchObject({ title: 'A', price: '9.99', stock: 7, shelf: 's1' });
    expect(await book('b')).toMatchObject({ title: 'B', price: '8.00', stock: null });
    expect(await book('c')).toMatchObject({ title: 'C', price: '9.99', stock: 3 });
  });

  test('a key can have several fields, in any order', async () => {
    const [a, b] = [first, first + 1];
    await bulk('copies/bulk', lines({ book: a, number: 1 }, { book: a, number: 2 }, { book: b, number: 1 }));
    const body = lines({ number: 2, book: a, note: 'torn' }, { book: b, number: 2 });
    expect((await result('copies/bulk?key=number,book', body)).answer).toMatchObject({ created: 1, updated: 1 });
    expect(await rows('copies?fields=book,number,note&sort=id')).toEqual([
      { book: a, number: 1, note: null },
      { book: a, number: 2, note: 'torn' },
      { book: b, number: 1, note: null },
      { book: b, number: 2, note: null },
    ]);
  });

  test('the key of a partial rule finds the records that the rule is for', async () => {
    const body = (days: number, returned_on: string | null) => lines({ book: first, days, returned_on });
    expect((await result('loans/bulk?key=book', body(1, null))).answer).toMatchObject({ created: 1, updated: 0 });
    expect((await result('loans/bulk?key=book', body(2, '2026-01-01'))).answer).toMatchObject({ updated: 1 });
    expect((await result('loans/bulk?key=book', body(3, null))).answer).toMatchObject({ created: 1, updated: 0 });
    expect(await rows('loans?fields=days&sort=id')).toEqual([{ days: 2 }, { days: 3 }]);
  });

  test.each([
    ['books', 'title', 'must have the fields of one unique rule of books: isbn; shelf'],
    ['books', 'isbn,title', 'must have the fields of one unique rule of books: isbn; shelf'],
    ['books', '', 'must have the fields of one unique rule of books: isbn; shelf'],
    ['copies', 'book', 'must have the fields of one unique rule of copies: book and number; book and note'],
    ['notes', 'text', 'cannot be: notes has no unique rule'],
    ['chapters', 'name', 'can mean several rules of chapters, which differ in "where" alone'],
  ])('%s?key=%s is refused', async (name, key, reason) => {
    expect(await result(`${name}/bulk?key=${key}`, '{}')).toMatchObject({
      status: 400,
      answer: { type: '/problems/invalid-query', detail: `The query parameter key ${reason}.` },
    });
  });

  test('every mistake in the body is told at once, with its line', async () => {
    const before = await everything();
    const needed = 'is in the key, so every record needs it';
    const isNull = 'cannot be null: null is not unique';
    const body = ['{"stock":"x"}', '', '{"isbn":null,"price":"x"}', '{"isbn":"a","color":1}'].join('\n');
    expect(await result('books/bulk?key=isbn', body)).toMatchObject({
      status: 400,
      answer: {
        type: '/problems/invalid-body',
        errors: [
          { pointer: '#/isbn', detail: needed, line: 1 },
          { pointer: '#/stock', line: 1 },
          { pointer: '#/isbn', detail: isNull, line: 3 },
          { pointer: '#/price', line: 3 },
          { pointer: '#/color', line: 4 },
        ],
      },
    });
    const csv = { 'Content-Type': 'text/csv' };
    expect((await result('books/bulk?key=isbn', 'title\nx\n', csv)).answer).toMatchObject({
      errors: [{ pointer: '#/isbn', detail: `${needed}, and there is no such column`, line: 1 }],
    });
    expect((await result('books/bulk?key=isbn', 'isbn,stock\n,x\n', csv)).answer).toMatchObject({
      errors: [
        { pointer: '#/isbn', detail: isNull, line: 2 },
        { pointer: '#/stock', line: 2 },
      ],
    });
    expect(await everything()).toBe(before);
  });

  test.each(['books', 'papers'])('a record that would be created needs its required fields: %s', async (name) => {
    const before = await everything();
    const detail = 'is required, because no record has this isbn: it would be created';
    const body = lines(price('a', { price: '1' }), price('new', { price: '1' }), price('other', { title: 'O' }), {
      isbn: 'third',
    });
    const expected = {
      status: 400,
      answer: {
        type: '/problems/invalid-body',
        detail: `Nothing was changed. Line 2: title ${detail}.`,
        errors: [
          { pointer: '#/title', detail, line: 2 },
          { pointer: '#/title', detail, line: 4 },
        ],
      },
    };
    expect(await result(`${name}/bulk?key=isbn`, body)).toMatchObject(expected);
    expect(await result(`${name}/bulk?key=isbn&dry_run=true`, body)).toMatchObject(expected);
    const csv = 'isbn,price\na,1\nnew,1\n';
    expect((await result(`${name}/bulk?key=isbn`, csv, { 'Content-Type': 'text/csv' })).answer).toMatchObject({
      errors: [{ pointer: '#/title', detail, line: 3 }],
    });
    expect(await everything()).toBe(before);
  });

  test.each(['books', 'papers'])(
    'other rules and references are kept, with the line of each record that breaks one: %s',
    async (name) => {
      const holder = name === 'books' ? first : firstPaper;
      const before = await everything();
      const body = lines(
        price('c', { title: 'C', shelf: 's9' }),
        price('b', { shelf: 's1' }),
        price('d', { title: 'D', shelf: 's9' }),
        price('a', { sequel_of: 4e9 }),
      );
      expect(await result(`${name}/bulk?key=isbn`, body)).toMatchObject({
        status: 409,
        answer: {
          type: '/problems/already-exists',
          id: holder,
          errors: [
            { pointer: '#/shelf', detail: `must be unique; record ${holder} has this value`, line: 2 },
            { pointer: '#/shelf', line: 3, earlier_record: 1 },
            { pointer: '#/sequel_of', detail: 'refers to record 4000000000 of books, which does not exist', line: 4 },
          ],
        },
      });
      expect(await everything()).toBe(before);
      // An update may take the value of an earlier one.
      const moved = lines(price('a', { shelf: null }), price('b', { shelf: 's1' }));
      expect((await result(`${name}/bulk?key=isbn`, moved)).answer).toMatchObject({ updated: 2 });
    },
  );

  test.each(['books', 'papers'])('what one record alone breaks is found, in their order: %s', async (name) => {
    const before = await everything();
    const path = `${name}/bulk?key=isbn`;
    const holder = name === 'books' ? first : firstPaper;
    const taken = { status: 409, answer: { id: holder, errors: [{ pointer: '#/shelf', line: 1 }] } };
    // The second record would leave the place, but comes later.
    const late = lines(price('y', { title: 'Y', shelf: 's1' }), price('a', { shelf: null }));
    expect(await result(path, late)).toMatchObject(taken);
    expect(await result(path, lines(price('y', { title: 'Y', shelf: 's1' }), { isbn: 'b' }))).toMatchObject(taken);
    for (const record of [price('a', { sequel_of: 4e9 }), price('y', { title: 'Y', sequel_of: 4e9 })])
      expect(await result(path, lines({ isbn: 'b' }, record))).toMatchObject({
        status: 409,
        answer: { type: '/problems/reference-missing', errors: [{ pointer: '#/sequel_of', line: 2 }] },
      });
    expect(await everything()).toBe(before);
    const twice = lines(price('a', { price: '1' }), price('a', { price: '2' }), { isbn: 'b' });
    expect((await result(path, twice)).answer).toMatchObject({ created: 0, updated: 3 });
    expect(await book('a', name)).toMatchObject({ price: '2.00', version: 3 });
  });

  test('a reference that a new record has by default must lead to a record', async () => {
    expect((await result('orders/bulk?key=number', lines({ number: '1', book: first }))).status).toBe(201);
    const body = lines({ number: '1' }, { number: '2' });
    expect(await result('orders/bulk?key=number', body)).toMatchObject({
      status: 409,
      answer: { type: '/problems/reference-missing', errors: [{ pointer: '#/book', line: 2 }] },
    });
    expect((await result('orders/bulk?key=number', lines({ number: '1' }))).answer).toMatchObject({ updated: 1 });
  });

  test('a dry run says both numbers, and changes nothing', async () => {
    const before = await everything();
    const body = lines(price('a', { price: '1' }), price('c', { title: 'C' }), price('c', { stock: 1 }));
    expect(await result('books/bulk?key=isbn&dry_run=true', body)).toEqual({
      status: 200,
      answer: { dry_run: true, valid: 3, created: 1, updated: 2 },
    });
    expect(await everything()).toBe(before);
  });

  test('an Idempotency-Key is for the body and the key', async () => {
    const [body, headers] = [
      lines(price('a', { stock: 5 }), price('c', { title: 'C' })),
      { 'Idempotency-Key': 'prices' },
    ];
    const once = await bulk('books/bulk?key=isbn', body, headers);
    await send('PATCH', `books/${first}`, '{"stock":6}', { 'Content-Type': 'application/json' });
    const twice = await bulk('books/bulk?key=isbn', body, headers);
    expect({ status: twice.status, body: twice.body }).toEqual({ status: once.status, body: once.body });
    expect(twice.headers.get('Idempotent-Replayed')).toBe('true');
    expect(await book('a')).toMatchObject({ stock: 6 });
    // Each of these bodies is right for the bulk with another key, and for one without.
    const whole = lines({ isbn: 'g', title: 'G', shelf: 's7' });
    const other = { 'Idempotency-Key': 'others' };
    expect((await result('books/bulk?key=isbn', whole, other)).status).toBe(201);
    for (const path of ['books/bulk', 'books/bulk?key=shelf'])
      expect((await result(path, whole, other)).status).toBe(422);
    expect((await result('books?key=isbn', whole, other)).status).toBe(201);
  });

  test('a batch of an import is in once for each key, and says both numbers', async () => {
    const key = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'.replace('e', String(_.length));
    const batches = (...sizes: number[]) =>
      JSON.stringify(sizes.map((records, at) => ({ key: `${at}${key.slice(1)}`, records })));
    const records = [
      price('a', { stock: 8 }),
      price('e', { title: 'E' }),
      price('f', { title: 'F' }),
      price('b', { stock: 9 }),
    ];
    const body = `${lines(...records)}\n${batches(2, 0, 2)}`;
    const { answer } = await result('books/bulk?key=isbn&import=once', body);
    const [one, none, other] = answer.batches as readonly { readonly first_id: number }[];
    const id = one?.first_id ?? 0;
    expect(answer).toMatchObject({ created: 2, updated: 2 });
    expect([one, none, other] as unknown[]).toEqual([
      { created: 1, updated: 1, first_id: id, last_id: id },
      { created: 0, updated: 0, first_id: null, last_id: null },
      { created: 1, updated: 1, first_id: id + 1, last_id: id + 1 },
    ]);
    const again = (await result('books/bulk?key=isbn&import=once', body)).answer;
    expect(again).toMatchObject({ created: 0, updated: 0 });
    expect((again.batches as readonly unknown[])[0]).toEqual({ ...one, earlier: { at: expect.any(String) } });
    expect((await result('books/bulk?key=isbn&import=again', body)).answer).toMatchObject({ created: 0, updated: 4 });
  });

  test('a record that is in the way is named by its place among many', async () => {
    const count = 4000;
    const body = Array.from({ length: count }, (_, at) => price(`m${at}`, { title: 'M'.repeat(50) }));
    body[count - 2] = price('x', { title: 'X', shelf: 's9' });
    body[count - 1] = price('y', { title: 'Y', shelf: 's9' });
    expect(await result('papers/bulk?key=isbn', lines(...body))).toMatchObject({
      status: 409,
      answer: { errors: [{ pointer: '#/shelf', line: count, earlier_record: count - 1 }] },
    });
  });

  test('a bulk of many records, which are seen at once', async () => {
    // SQLite reads its table again.
    const count = maxChanges + 2;
    const some = (from: number, more: object) =>
      lines(...Array.from({ length: count }, (_, at) => ({ isbn: `m${from + at}`, ...more })));
    expect((await result('papers/bulk?key=isbn', some(0, { title: 'M' }))).answer).toMatchObject({
      created: count,
      updated: 0,
    });
    expect(await book(`m${count - 1}`, 'papers')).toMatchObject({ title: 'M', version: 1 });
    const half = count / 2;
    expect((await result('papers/bulk?key=isbn', some(half, { title: 'L', stock: 3 }))).answer).toMatchObject({
      created: half,
      updated: half,
    });
    expect(await book(`m${half - 1}`, 'papers')).toMatchObject({ title: 'M', version: 1 });
    expect(await book(`m${half}`, 'papers')).toMatchObject({ title: 'L', stock: 3, version: 2 });
    expect(await book(`m${half + count - 1}`, 'papers')).toMatchObject({ title: 'L', stock: 3, version: 1 });
    const { body } = await send('GET', 'papers?stock=3&count=exact&limit=1');
    expect(body.total).toBe(count);
    for (const name of ['m0', `m${half}`, `m${half + count - 1}`]) {
      const { id, version } = (await book(name, 'papers')) ?? {};
      expect((await send('GET', `papers/${id}`)).headers.get('ETag')).toBe(`"${version}"`);
    }
  }, 60_000);
});

// Servers with the file from before a removal go on, and no index holds the rule.
test.each(sharedEngines)(
  '%s: a key that several records have since another server removed its rule',
  async (_, newUrl) => {
    const database = await newUrl();
    const seats = (unique: readonly string[][]) =>
      startServer({
        database,
        collections: declared({
          seats: {
            singular: 'seat',
            fields: { row: 'integer', place: 'integer', note: { type: 'text', default: '' } },
            unique,
          },
        }),
      });
    const sent = async (server: TestServer, path: string, body: string) => {
      const headers = { 'Content-Type': ndjson };
      const answer = await fetch(`${server.url}/api/v2/seats/${path}`, { method: 'POST', headers, body });
      return { status: answer.status, body: (await answer.json()) as Json };
    };
    const one = { row: 1, place: 1 };
    const first = await seats([['row', 'place']]);
    expect((await sent(first, 'bulk', lines(one))).status).toBe(201);
    const second = await seats([]);
    expect((await sent(second, 'bulk', lines(one))).status).toBe(201);
    expect(await sent(first, 'bulk?key=row,place', lines({ ...one, note: 'x' }))).toMatchObject({
      status: 409,
      body: { type: '/problems/already-exists', errors: [{ pointer: '#/row' }, { pointer: '#/place' }] },
    });
    await Promise.all([first.stop(), second.stop()]);
  },
);
