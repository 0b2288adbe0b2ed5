/** Summaries of many records: their bounds, one moment for each answer, and turns. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { bounds } from '../../src/domain/summary/bounds.ts';
import { maxRows } from '../../src/domain/summary/summary.ts';
import { declared } from '../support/data/library.ts';
import { quickEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const counters = Array.from({ length: 10 }, (_, at) => `n${at}`);
const collections = declared({
  numbers: {
    singular: 'number',
    fields: Object.fromEntries(counters.map((name) => [name, { type: 'integer' }])),
  },
  texts: { singular: 'text', fields: { text: { type: 'text', max: 1_000_000 }, kind: 'integer' } },
});
const many = bounds.groups + 1;

describe.each(quickEngines)('%s', (_, newUrl) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), collections });
    const lines = Array.from(
      { length: many },
      (_, at) => `{${counters.map((name, index) => `"${name}":${index === 1 ? at % (maxRows + 1) : at}`).join()}}`,
    );
    await add('numbers', lines);
  });
  afterAll(() => server.stop());

  async function add(name: string, lines: readonly string[]): Promise<void> {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const answer = await fetch(`${server.url}/api/v2/${name}/bulk`, {
      method: 'POST',
      headers,
      body: lines.join('\n'),
    });
    expect(answer.status).toBe(201);
  }

  async function ask(name: string, search: string) {
    const answer = await fetch(`${server.url}/api/v2/${name}/summary?${search}`);
    const body = (await answer.json()) as { detail?: string; data?: Record<string, number>[]; groups?: number };
    return { status: answer.status, ...body };
  }
  const refused = (detail: string) => ({ status: 400, detail });

  test('without a limit, more rows than an answer has are 400 with their number', async () => {
    expect(await ask('numbers', 'group=n1')).toMatchObject(
      refused(
        'The summary has 10001 groups, and without a limit at most 10000: send limit=10000 or less, or narrow where or having.',
      ),
    );
    const cut = await ask('numbers', 'group=n1&limit=10000&sort=-n1');
    expect([cut.data?.length, cut.groups, cut.data?.at(-1)]).toEqual([10_000, 10_001, { n1: 1, count: 10 }]);
    const having = encodeURIComponent('{"count":{"gt":9}}');
    expect((await ask('numbers', `group=n1&having=${having}`)).groups).toBe(many - 9 * 10_001);
  });

  test('there are at most so many groups and different values', async () => {
    const highest = await ask('numbers', `group=n0&limit=2&sort=-n0&n0[lt]=${bounds.groups}`);
    expect([highest.data?.map(({ n0 }) => n0), highest.groups]).toEqual([[99_999, 99_998], bounds.groups]);
    expect(await ask('numbers', 'group=n0&limit=2')).toMatchObject(
      refused('The summary has more than 100000 groups: narrow where, or group by less.'),
    );
    // n1 has few values.
    const all = ['id', ...counters.filter((name) => name !== 'n1')].map((name) => `${name}.distinct`);
    expect((await ask('numbers', `measures=n1.distinct,${all.slice(1)}`)).data?.[0]).toMatchObject({
      'n1.distinct': 10_001,
      'n0.distinct': many,
    });
    expect(await ask('numbers', `measures=${all}`)).toMatchObject(
      refused('The summary has more than 1000000 values in its distinct measures: narrow where, or group by less.'),
    );
  });

  test('the texts of groups, and of the least and the greatest values, have so many bytes', async () => {
    const size = 999_999;
    const fit = Math.floor(bounds.bytes / size);
    // Two bytes each.
    await add(
      'texts',
      Array.from({ length: fit }, (_, at) => `{"kind":${at},"text":"${'é'.repeat((size - 1) / 2)}${at % 10}"}`),
    );
    const tooLarge = refused('The summary has more than 16777216 bytes of text: narrow where, or group by less.');
    for (const search of ['group=text,kind', 'group=kind&measures=text.max', 'measures=text.distinct,count'])
      expect((await ask('texts', `${search}&limit=1`)).status).toBe(200);
    await add('texts', [`{"kind":-1,"text":"${'x'.repeat(size)}"}`]);
    for (const search of ['group=text,kind', 'group=kind&measures=text.max'])
      expect(await ask('texts', `${search}&limit=1`)).toMatchObject(tooLarge);
    expect((await ask('texts', 'measures=text.distinct')).data).toEqual([{ 'text.distinct': 11 }]);
  });

  test('an answer is of one moment', async () => {
    let isDone = false;
    /** Moves one from the first record to the last one, and back. */
    async function move(): Promise<number> {
      for (let moves = 0; ; moves++) {
        if (isDone) return moves;
        const amount = moves % 2 === 0 ? 1 : -1;
        const operations = [
          { op: 'add', collection: 'numbers', id: 1, record: { n0: amount } },
          { op: 'add', collection: 'numbers', id: many, record: { n0: -amount } },
        ];
        const answer = await fetch(`${server.url}/api/v2/transactions`, {
          method: 'POST',
          body: JSON.stringify({ operations }),
        });
        expect(answer.status).toBe(200);
      }
    }
    const moving = move();
    const sums = new Set<number | undefined>();
    for (let count = 0; count < 10; count++)
      sums.add((await ask('numbers', `measures=n0.sum&n0[gte]=0`)).data?.[0]?.['n0.sum']);
    isDone = true;
    expect(await moving).toBeGreaterThan(0);
    expect([...sums]).toEqual([((many - 1) * many) / 2]);
  });
});
