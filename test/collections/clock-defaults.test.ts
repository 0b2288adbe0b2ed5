/** Defaults that stand for the moment of the change: a record has exactly that of its `created_at`, whichever way it is made. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { declared } from '../support/data/library.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';
import { everyEngine } from '../support/servers/transactions.ts';

const collections = declared({
  sights: {
    singular: 'sight',
    contract: true,
    fields: {
      name: { type: 'text', max: 50, unique: true },
      seen_at: { type: 'timestamp', default: '$now' },
      seen_on: { type: 'date', default: '$today' },
      maybe_at: { type: 'timestamp', optional: true, default: '$now' },
      text: { type: 'text', default: '$now' },
      day: { type: 'choice', of: ['$today', '$now'], default: '$today' },
      meta: { type: 'json', default: { seen_at: ['$now'], $today: '$today' } },
      tags: { type: 'list', of: 'text', default: ['$now'] },
      follows: { type: 'reference', to: 'sights', optional: true },
    },
    first: { name: 'first' },
  },
  // Without anything to check, records of a bulk are copied.
  notes: {
    singular: 'note',
    fields: { text: 'text', at: { type: 'timestamp', default: '$now' }, on: { type: 'date', default: '$today' } },
  },
});

type Sight = Readonly<Record<string, unknown>>;
type Answer = { readonly status: number; readonly text: string; readonly body: Sight; readonly headers: Headers };

describe.each(everyEngine())('%s', (engine, newUrl) => {
  let database: string;
  let server: TestServer;
  beforeAll(async () => {
    database = await newUrl();
    server = await startServer({ database, collections });
  });
  afterAll(() => server.stop());

  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, text, body: text.startsWith('{') ? JSON.parse(text) : {}, headers: answer.headers };
  }
  const get = async (id: unknown) => (await send('GET', `/api/v2/sights/${id}`)).body;
  const changes = async () =>
    ((await send('GET', '/api/v2/changes?limit=1000')).body as { data: { at: string; record: Sight }[] }).data;

  /** Of a record whose fields were left out, all but those in `others`. */
  function expectMoment(sight: Sight, moment: unknown, ...others: string[]): void {
    const expected: Sight = {
      seen_at: moment,
      seen_on: String(moment).slice(0, 10),
      maybe_at: moment,
      text: '$now',
      day: '$today',
      meta: { seen_at: ['$now'], $today: '$today' },
      tags: ['$now'],
    };
    const wanted = Object.fromEntries(Object.entries(expected).filter(([key]) => !others.includes(key)));
    expect(sight).toMatchObject(wanted);
  }

  test('the first record', async () => {
    const first = await get(1);
    expectMoment(first, first.created_at);
  });

  test('POST, in the answer, in the feed and under its address', async () => {
    const { body, status } = await send('POST', '/api/v2/sights', { name: 'post' });
    expect(status).toBe(201);
    expectMoment(body, body.created_at);
    expect(await get(body.id)).toEqual(body);
    const last = (await changes()).at(-1);
    expect(last?.record).toEqual(body);
    expect(last?.at).toBe(body.created_at as string);
    expect((await send('GET', `/api/v2/sights?seen_at=${body.created_at}&fields=id`)).text).toContain(
      `{"id":${body.id}}`,
    );
  });

  test('a value that is sent stays, and so does null', async () => {
    const record = { name: 'sent', seen_at: '2020-02-29T12:00:00Z', seen_on: '2020-02-29', maybe_at: null };
    const { body } = await send('POST', '/api/v2/sights', record);
    expect(body).toMatchObject({ ...record, seen_at: '2020-02-29T12:00:00.000Z' });
    const refused = await send('POST', '/api/v2/sights', { name: 'x', seen_at: '$now', seen_on: '$today' });
    expect(refused.body.errors).toMatchObject([{ pointer: '#/seen_at' }, { pointer: '#/seen_on' }]);
  });

  test('text that looks like an open field is text', async () => {
    const open = '[ "$now"]';
    const record = {
      name: open,
      text: `"seen_at":${open}`,
      meta: [{ seen_at: [open] }, ['$now']],
      tags: [open, '"$today"'],
    };
    const { body } = await send('POST', '/api/v2/sights', record);
    expect(body).toMatchObject(record);
    expect(await get(body.id)).toEqual(body);
    expectMoment(body, body.created_at, 'text', 'meta', 'tags');
  });

  test('the contract: POST, and the list', async () => {
    const { body, status } = await send('POST', '/api/sights', { id: -5, name: 'contract' });
    expect([status, body.id]).toEqual([201, -5]);
    const { data } = (await send('GET', '/api/v2/sights?external_id=-5')).body as { data: Sight[] };
    const { created_at, ...record } = data[0] ?? {};
    expectMoment(record, created_at);
    expectMoment(body, created_at);
    expect((await send('GET', '/api/sights/-5')).text).toBe(
      (await send('GET', '/api/sights')).text
        .split(/(?<=\}),(?=\{"id")/)
        .at(-1)
        ?.replace(/\]$/, '') ?? '',
    );
    expectMoment((await send('GET', '/api/sights/-5')).body, created_at);
  });

  test('PUT gives the moment of the change, and PATCH leaves the field alone', async () => {
    const { id } = (await send('POST', '/api/v2/sights', { name: 'put', seen_at: '2020-01-01T00:00:00Z' })).body;
    const patched = (await send('PATCH', `/api/v2/sights/${id}`, { text: 'x' })).body;
    expect(patched.seen_at).toBe('2020-01-01T00:00:00.000Z');
    const put = (await send('PUT', `/api/v2/sights/${id}`, { name: 'put again' })).body;
    expectMoment(put, put.updated_at);
    expect(await get(id)).toEqual(put);
    expect((await changes()).at(-1)?.record).toEqual(put);
  });

  test('a retry with the same key gets the first moment', async () => {
    const key = { 'Idempotency-Key': 'once' };
    const first = await send('POST', '/api/v2/sights', { name: 'once' }, key);
    const again = await send('POST', '/api/v2/sights', { name: 'once' }, key);
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([201, 'true']);
    expect(again.text).toBe(first.text);
    expectMoment(again.body, again.body.created_at);
  });

  describe('a bulk: all of its records have one moment', () => {
    async function added(type: string, body: string, path = 'sights') {
      const { body: bulked, text } = await send('POST', `/api/v2/${path}/bulk`, body, { 'Content-Type': type });
      expect(text).toContain('"created":');
      const { data } = (await send('GET', `/api/v2/${path}?id[gte]=${bulked.first_id}&limit=1000`)).body as {
        data: Sight[];
      };
      expect(data).toHaveLength(Number(bulked.created));
      expect(new Set(data.map(({ created_at }) => created_at)).size).toBe(1);
      const recorded = (await changes()).slice(-data.length).map(({ record }) => record);
      expect(recorded).toEqual(data);
      return data;
    }

    test('NDJSON', async () => {
      for (const sight of await added('application/x-ndjson', '{"name":"n1"}\n{"name":"n2","seen_on":"2020-01-01"}'))
        expectMoment(sight, sight.created_at, ...(sight.name === 'n2' ? ['seen_on'] : []));
    });

    test('CSV without the columns', async () => {
      for (const sight of await added('text/csv', 'name\nc1\nc2\n')) expectMoment(sight, sight.created_at);
    });

    test('CSV with empty cells: null where the field is optional', async () => {
      const [sight] = await added('text/csv', 'name,seen_at,seen_on,maybe_at\nc3,,,\n');
      expectMoment(sight ?? {}, sight?.created_at, 'maybe_at');
      expect(sight?.maybe_at).toBeNull();
    });

    test('copied to PostgreSQL', async () => {
      for (const note of await added('application/x-ndjson', '{"text":"[ \\"$now\\"]"}\n{"text":"b"}', 'notes')) {
        expect(note).toMatchObject({ at: note.created_at, on: String(note.created_at).slice(0, 10) });
        expect(['[ "$now"]', 'b']).toContain(note.text as string);
      }
    });
  });

  test('a transaction: create, replace and upsert', async () => {
    const { id } = (await send('POST', '/api/v2/sights', { name: 'before', seen_at: '2020-01-01T00:00:00Z' })).body;
    const operations = [
      { op: 'create', collection: 'sights', as: 'a', record: { name: 'created' } },
      { op: 'create', collection: 'sights', record: { name: 'referring', follows: { created: 'a' } } },
      { op: 'replace', collection: 'sights', id, record: { name: 'replaced', follows: { created: 'a' } } },
      { op: 'upsert', collection: 'sights', key: { name: 'upserted' }, record: {} },
      { op: 'upsert', collection: 'sights', key: { name: 'upserted' }, record: { text: 'x' } },
      { op: 'update', collection: 'sights', where: { name: 'post' }, record: { text: 'y' } },
    ];
    const { body, text } = await send('POST', '/api/v2/transactions', { operations, return: 'records' });
    const results = (body.results as Sight[]) ?? text;
    const moment = results[0]?.created_at;
    expect(moment).toBeString();
    for (const sight of results.slice(0, 3)) expectMoment(sight, moment);
    for (const sight of results.slice(3, 5)) expectMoment(sight, moment, 'text');
    expect(results[2]).toMatchObject({ id, updated_at: moment });
    for (const sight of results.slice(0, 3)) expect(await get(sight.id)).toEqual(sight);
    const [updated] = ((await send('GET', '/api/v2/sights?name=post')).body as { data: Sight[] }).data;
    expect(updated).toMatchObject({ text: 'y', seen_at: updated?.created_at });
    expect(updated?.updated_at).toBe(moment as string);
  });

  if (engine !== 'memory')
    test('memory has what the database has', async () => {
      const before = await Promise.all(
        ['/api/v2/sights?limit=1000', '/api/sights', '/api/v2/notes', '/api/v2/changes?limit=1000'].map(
          async (path) => (await send('GET', path)).text,
        ),
      );
      await server.stop();
      server = await startServer({ database, collections });
      const after = await Promise.all(
        ['/api/v2/sights?limit=1000', '/api/sights', '/api/v2/notes', '/api/v2/changes?limit=1000'].map(
          async (path) => (await send('GET', path)).text,
        ),
      );
      expect(after).toEqual(before);
    });
});
