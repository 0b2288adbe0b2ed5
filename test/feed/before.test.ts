/** An update in the feed has what it changed, as it was before, on every engine with the same text. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { declared, libraryFile } from '../support/data/library.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { Listening } from '../support/servers/network/listening.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const collections = declared({
  ...libraryFile,
  lots: { singular: 'lot', contract: true, fields: { label: 'text', weight: 'number' } },
});

type Change = { readonly seq: number; readonly type: string; readonly record: { readonly updated_at: string } };

const engines = [['memory', () => 'memory:'] as const, ...migratedEngines()];

describe.each(engines)('%s', (_, newUrl) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ database: await newUrl(), collections });
    await send('POST', '/authors', '{"name":"Borges"}');
    await send('POST', '/authors', '{"name":"Lem"}');
  });
  afterAll(() => server.stop());

  const last = async () => (await server.store.feed.history()).last;

  async function send(method: string, path: string, body?: string): Promise<{ id: number; updated_at: string }> {
    const answer = await fetch(`${server.url}/api/v2${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([expect.any(Number), answer.ok ? text : '']);
    return text === '' ? { id: 0, updated_at: '' } : JSON.parse(text);
  }

  /** The changes after this one: the type of each, and its `before` as text, in which the times are `T`. */
  async function changesAfter(after: number): Promise<string[]> {
    const text = await (await fetch(`${server.url}/api/v2/changes?after=${after}`)).text();
    const listening = await Listening.to(`${server.url}/api/v2/events?after=${after}`);
    const { data } = JSON.parse(text) as { data: Change[] };
    await listening.until(() => listening.told.length === data.length);
    listening.leave();
    const each = listening.told.map((event) => event.data);
    expect(text).toStartWith(`{"data":[${each.join(',')}],`);
    return each.map((change) => {
      const [, type, before = 'none'] = /"type":"([^"]+)".*?(?:,"before":(\{.*\}))?\}$/s.exec(change) ?? [];
      return `${type} ${before.replace(/"updated_at":"[^"]{24}"/, 'T')}`;
    });
  }

  test('only an update has it, with the version and the time of then', async () => {
    const start = await last();
    const { id, updated_at } = await send('POST', '/publishers', '{"name":"one"}');
    await send('PATCH', `/publishers/${id}`, '{"name":"two"}');
    await send('PATCH', `/publishers/${id}`, '{"name":"two"}');
    await send('DELETE', `/publishers/${id}`);
    const text = await (await fetch(`${server.url}/api/v2/changes?after=${start}`)).text();
    expect(text).toContain(`,"before":{"name":"one","version":1,"updated_at":"${updated_at}"}}`);
    expect(await changesAfter(start)).toEqual([
      'publisher.created none',
      'publisher.updated {"name":"one","version":1,T}',
      'publisher.updated {"version":2,T}',
      'publisher.deleted none',
    ]);
  });

  test('values of every type are spelled as in records; those that did not change are left out', async () => {
    const book = {
      title: 'a "quoted" \\ text',
      isbn: '9780802130303',
      pages: '9007199254740993',
      weight: '-0',
      price: '"12.30"',
      state: '"draft"',
      seen_at: '"2026-01-02T03:04:05.678Z"',
      tags: '["a","b"]',
      ratings: '[1,2]',
      meta: '{"b":1e400, "a":null}',
    };
    const { title, isbn, ...raw } = book;
    const members = Object.entries(raw).map(([key, value]) => `"${key}":${value}`);
    const { id } = await send(
      'POST',
      '/books',
      `{"title":${JSON.stringify(title)},"isbn":"${isbn}",${members.join()},"author":1}`,
    );
    const start = await last();
    await send('PATCH', `/books/${id}`, '{"weight":0,"price":"12.3","pages":9007199254740993,"tags":["a","b"]}');
    await send('PATCH', `/books/${id}`, '{"weight":1e-7,"pages":null,"meta":null,"author":2}');
    await send(
      'PUT',
      `/books/${id}`,
      '{"title":"b","isbn":"9780802130304","weight":5e-324,"price":"0.01","author":1,"in_stock":false,"published_on":"2026-11-15"}',
    );
    expect(await changesAfter(start)).toEqual([
      'book.updated {"weight":-0,"version":1,T}',
      'book.updated {"pages":9007199254740993,"weight":0,"meta":{"b":1e400,"a":null},"author":1,"version":2,T}',
      `book.updated {"title":${JSON.stringify(title)},"isbn":"${isbn}","weight":1e-7,"price":"12.30","in_stock":true,"published_on":null,"seen_at":"2026-01-02T03:04:05.678Z","tags":["a","b"],"ratings":[1,2],"author":2,"version":3,T}`,
    ]);
  });

  test('the id of the contract is external_id', async () => {
    const { id } = await send('POST', '/lots', '{"external_id":-9007199254740993,"label":"one","weight":1}');
    const start = await last();
    await send('PATCH', `/lots/${id}`, '{"external_id":5,"label":"two"}');
    await send('PATCH', `/lots/${id}`, '{"weight":1e21}');
    await send('PATCH', `/lots/${id}`, '{"weight":2}');
    expect(await changesAfter(start)).toEqual([
      'lot.updated {"external_id":-9007199254740993,"label":"one","version":1,T}',
      'lot.updated {"weight":1,"version":2,T}',
      'lot.updated {"weight":1e+21,"version":3,T}',
    ]);
  });

  test('cascades and transactions update, too', async () => {
    const { id: publisher } = await send('POST', '/publishers', '{"name":"Sur"}');
    const { id: author } = await send('POST', '/authors', `{"name":"Ocampo","publisher":${publisher}}`);
    const { id: book } = await send('POST', '/books', '{"title":"t","isbn":"9780802130305","price":"1","author":1}');
    const start = await last();
    await send('DELETE', `/publishers/${publisher}`);
    const operations = [
      { op: 'add', collection: 'books', id: book, record: { price: '0.50', pages: 3 } },
      { op: 'update', collection: 'authors', where: { id: author }, record: { born: '1903-07-28' } },
      {
        op: 'upsert',
        collection: 'books',
        key: { isbn: '9780802130305' },
        record: { title: 'u', price: '1.50', author: 1 },
      },
    ];
    await send('POST', '/transactions', JSON.stringify({ operations }));
    expect(await changesAfter(start)).toEqual([
      `author.updated {"publisher":${publisher},"version":1,T}`,
      'publisher.deleted none',
      'book.updated {"pages":null,"price":"1.00","version":1,T}',
      'author.updated {"born":null,"version":2,T}',
      'book.updated {"title":"t","version":2,T}',
    ]);
  });
});
