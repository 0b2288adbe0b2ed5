/** Rules that each record meets by itself: every write keeps them, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { declared } from '../support/data/library.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';
import { everyEngine } from '../support/servers/transactions.ts';

const late = 'is before the day of lending';
const noMember = 'must be there while the loan is open';

const file = {
  members: { singular: 'member', fields: { name: { type: 'text', max: 50 } } },
  loans: {
    singular: 'loan',
    fields: {
      member: { type: 'reference', to: 'members', optional: true, on_delete: 'clear' },
      lent_on: { type: 'date', default: '$today' },
      due_on: 'date',
      returned_on: { type: 'date', optional: true },
      renewals: { type: 'integer', default: 0 },
      fee: { type: 'decimal', scale: 2, default: '0' },
    },
    check: [
      { where: { due_on: { gte: { field: 'lent_on' } } }, message: late },
      { where: { any: [{ returned_on: { is: 'set' } }, { member: { is: 'set' } }] }, message: noMember },
      { where: { any: [{ renewals: { lte: 3 } }, { fee: { gt: '0' } }] }, message: 'is too much without a fee' },
      { where: { lent_on: { gte: '1900-01-01' } }, message: 'is too long ago' },
    ],
  },
  cards: {
    singular: 'card',
    fields: { owner: { type: 'reference', to: 'members' } },
    check: [{ where: { owner: { ne: 1 } }, message: 'needs none' }],
  },
  notes: {
    singular: 'note',
    contract: true,
    fields: { text: { type: 'text', max: 20 }, tags: { type: 'list', of: 'text', default: [] } },
    check: [{ where: { text: { contains_ci: 'ß' }, not: { tags: { has: 'x' } } }, message: 'is no note' }],
  },
  rooms: {
    singular: 'room',
    fields: {
      code: { type: 'text', max: 9, optional: true, unique: true },
      seats: { type: 'integer', optional: true },
    },
    check: [{ where: { seats: { gt: 0 } }, message: 'must be more than 0' }],
  },
  stays: {
    singular: 'stay',
    fields: {
      room: { type: 'text', max: 9, unique: true },
      arrives_on: { type: 'date', default: '2026-11-10' },
      leaves_on: 'date',
    },
    check: [{ where: { leaves_on: { gt: { field: 'arrives_on' } } }, message: 'is not after the arrival' }],
  },
};

type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> & { readonly id: number } };

describe.each(everyEngine())('%s', (_, newUrl) => {
  let server: TestServer;
  let member: number;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), collections: declared(file) });
    member = await create('members', { name: 'Ada' });
  });
  afterAll(() => server.stop());

  async function send(method: string, path: string, body?: unknown, type = 'application/json'): Promise<Answer> {
    const answer = await fetch(`${server.url}/api/${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body), headers: { 'Content-Type': type } }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
  }
  async function create(path: string, record: object): Promise<number> {
    const { status, body } = await send('POST', `v2/${path}`, record);
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.id;
  }
  const loan = (more: object = {}) => create('loans', { member, lent_on: '2026-11-01', due_on: '2026-11-20', ...more });
  const transact = (...operations: object[]) => send('POST', 'v2/transactions', { operations });
  const everything = async () => {
    const names = [...Object.keys(file), 'changes'];
    const texts = names.map(async (name) => (await fetch(`${server.url}/api/v2/${name}?limit=1000`)).text());
    return (await Promise.all(texts)).join('\n');
  };
  const problem = (more: object) => ({
    type: '/problems/invalid-body',
    title: 'Invalid body',
    status: 400,
    ...more,
  });
  const at = (fields: readonly string[], detail: string, before = '#/') =>
    fields.map((field) => ({ pointer: `${before}${field}`, detail }));
  const dates = ['due_on', 'lent_on'];
  const lateText = `Invalid loan: due_on ${late}; lent_on ${late}.`;

  test('a new record meets every rule, or names each field of those that it breaks', async () => {
    const before = await everything();
    const instance = '/api/v2/loans';
    expect(await send('POST', 'v2/loans', { member, lent_on: '2026-11-02', due_on: '2026-11-01' })).toEqual({
      status: 400,
      body: problem({ detail: lateText, instance, errors: at(dates, late) }),
    } as unknown as Answer);
    // Beside other mistakes, but not where a field is wrong already.
    const wrong = { member, lent_on: '2026-11-02', due_on: '2026-11-01', renewals: 'x', fee: '0' };
    expect((await send('POST', 'v2/loans', wrong)).body.errors).toEqual([
      { pointer: '#/renewals', detail: expect.stringContaining('must be an integer') },
      ...at(dates, late),
    ]);
    const both = await send('POST', 'v2/loans', { lent_on: '2026-11-02', due_on: '2026-11-01' });
    expect(both.body.errors).toEqual([...at(dates, late), ...at(['returned_on', 'member'], noMember)]);
    expect(await everything()).toBe(before);
    await loan({ due_on: '2026-11-01' });
  });

  test('a comparison with null is not true: the rule does not hold', async () => {
    for (const seats of [{}, { seats: null }, { seats: 0 }])
      expect(await send('POST', 'v2/rooms', seats)).toMatchObject({
        status: 400,
        body: { errors: at(['seats'], 'must be more than 0') },
      });
    const id = await create('rooms', { seats: 1 });
    expect(await send('PATCH', `v2/rooms/${id}`, { seats: null })).toMatchObject({ status: 400 });
  });

  test('a default that is the moment of the change is judged by that moment', async () => {
    const answer = await send('POST', 'v2/loans', { member, due_on: '2000-01-01' });
    expect(answer).toEqual({
      status: 400,
      body: problem({ detail: lateText, instance: '/api/v2/loans', errors: at(dates, late) }),
    } as unknown as Answer);
    await create('loans', { member, due_on: '9999-01-01' });
    const rows = [
      { member, due_on: '9999-01-01' },
      { member, due_on: '2000-01-01' },
    ];
    const bulk = await send(
      'POST',
      'v2/loans/bulk',
      rows.map((one) => JSON.stringify(one)).join('\n'),
      'application/x-ndjson',
    );
    expect(bulk).toMatchObject({
      status: 400,
      body: { errors: at(dates, late).map((one) => ({ ...one, line: 2 })) },
    });
  });

  test('an update is judged with the rest of the record', async () => {
    const id = await loan();
    const before = await everything();
    const instance = `/api/v2/loans/${id}`;
    expect(await send('PATCH', `v2/loans/${id}`, { due_on: '2026-10-01' })).toEqual({
      status: 400,
      body: problem({ detail: lateText, instance, errors: at(dates, late) }),
    } as unknown as Answer);
    expect(await send('PATCH', `v2/loans/${id}`, { member: null, renewals: 4 })).toMatchObject({
      status: 400,
      body: {
        errors: [...at(['returned_on', 'member'], noMember), ...at(['renewals', 'fee'], 'is too much without a fee')],
      },
    });
    expect(await send('PUT', `v2/loans/${id}`, { member, lent_on: '2026-11-02', due_on: '2026-11-01' })).toMatchObject({
      status: 400,
      body: { detail: lateText },
    });
    expect(await everything()).toBe(before);
    expect(await send('PATCH', `v2/loans/${id}`, { member: null, returned_on: '2026-11-05' })).toMatchObject({
      status: 200,
    });
  });

  test('other records matter only to one that is right by itself', async () => {
    await create('rooms', { code: 'A', seats: 1 });
    const id = await create('rooms', { code: 'B', seats: 1 });
    expect(await send('PATCH', `v2/rooms/${id}`, { code: 'A', seats: 0 })).toMatchObject({
      status: 400,
      body: { errors: at(['seats'], 'must be more than 0') },
    });
    expect(await send('PATCH', `v2/rooms/${id}`, { code: 'A' })).toMatchObject({ status: 409 });
  });

  test('clients see the rules as they are declared', async () => {
    const { collections } = (await send('GET', 'v2')).body as unknown as {
      collections: { name: string; declaration: { check?: unknown } }[];
    };
    expect(collections.find(({ name }) => name === 'loans')?.declaration.check).toEqual(file.loans.check);
  });

  test('the routes of the contract keep the rules', async () => {
    expect(await send('POST', 'notes', { id: 1, text: 'x' })).toMatchObject({ status: 400 });
    expect((await send('POST', 'notes', { id: 1, text: 'STRAẞE', tags: ['x'] })).status).toBe(400);
    expect((await send('POST', 'notes', { id: 1, text: 'STRAẞE', tags: ['y'] })).status).toBe(201);
    const { id } = (await send('POST', 'v2/notes', { text: 'aß' })).body;
    expect(await send('PATCH', `v2/notes/${id}`, { tags: ['a', 'x'] })).toMatchObject({
      status: 400,
      body: { errors: at(['text', 'tags'], 'is no note') },
    });
    expect((await send('PATCH', `v2/notes/${id}`, { text: 'ẞ' })).status).toBe(200);
  });

  test('a bulk names the lines', async () => {
    const right = { member, lent_on: '2026-11-01', due_on: '2026-11-20' };
    const before = await everything();
    const lines = [right, { ...right, due_on: '2026-10-01' }, right, { ...right, renewals: 9 }];
    const answer = await send(
      'POST',
      'v2/loans/bulk',
      lines.map((one) => JSON.stringify(one)).join('\n'),
      'application/x-ndjson',
    );
    const errors = [
      ...at(dates, late).map((one) => ({ ...one, line: 2 })),
      ...at(['renewals', 'fee'], 'is too much without a fee').map((one) => ({ ...one, line: 4 })),
    ];
    expect(answer).toMatchObject({ status: 400, body: { errors } });
    const csv = `member,lent_on,due_on,renewals\n${lines.map((one) => `${member},${one.lent_on},${one.due_on},${'renewals' in one ? 9 : 0}`).join('\n')}\n`;
    const fromCsv = await send('POST', 'v2/loans/bulk', csv, 'text/csv');
    expect(fromCsv).toMatchObject({
      status: 400,
      body: { errors: errors.map((one) => ({ ...one, line: one.line + 1 })) },
    });
    expect(await everything()).toBe(before);
  });

  test('a bulk names the lines with all their mistakes', async () => {
    const before = await everything();
    const few = at(['seats'], 'must be more than 0').map((one) => ({ ...one, line: 2 }));
    const json = '{"seats":1}\n{"seats":0,"code":7}\n{"seats":2}';
    const answer = await send('POST', 'v2/rooms/bulk', json, 'application/x-ndjson');
    expect(answer.body.errors).toEqual([{ pointer: '#/code', detail: 'must be a string', line: 2 }, ...few]);
    const csv = await send('POST', 'v2/rooms/bulk', 'seats,code\n0,toolongforit\n1,a\n', 'text/csv');
    expect(csv.body.errors).toEqual([
      { pointer: '#/code', detail: expect.stringContaining('at most 9'), line: 2 },
      ...few,
    ]);
    // A column that is not there is null.
    const none = await send('POST', 'v2/rooms/bulk', 'code\na\n', 'text/csv');
    expect(none).toMatchObject({ status: 400, body: { errors: few } });
    expect(await everything()).toBe(before);
  });

  test('a bulk with a key judges each record with its stored fields, and those of earlier lines', async () => {
    await create('stays', { room: 'a', arrives_on: '2026-11-20', leaves_on: '2026-11-25' });
    const keyed = (lines: readonly object[]) =>
      send(
        'POST',
        'v2/stays/bulk?key=room',
        lines.map((one) => JSON.stringify(one)).join('\n'),
        'application/x-ndjson',
      );
    const right = [
      { room: 'a', leaves_on: '2026-11-24' },
      { room: 'b', leaves_on: '2026-11-11' },
    ];
    expect(await keyed(right)).toMatchObject({ status: 201, body: { created: 1, updated: 1 } });
    const before = await everything();
    const wrong = (line: number) =>
      at(['leaves_on', 'arrives_on'], 'is not after the arrival').map((one) => ({ ...one, line }));
    // By what is stored; by a default; by what is sent.
    expect(
      (
        await keyed([
          { room: 'c', leaves_on: '2026-11-12' },
          { room: 'a', leaves_on: '2026-11-19' },
        ])
      ).body,
    ).toMatchObject({
      status: 400,
      errors: wrong(2),
    });
    expect(
      (
        await keyed([
          { room: 'c', leaves_on: '2026-11-10' },
          { room: 'a', leaves_on: '2026-11-23' },
        ])
      ).body,
    ).toMatchObject({
      status: 400,
      errors: wrong(1),
    });
    expect((await keyed([{ room: 'b', arrives_on: '2026-11-12', leaves_on: '2026-11-12' }])).body.errors).toEqual(
      wrong(1),
    );
    const twice = [
      { room: 'b', arrives_on: '2026-12-01', leaves_on: '2026-12-02' },
      { room: 'b', leaves_on: '2026-11-30' },
    ];
    expect((await keyed(twice)).body.errors).toEqual(wrong(2));
    const csv = await send(
      'POST',
      'v2/stays/bulk?key=room',
      'room,leaves_on\na,2026-11-24\nd,2026-11-01\n',
      'text/csv',
    );
    expect(csv.body.errors).toEqual(wrong(3));
    expect(await everything()).toBe(before);
  });

  test('a transaction names the operation, and every mistake that needs no stored record at once', async () => {
    const id = await loan();
    const before = await everything();
    const wrong = {
      op: 'create',
      collection: 'loans',
      record: { member, lent_on: '2026-11-02', due_on: '2026-11-01' },
    };
    const replaced = {
      op: 'replace',
      collection: 'loans',
      id,
      record: { member, lent_on: '2026-11-02', due_on: '2026-11-01' },
    };
    expect(
      await transact(wrong, { op: 'update', collection: 'loans', id, record: { due_on: '2000-01-01' } }, replaced),
    ).toMatchObject({
      status: 400,
      body: { errors: [...at(dates, late, '#/operations/0/record/'), ...at(dates, late, '#/operations/2/record/')] },
    });
    const update = (record: object) => ({ op: 'update', collection: 'loans', id, record });
    expect(await transact(update({ due_on: '2026-11-30' }), update({ due_on: '2000-01-01' }))).toEqual({
      status: 400,
      body: problem({
        detail: `Operation 1: ${lateText}`,
        instance: '/api/v2/transactions',
        operation: 1,
        errors: at(dates, late, '#/operations/1/record/'),
      }),
    } as unknown as Answer);
    const add = { op: 'add', collection: 'loans', id, record: { renewals: 4 } };
    expect(await transact(add)).toMatchObject({
      status: 400,
      body: { operation: 0, errors: at(['renewals', 'fee'], 'is too much without a fee', '#/operations/0/record/') },
    });
    expect(await everything()).toBe(before);
    expect(await transact({ ...add, record: { renewals: 4, fee: '0.01' } })).toMatchObject({ status: 200 });
    expect(await transact({ op: 'update', collection: 'loans', where: { id }, record: { fee: '0' } })).toMatchObject({
      status: 400,
      body: { operation: 0 },
    });
  });

  test('an upsert is judged by the record that it makes', async () => {
    const code = 'U';
    const upsert = (record: object) => transact({ op: 'upsert', collection: 'rooms', key: { code }, record });
    expect(await upsert({})).toMatchObject({
      status: 400,
      body: { operation: 0, errors: at(['seats'], 'must be more than 0', '#/operations/0/record/') },
    });
    expect((await upsert({ seats: 2 })).status).toBe(200);
    // The record that is there has seats.
    expect((await upsert({})).status).toBe(200);
    expect(await upsert({ seats: 0 })).toMatchObject({
      status: 400,
      body: { errors: at(['seats'], 'must be more than 0', '#/operations/0/record/') },
    });
  });

  test('a reference to a record of the same transaction is known when that is created', async () => {
    const card = (owner: unknown) => ({ op: 'create', collection: 'cards', record: { owner } });
    const another = { op: 'create', collection: 'members', as: 'ada', record: { name: 'Ada' } };
    expect(await transact(another, card({ created: 'ada' }))).toMatchObject({ status: 200 });
    expect(await transact(another, card(1))).toMatchObject({
      status: 400,
      body: { errors: at(['owner'], 'needs none', '#/operations/1/record/') },
    });
  });

  test('a deletion that clears a reference and breaks a rule is refused as a whole', async () => {
    const one = await create('members', { name: 'Bob' });
    const closed = await loan({ member: one, returned_on: '2026-11-02' });
    const id = await loan({ member: one });
    const before = await everything();
    const because = `Deleting this record would set member of record ${id} of loans to null: returned_on ${noMember}; member ${noMember}.`;
    expect(await send('DELETE', `v2/members/${one}`)).toEqual({
      status: 409,
      body: {
        type: '/problems/still-referenced',
        title: 'Other records refer to this one',
        status: 409,
        detail: because,
        instance: `/api/v2/members/${one}`,
        collection: 'loans',
        first_id: id,
      } as unknown as Answer['body'],
    });
    expect(await transact({ op: 'delete', collection: 'members', id: one })).toMatchObject({
      status: 409,
      body: { detail: `Operation 0: ${because}`, operation: 0, collection: 'loans', first_id: id },
    });
    expect(await everything()).toBe(before);
    expect(await send('PATCH', `v2/loans/${id}`, { returned_on: '2026-11-03' })).toMatchObject({ status: 200 });
    expect((await send('DELETE', `v2/members/${one}`)).status).toBe(204);
    expect((await send('GET', `v2/loans/${closed}`)).body).toMatchObject({ member: null });
  });
});
