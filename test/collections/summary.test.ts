/** Summaries: groups, exact measures, mistakes, and one answer on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { declared } from '../support/data/library.ts';
import { quickEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const collections = declared({
  sellers: { singular: 'seller', fields: { name: 'text', country: { type: 'text', optional: true } } },
  sales: {
    singular: 'sale',
    fields: {
      name: { type: 'text', optional: true },
      count: { type: 'integer', optional: true },
      amount: { type: 'decimal', scale: 2, optional: true },
      weight: { type: 'number', optional: true },
      state: { type: 'choice', of: ['new', 'done'], default: 'new' },
      is_paid: { type: 'boolean', default: false },
      day: { type: 'date', optional: true },
      at: { type: 'timestamp', optional: true },
      tags: { type: 'list', of: 'text', default: [] },
      seller: { type: 'reference', to: 'sellers', optional: true },
    },
    indexes: ['state'],
  },
  empties: { singular: 'empty', fields: { amount: { type: 'decimal', scale: 2 }, weight: 'number', count: 'integer' } },
});

type Answer = { readonly status: number; readonly text: string; readonly headers: Headers };
type Problem = { readonly detail: string; readonly errors: readonly { parameter: string; pointer: string }[] };

describe.each(quickEngines)('%s', (_, newUrl) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), collections });
  });
  afterAll(() => server.stop());

  /** Replaces all records of a collection. */
  async function fill(name: string, lines: readonly string[]): Promise<void> {
    const body = JSON.stringify({ operations: [{ op: 'delete', collection: name, where: {} }] });
    const empty = () => fetch(`${server.url}/api/v2/transactions`, { method: 'POST', body });
    let emptied = await empty();
    // The time to find the records is bounded, and a busy machine may exceed it: nothing is changed then.
    while (emptied.status === 409) emptied = await empty();
    expect(emptied.status).toBe(200);
    const added = await fetch(`${server.url}/api/v2/${name}/bulk`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: lines.join('\n'),
    });
    expect(await added.text()).toContain(`"created":${lines.length},`);
  }

  async function ask(
    name: string,
    parameters: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const search = new URLSearchParams(parameters);
    const answer = await fetch(`${server.url}/api/v2/${name}/summary?${search}`, {
      headers: { 'Accept-Encoding': 'identity', ...headers },
    });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  }
  const rows = async (parameters: Readonly<Record<string, string>>) => (await ask('sales', parameters)).text;

  test('without groups there is one row, also for an empty collection', async () => {
    const all = 'count,amount.sum,amount.avg,amount.min,amount.max,amount.distinct,weight.sum,count.sum,id.max';
    expect((await ask('empties', { measures: all })).text).toBe(
      '{"data":[{"count":0,"amount.sum":null,"amount.avg":null,"amount.min":null,"amount.max":null,"amount.distinct":0,"weight.sum":null,"count.sum":null,"id.max":null}],"groups":1}',
    );
    expect((await ask('empties', {})).text).toBe('{"data":[{"count":0}],"groups":1}');
    expect((await ask('empties', { group: 'weight' })).text).toBe('{"data":[],"groups":0}');
  });

  test('null is a group, the last one, and is not counted otherwise', async () => {
    await fill('sales', [
      '{"state":"new","amount":"1.50","seller":null}',
      '{"state":"done","count":3}',
      '{"state":"new","amount":"-0.25","is_paid":true}',
      '{}',
    ]);
    expect(await rows({ group: 'amount', measures: 'count,count.sum' })).toBe(
      '{"data":[{"amount":"-0.25","count":1,"count.sum":null},{"amount":"1.50","count":1,"count.sum":null},{"amount":null,"count":2,"count.sum":3}],"groups":3}',
    );
    expect(await rows({ group: 'amount', sort: '-amount', measures: 'amount.distinct' })).toBe(
      '{"data":[{"amount":"1.50","amount.distinct":1},{"amount":"-0.25","amount.distinct":1},{"amount":null,"amount.distinct":0}],"groups":3}',
    );
    expect(await rows({ group: 'is_paid,state,seller', measures: 'amount.avg' })).toBe(
      '{"data":[{"is_paid":false,"state":"done","seller":null,"amount.avg":null},{"is_paid":false,"state":"new","seller":null,"amount.avg":"1.500000000"},{"is_paid":true,"state":"new","seller":null,"amount.avg":"-0.250000000"}],"groups":3}',
    );
  });

  test('days and moments have parts, in UTC, with weeks from Monday', async () => {
    const days: readonly (readonly [day: string, week: string, quarter: string])[] = [
      ['0001-01-01', '0001-W01', '0001-Q1'],
      ['0099-12-31', '0099-W53', '0099-Q4'],
      ['1944-02-29', '1944-W09', '1944-Q1'],
      ['2020-12-31', '2020-W53', '2020-Q4'],
      ['2021-01-03', '2020-W53', '2021-Q1'],
      ['2021-01-04', '2021-W01', '2021-Q1'],
      ['2024-12-30', '2025-W01', '2024-Q4'],
      ['2026-06-30', '2026-W27', '2026-Q2'],
      ['2026-07-01', '2026-W27', '2026-Q3'],
      ['9999-12-31', '9999-W52', '9999-Q4'],
    ];
    const row = (field: string, [day, week, quarter]: (typeof days)[number], hour = '') =>
      `{"${field}.year":${Number(day.slice(0, 4))},"${field}.quarter":"${quarter}","${field}.month":"${day.slice(0, 7)}","${field}.${hour === '' ? 'day' : 'hour'}":"${day}${hour}","${field}.week.":"${week}"}`;
    const expected = (field: string, hour?: string) =>
      days.map((one) => row(field, one, hour).replace('.week."', '.week"'));
    await fill(
      'sales',
      // In another zone, most of these moments are on another day.
      days.flatMap(([day]) => [`{"day":"${day}"}`, `{"at":"${day}T23:59:59.999Z"}`]),
    );
    const found = async (field: string, part: string) => {
      const names = ['year', 'quarter', 'month', part].map((one) => `${field}.${one}`);
      const where = `{"${field}":{"is":"set"}}`;
      // Four groups at most: the week is a measure of nothing, so it is asked for on its own.
      const { data } = JSON.parse(await rows({ group: names.join(), where })) as { data: Record<string, unknown>[] };
      const weeks = JSON.parse(await rows({ group: `${field},${field}.week`, where })) as { data: object[] };
      return data.map(({ count: _, ...one }, at) => {
        const { [`${field}.week`]: week } = weeks.data[at] as Record<string, unknown>;
        return JSON.stringify({ ...one, [`${field}.week`]: week });
      });
    };
    expect(await found('day', 'day')).toEqual(expected('day'));
    expect(await found('at', 'hour')).toEqual(expected('at', 'T23'));
    expect(await found('at', 'day')).toEqual(expected('at'));
    expect(await rows({ group: 'day.week,day.day', measures: 'count', limit: '1', sort: '-day.week' })).toContain(
      '"day.week":"9999-W52"',
    );
  });

  test('sums and averages are exact', async () => {
    const [big, small] = ['9223372036854775807', '-9223372036854775808'];
    await fill('sales', [
      ...Array.from({ length: 5 }, () => `{"state":"done","count":${big},"amount":"92233720368547758.07"}`),
      `{"count":${small},"amount":"0.01"}`,
      `{"count":${small},"amount":"0.02"}`,
      `{"count":1,"amount":"0.02"}`,
    ]);
    expect(
      await rows({ group: 'state', measures: 'count.sum,count.avg,amount.sum,amount.avg,count.min,count.max' }),
    ).toBe(
      '{"data":[{"state":"done","count.sum":46116860184273879035,"count.avg":"9223372036854775807.0000000","amount.sum":"461168601842738790.35","amount.avg":"92233720368547758.070000000","count.min":9223372036854775807,"count.max":9223372036854775807},{"state":"new","count.sum":-18446744073709551615,"count.avg":"-6148914691236517205.0000000","amount.sum":"0.05","amount.avg":"0.016666667","count.min":-9223372036854775808,"count.max":1}],"groups":2}',
    );
    const having = '{"count.sum":{"gt":46116860184273879034},"amount.sum":{"lte":"461168601842738790.35"}}';
    expect(await rows({ group: 'state', measures: 'count.sum,amount.sum', having })).toContain('"groups":1');
  });

  test('averages are rounded half to even', async () => {
    // An eighth of a cent has three places too many, and 2^-9 nine of them.
    const sums = ['1', '3', '-1', '-3', '5'];
    await fill(
      'sales',
      sums.flatMap((sum, at) => [
        `{"count":${sum},"name":"${at}"}`,
        ...Array.from({ length: 255 }, () => `{"count":0,"name":"${at}"}`),
      ]),
    );
    const { data } = JSON.parse(await rows({ group: 'name', measures: 'count.avg' })) as {
      data: Record<string, string>[];
    };
    // 1/256 is 0.00390625, and 3/256 is 0.01171875: the eighth place is a 5 in each.
    expect(data.map((one) => one['count.avg'])).toEqual([
      '0.0039062',
      '0.0117188',
      '-0.0039062',
      '-0.0117188',
      '0.0195312',
    ]);
  });

  test('sums of doubles are the nearest to the exact sum, in any order', async () => {
    const values = [1e100, 1, 1e-300, -1e100, 0.1, 0.2, 5e-324, 1e16, -1e16];
    const both = { group: 'state', measures: 'weight.sum,weight.avg' };
    const shown = '"weight.sum":1.3,"weight.avg":0.14444444444444446';
    await fill('sales', [
      ...values.map((weight) => `{"weight":${weight}}`),
      ...values.toReversed().map((weight) => `{"weight":${weight},"state":"done"}`),
      '{"weight":null}',
    ]);
    expect(await rows(both)).toBe(`{"data":[{"state":"done",${shown}},{"state":"new",${shown}}],"groups":2}`);
    await fill('sales', ['{"weight":-0}', '{"weight":0}', '{"weight":-0}']);
    expect(await rows({ group: 'weight', measures: 'count,weight.sum,weight.min,weight.max,weight.distinct' })).toBe(
      '{"data":[{"weight":0,"count":3,"weight.sum":0,"weight.min":0,"weight.max":0,"weight.distinct":1}],"groups":1}',
    );
    const highest = String(Number.MAX_VALUE);
    await fill('sales', [`{"weight":${highest}}`, `{"weight":${highest}}`, '{"weight":-5e-324,"state":"done"}']);
    const refused = await ask('sales', { measures: 'weight.sum' });
    expect({ status: refused.status, detail: (JSON.parse(refused.text) as Problem).detail }).toEqual({
      status: 400,
      detail: 'The summary has a weight.sum beyond the highest double: leave it out, or narrow where.',
    });
    expect(await rows({ measures: 'weight.avg' })).toBe('{"data":[{"weight.avg":1.1984620899082105e+308}],"groups":1}');
  });

  test('where, having, sort and limit choose the rows', async () => {
    await fill('sellers', ['{"name":"A","country":"AR"}', '{"name":"B"}']);
    const { data } = (await (await fetch(`${server.url}/api/v2/sellers`)).json()) as { data: { id: number }[] };
    const [one, other] = data.map(({ id }) => id);
    await fill('sales', [
      ...['a', 'a', 'b', 'c'].map((name) => `{"name":"${name}","amount":"2","seller":${one}}`),
      ...['b', 'c', 'c', 'd'].map((name) => `{"name":"${name}","amount":"3","seller":${other}}`),
    ]);
    const names = async (parameters: Readonly<Record<string, string>>) => {
      const { data, groups } = JSON.parse(await rows({ group: 'name', measures: 'count,amount.sum', ...parameters }));
      return `${data.map(({ name }: { name: string }) => name).join('')} of ${groups}`;
    };
    expect(await names({})).toBe('abcd of 4');
    expect(await names({ sort: '-count' })).toBe('cabd of 4');
    expect(await names({ sort: '-count,-name', limit: '2' })).toBe('cb of 4');
    expect(await names({ sort: 'amount.sum,-name' })).toBe('dabc of 4');
    expect(await names({ having: '{"count":{"gte":2}}' })).toBe('abc of 3');
    expect(await names({ having: '{"any":[{"count":1},{"amount.sum":"4.00"}],"not":{"count":2}}' })).toBe('d of 1');
    expect(await names({ having: '{"count":{"in":[1,3]}}', sort: '-amount.sum' })).toBe('cd of 2');
    expect(await names({ where: '{"seller.country":"AR"}' })).toBe('abc of 3');
    expect(await names({ 'seller.name': 'B', 'amount[gt]': '2' })).toBe('bcd of 3');
    expect(await names({ where: '{"seller.country":"AR"}', 'name[gt]': 'a' })).toBe('bc of 2');
    const between = { measures: 'amount.min,amount.max', having: '{"amount.min":{"lt":{"field":"amount.max"}}}' };
    expect(await names(between)).toBe('bc of 2');
  });

  test('CSV has the same rows', async () => {
    await fill('sales', ['{"name":"a,b","amount":"-1"}', '{"name":"=1","amount":"2"}', '{"count":3}']);
    const { text, headers } = await ask(
      'sales',
      { group: 'name', measures: 'count,amount.sum' },
      { Accept: 'text/csv' },
    );
    expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8; header=present');
    expect(text).toBe(`name,count,amount.sum\r\n'=1,1,2.00\r\n"a,b",1,'-1.00\r\n,1,\r\n`);
  });

  test('an ETag answers with 304 until the answer is another one', async () => {
    const group = { group: 'state' };
    const first = await ask('sales', group);
    const tag = { 'If-None-Match': first.headers.get('ETag') ?? '' };
    expect(first.headers.get('Vary')).toContain('Accept');
    expect((await ask('sales', group, tag)).status).toBe(304);
    expect((await ask('sales', group, { ...tag, Accept: 'text/csv' })).status).toBe(200);
    await fill('sales', ['{}']);
    expect((await ask('sales', group, tag)).status).toBe(200);
  });

  test('every mistake is in one answer, with its parameter', async () => {
    const { status, text } = await ask('sales', {
      group: 'colour,state,state,tags,at.minute,day.hour,count',
      measures: 'name.sum,state.max,count,seller.min,tags.distinct',
      sort: 'amount.sum,-state,name',
      limit: '10001',
      having: '{"count":{"contains":"1"},"any":[{"amount.sum":1}]}',
      where: '{"amount":{"gte":5},"colour":"red"}',
      'amount[like]': '1',
      colour: 'red',
    });
    const { errors, detail } = JSON.parse(text) as Problem;
    expect(status).toBe(400);
    expect(errors.map(({ parameter, pointer }) => `${parameter} ${pointer}`)).toEqual([
      'amount[like] #',
      'colour #',
      // Seven names, five of them wrong: one twice, and one without hours.
      ...['group #', 'group #', 'group #', 'group #', 'group #', 'group #'],
      ...['measures #', 'measures #', 'measures #', 'measures #'],
      'group #',
      ...['where #/amount/gte', 'where #/colour'],
      ...['having #/count/contains', 'having #/any/0/amount.sum'],
      ...['sort #', 'sort #'],
      'limit #',
    ]);
    for (const part of [
      'amount[like] is invalid: expected an operator of amount (eq, ne, gt, gte, lt, lte, in, is), got "like"',
      'colour is unknown; known parameters: group, measures, where, having, sort, limit, id, name',
      'group has 7 names: at most 4',
      'group has "colour": expected id, name, count',
      'group has "state" twice',
      'measures has "seller.min": expected count, id.sum|avg|min|max|distinct, name.min|max|distinct',
      'group has count, which is a measure, too: ask for one of them',
      'where.amount.gte must be a decimal number with at most 2 places, in a string',
      'having.count.contains is no operator of this field: it has eq, ne, gt, gte, lt, lte, in',
      'having.any.0.amount.sum is no measure of this summary: it has count',
      'sort has "amount.sum": expected state, count',
      'limit must be a whole number from 1 to 10000; got "10001"',
    ])
      expect(detail).toContain(part);
  });

  test.each([
    [{ limit: '0' }, 'limit must be a whole number from 1 to 10000; got "0"'],
    [{ group: '' }, 'group has "": expected id'],
    [{ measures: Array.from({ length: 11 }, () => 'id.sum').join() }, 'measures has 11 names: at most 10'],
    [{ having: '{' }, 'having must be JSON, percent-encoded; got "{"'],
    [{ where: '7' }, 'where must be an object of conditions'],
    [{ fields: 'id' }, 'fields is unknown'],
    [{ having: '{"count":{"is":"null"}}' }, 'having.count.is is no operator of this field'],
  ])('%j is 400', async (parameters, detail) => {
    const { status, text } = await ask('sales', parameters as unknown as Readonly<Record<string, string>>);
    expect({ status, detail: (JSON.parse(text) as Problem).detail }).toEqual({
      status: 400,
      detail: expect.stringContaining(detail),
    });
  });

  test('the scope read is needed on the collection and on those of paths', async () => {
    const own = await startServer({ database: await newUrl(), collections, access: { auth: 'all' } });
    const order = { kind: 'create', name: 'sales', scope: 'read', collections: ['sales'], lastsMs: undefined } as const;
    const { output } = await runKeys(own.store.admin.apiKeys, order, new Date(), collections);
    const status = async (path: string, headers = {}) =>
      (await fetch(`${own.url}/api/v2/${path}`, { headers: { 'X-API-Key': output.trim(), ...headers } })).status;
    const where = encodeURIComponent('{"seller.country":"AR"}');
    expect([
      await status('sales/summary?group=seller'),
      await status(`sales/summary?where=${where}`),
      await status('sales/summary?seller.name=A'),
      await status('sellers/summary'),
      await status('sales/summary', { 'X-API-Key': '' }),
    ]).toEqual([200, 403, 403, 403, 401]);
    await own.stop();
  });
});
