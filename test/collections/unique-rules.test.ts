/** Rules over several fields, and for some records only: every write keeps them, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { declared } from '../support/data/library.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';
import { everyEngine } from '../support/servers/transactions.ts';

const reference = (to: string, more: object = {}) => ({ type: 'reference', to, optional: true, ...more });

const file = {
  books: { singular: 'book', fields: { title: { type: 'text', max: 50 } } },
  members: { singular: 'member', fields: { name: { type: 'text', max: 50 } } },
  cards: { singular: 'card', fields: { member: reference('members', { unique: true }), code: 'text' } },
  copies: {
    singular: 'copy',
    fields: {
      book: reference('books'),
      number: { type: 'integer', optional: true },
      note: { type: 'text', max: 20, optional: true },
    },
    unique: [['book', 'number']],
  },
  loans: {
    singular: 'loan',
    fields: {
      book: reference('books'),
      member: reference('members'),
      due_on: { type: 'date', default: '2026-12-01' },
      returned_on: { type: 'date', optional: true },
    },
    unique: [
      { fields: ['book'], where: { returned_on: { is: 'null' } } },
      {
        fields: ['book', 'member'],
        where: { due_on: { gte: '2027-01-01' }, not: { returned_on: { gt: '2027-01-01' } } },
      },
    ],
  },
  desks: {
    singular: 'desk',
    fields: {
      room: { type: 'text', max: 20 },
      member: reference('members', { on_delete: 'clear' }),
      owner: reference('members', { on_delete: 'cascade' }),
    },
    unique: [{ fields: ['room'], where: { member: { is: 'null' } } }],
  },
};

const open = '{"returned_on":{"is":"null"}}';

type Json = { readonly id: number; readonly [member: string]: unknown };
type Answer = { readonly status: number; readonly body: Json };

describe.each(everyEngine())('%s', (_, newUrl) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), collections: declared(file) });
  });
  afterAll(() => server.stop());

  async function send(method: string, path: string, body?: unknown, type = 'application/json'): Promise<Answer> {
    const answer = await fetch(`${server.url}/api/v2/${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body), headers: { 'Content-Type': type } }),
    });
    const text = await answer.text();
    return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Json };
  }
  const create = async (path: string, record: object) => {
    const { status, body } = await send('POST', path, record);
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.id;
  };
  const book = () => create('books', { title: 'Ficciones' });
  const member = () => create('members', { name: 'Ada' });
  const transact = (...operations: object[]) => send('POST', 'transactions', { operations });
  const rows = (...records: object[]) => records.map((one) => JSON.stringify(one)).join('\n');
  const bulk = (path: string, ...records: object[]) =>
    send('POST', `${path}/bulk`, rows(...records), 'application/x-ndjson');
  const everything = async () => {
    const names = [...Object.keys(file), 'changes'];
    const texts = names.map(async (name) => (await fetch(`${server.url}/api/v2/${name}?limit=1000`)).text());
    return (await Promise.all(texts)).join('\n');
  };
  const together = (other: string, id: number) =>
    `must be unique together with ${other}; record ${id} has these values`;

  test('two records cannot have the same values in all fields of a rule', async () => {
    const [one, other] = [await book(), await book()];
    const id = await create('copies', { book: one, number: 1 });
    expect(await send('POST', 'copies', { book: one, number: 1, note: 'x' })).toEqual({
      status: 409,
      body: {
        type: '/problems/already-exists',
        title: 'Another record has this value',
        status: 409,
        detail: `book and number must be unique together, and record ${id} has these values.`,
        instance: '/api/v2/copies',
        id,
        errors: [
          { pointer: '#/book', detail: together('number', id) },
          { pointer: '#/number', detail: together('book', id) },
        ],
      } as unknown as Json,
    });
    await create('copies', { book: one, number: 2 });
    await create('copies', { book: other, number: 1 });
    // Null is not unique.
    for (const record of [{ book: one }, { book: one }, { number: 1 }, { number: 1 }, {}, {}])
      await create('copies', record);
  });

  test('an update keeps a rule, whichever of its fields it changes', async () => {
    const one = await book();
    const [first, second, third] = [
      await create('copies', { book: one, number: 1 }),
      await create('copies', { book: one, number: 2 }),
      await create('copies', { number: 1 }),
    ];
    for (const [id, record] of [
      [second, { number: 1 }],
      [third, { book: one }],
      [third, { book: one, note: 'x' }],
    ] as const)
      expect(await send('PATCH', `copies/${id}`, record)).toMatchObject({ status: 409, body: { id: first } });
    expect(await send('PUT', `copies/${third}`, { book: one, number: 2 })).toMatchObject({
      status: 409,
      body: { id: second },
    });
    // The record itself is not in the way, and neither is another field.
    expect((await send('PATCH', `copies/${first}`, { number: 1, book: one })).status).toBe(200);
    expect((await send('PATCH', `copies/${first}`, { note: 'x' })).status).toBe(200);
    expect((await send('PATCH', `copies/${first}`, { number: null })).status).toBe(200);
    expect((await send('PATCH', `copies/${third}`, { book: one })).status).toBe(200);
  });

  test('a rule with a condition is for records that meet it, and says so', async () => {
    const [one, someone] = [await book(), await member()];
    const id = await create('loans', { book: one, member: someone });
    const refused = await send('POST', 'loans', { book: one });
    expect(refused).toMatchObject({
      status: 409,
      body: {
        detail: `book must be unique where ${open}, and record ${id} has this value.`,
        id,
        errors: [{ pointer: '#/book', detail: `must be unique where ${open}; record ${id} has this value` }],
      },
    });
    const returned = await create('loans', { book: one, returned_on: '2026-01-01' });
    await create('loans', { book: one, returned_on: '2026-01-01' });
    // Only a field of the condition changes.
    expect(await send('PATCH', `loans/${returned}`, { returned_on: null })).toMatchObject({
      status: 409,
      body: { id },
    });
    expect((await send('PATCH', `loans/${id}`, { returned_on: '2026-02-01' })).status).toBe(200);
    expect((await send('PATCH', `loans/${returned}`, { returned_on: null })).status).toBe(200);
    expect(await send('PATCH', `loans/${id}`, { returned_on: null, due_on: '2026-01-01' })).toMatchObject({
      status: 409,
      body: { id: returned },
    });
  });

  test('several rules are judged together, each with its fields', async () => {
    const [one, someone] = [await book(), await member()];
    const id = await create('loans', { book: one, member: someone, due_on: '2027-02-01' });
    const { body } = await send('POST', 'loans', { book: one, member: someone, due_on: '2027-03-01' });
    expect((body.errors as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual([
      '#/book',
      '#/book',
      '#/member',
    ]);
    expect(body.id).toBe(id);
    expect((await send('PATCH', `loans/${id}`, { returned_on: '2027-01-02' })).status).toBe(200);
    await create('loans', { book: one, member: someone, due_on: '2027-03-01', returned_on: '2027-01-01' });
    expect(await send('PATCH', `loans/${id}`, { returned_on: '2027-01-01' })).toMatchObject({ status: 409 });
  });

  test('a reference can be unique', async () => {
    const [one, other] = [await member(), await member()];
    const id = await create('cards', { member: one, code: 'a' });
    expect(await send('POST', 'cards', { member: one, code: 'b' })).toMatchObject({
      status: 409,
      body: { id, errors: [{ pointer: '#/member', detail: `must be unique; record ${id} has this value` }] },
    });
    await create('cards', { member: other, code: 'b' });
    await create('cards', { code: 'c' });
    await create('cards', { code: 'd' });
  });

  test('of one bulk, an earlier record is named by its number, and nothing is added', async () => {
    const one = await book();
    const id = await create('loans', { book: one });
    const other = await book();
    const before = await everything();
    const refused = await bulk(
      'loans',
      { book: other },
      { book: one, returned_on: '2026-01-01' },
      { book: one },
      { book: other },
    );
    const message = (holder: string) => `must be unique where ${open}; ${holder} has this value`;
    expect(refused).toMatchObject({
      status: 409,
      body: { id, detail: expect.stringMatching(/^Nothing was added\. Line 3: book must/) },
    });
    expect(refused.body.errors).toEqual([
      { pointer: '#/book', detail: message(`record ${id}`), line: 3 },
      { pointer: '#/book', detail: message('an earlier record of the body (number 1)'), line: 4, earlier_record: 1 },
    ]);
    expect(await everything()).toBe(before);

    const csv = await send('POST', 'copies', `book,number\r\n${other},1\r\n${other},2\r\n${other},1\r\n`, 'text/csv');
    expect(csv.body.errors).toEqual(
      ['book', 'number'].map((field, at) => ({
        pointer: `#/${field}`,
        detail: `must be unique together with ${['number', 'book'][at]}; an earlier record of the body (number 1) has these values`,
        line: 4,
        earlier_record: 1,
      })),
    );
    expect(await everything()).toBe(before);
    expect((await bulk('copies', { book: other, number: 1 }, { book: other, number: 2 }, { book: other })).status).toBe(
      201,
    );
  });

  test('each operation of a transaction sees those before it', async () => {
    const one = await book();
    const id = await create('loans', { book: one });
    const lend = { op: 'create', collection: 'loans', record: { book: one } };
    const giveBack = { op: 'update', collection: 'loans', id, record: { returned_on: '2026-01-01' } };
    const before = await everything();
    expect(await transact(lend, giveBack)).toMatchObject({
      status: 409,
      body: { id, operation: 0, errors: [{ pointer: '#/operations/0/record/book' }] },
    });
    expect(await everything()).toBe(before);
    expect((await transact(giveBack, lend)).status).toBe(200);
    const copy = { op: 'create', collection: 'copies', as: 'a', record: { book: one, number: 1 } };
    expect(await transact(copy, { ...copy, as: 'b' })).toMatchObject({
      status: 409,
      body: {
        operation: 1,
        errors: [{ pointer: '#/operations/1/record/book' }, { pointer: '#/operations/1/record/number' }],
      },
    });
    const add = { op: 'add', collection: 'copies', id: { created: 'b' }, record: { number: -1 } };
    const copies = [copy, { ...copy, as: 'b', record: { book: one, number: 2 } }];
    expect(await transact(...copies, add)).toMatchObject({ status: 409, body: { operation: 2 } });
    expect((await transact(...copies, { ...add, record: { number: 1 } })).status).toBe(200);
    const all = { op: 'update', collection: 'copies', where: { book: one }, record: { number: 9 } };
    expect(await transact(all)).toMatchObject({ status: 409, body: { operation: 0 } });
  });

  test('a deletion that clears a reference keeps a rule, or changes nothing', async () => {
    const [one, other, third] = [await member(), await member(), await member()];
    const free = await create('desks', { room: 'A' });
    const inB = await create('desks', { room: 'B', member: one });
    const inA = await create('desks', { room: 'A', member: one });
    await create('desks', { room: 'C', member: one, owner: other });
    await create('desks', { room: 'D', owner: one });
    const before = await everything();
    const because = `Deleting this record would set member of record ${inA} of desks to null: room must be unique where {"member":{"is":"null"}}, and record ${free} has this value.`;
    expect(await send('DELETE', `members/${one}`)).toMatchObject({
      status: 409,
      body: { type: '/problems/already-exists', detail: because, collection: 'desks', id: free },
    });
    expect(await everything()).toBe(before);
    expect(
      await transact(
        { op: 'delete', collection: 'members', id: third },
        { op: 'delete', collection: 'members', id: one },
      ),
    ).toMatchObject({ status: 409, body: { operation: 1, detail: `Operation 1: ${because}`, collection: 'desks' } });
    expect(await everything()).toBe(before);
    // What is in the way is gone with the transaction.
    const made = { op: 'create', collection: 'desks', record: { room: 'B' } };
    const { body } = await transact(made, { op: 'delete', collection: 'members', id: one });
    expect(body).toMatchObject({
      operation: 1,
      collection: 'desks',
      detail: expect.stringContaining('and the record of operation 0 has this value'),
    });
    expect(body).not.toHaveProperty('id');
    expect(await everything()).toBe(before);
    expect((await send('DELETE', `desks/${free}`)).status).toBe(204);
    expect((await send('DELETE', `members/${one}`)).status).toBe(204);
    expect((await send('GET', `desks/${inB}`)).body).toMatchObject({ member: null, version: 2 });
    // Two that are cleared together are in the way of each other.
    for (const owner of [null, null]) await create('desks', { room: 'E', member: other, owner });
    expect(await send('DELETE', `members/${other}`)).toMatchObject({ status: 409, body: { collection: 'desks' } });
  });

  test('an upsert finds its record by the fields of a rule', async () => {
    const one = await book();
    const upsert = (collection: string, key: object, record: object) =>
      transact({ op: 'upsert', collection, key, record });
    const first = await upsert('copies', { number: 1, book: one }, { note: 'a' });
    expect(first).toMatchObject({ status: 200, body: { results: [{ version: 1 }] } });
    const [{ id } = { id: 0 }] = first.body.results as Json[];
    expect((await upsert('copies', { book: one, number: 1 }, { note: 'b' })).body.results).toEqual([
      { id, version: 2 },
    ]);
    expect((await send('GET', `copies/${id}`)).body).toMatchObject({ book: one, number: 1, note: 'b' });
    const returned = await create('loans', { book: one, returned_on: '2026-01-01' });
    const made = await upsert('loans', { book: one }, { due_on: '2026-05-01' });
    const [loan = { id: 0 }] = made.body.results as Json[];
    expect(loan).toMatchObject({ version: 1 });
    expect(loan.id).not.toBe(returned);
    expect((await upsert('loans', { book: one }, { returned_on: '2026-06-01' })).body.results).toEqual([
      { id: loan.id, version: 2 },
    ]);
    expect((await upsert('loans', { book: one }, {})).body.results).toMatchObject([{ version: 1 }]);
    expect(await upsert('copies', { book: one }, {})).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            pointer: '#/operations/0/key',
            detail: 'must have the fields of one unique rule of copies: book and number',
          },
        ],
      },
    });
  });
});
