/** Long SQLite searches: they end at the timeout or when the client disconnects, and do not delay other clients. */

import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { items } from '../../src/collections/items.ts';
import { collections } from '../../src/collections/registry.ts';
import { everything } from '../../src/domain/access/view.ts';
import { Failure } from '../../src/domain/errors.ts';
import type { Requester } from '../../src/domain/store/client.ts';
import type { Page } from '../../src/domain/store/page.ts';
import type { Store } from '../../src/domain/store/store.ts';
import { everybody } from '../../src/domain/store/writes.ts';
import type { Summary } from '../../src/domain/summary/summary.ts';
import type { RequestEntry } from '../../src/http/observe/log-entry.ts';
import { openEngine } from '../../src/storage/open.ts';
import type { ViewedReads } from '../../src/storage/views/viewed-reads.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { seed } from '../support/data/seed.ts';
import { engineOptions } from '../support/servers/engine.ts';
import { connectTo } from '../support/servers/network/socket.ts';
import { oneThread, startServer, type TestServer } from '../support/servers/server.ts';

const path = join(temporaryFolder(), 'many.db');
beforeAll(() => seed(path, 30_000), 60_000);

/** Reads and sorts all records. */
const long: Page = {
  where: [{ field: 'name', operator: 'contains', values: ['number'] }],
  sort: [{ field: 'price', descending: true }],
  after: undefined,
  limit: 100,
};
const short: Page = { where: [], sort: [], after: undefined, limit: 10 };

/** Adds up all records. */
const summary: Summary = {
  groups: [],
  measures: [
    { name: 'price.sum', key: 'price', operation: 'sum' },
    { name: 'price.distinct', key: 'price', operation: 'distinct' },
  ],
  where: [],
  having: [],
  sort: [],
  limit: undefined,
};

const requesterOf = (client: string) => ({ client, signal: undefined });

describe('one store', () => {
  let store: Store;
  beforeAll(async () => {
    store = openEngine({ kind: 'sqlite', path }, collections, engineOptions);
    await store.admin.ready;
  });
  afterAll(() => store.admin.close());

  test('a client with many searches does not delay another client', async () => {
    const order: string[] = [];
    const ask = async (client: string) => {
      const { records } = await store.reads.records(everything(items), long, requesterOf(client));
      expect(records[0]?.row.price).toBe(30_000.5);
      order.push(client);
    };
    const greedy = Array.from({ length: 12 }, () => ask('greedy'));
    await Promise.all([...greedy, ask('other')]);
    expect(order.indexOf('other')).toBeLessThan(8);
  });

  test('a client with many summaries does not delay another client, and they end when it has disconnected', async () => {
    const order: string[] = [];
    const summarize = async (client: string) => {
      expect(await store.reads.summary(everything(items), summary, 'application/json', requesterOf(client))).toEndWith(
        ':30000}],"groups":1}',
      );
      order.push(client);
    };
    const page = async () => {
      await store.reads.records(everything(items), short, requesterOf('page'));
      order.push('page');
    };
    await Promise.all([...Array.from({ length: 12 }, () => summarize('greedy')), summarize('other'), page()]);
    expect(order.indexOf('other')).toBeLessThan(8);
    expect(order.indexOf('page')).toBeLessThan(order.indexOf('other'));
    const aborter = new AbortController();
    const reason = new Failure('malformed_request');
    const requester = { client: 'leaves', signal: aborter.signal };
    const many = Array.from({ length: 12 }, () =>
      store.reads.summary(everything(items), summary, 'application/json', requester),
    );
    aborter.abort(reason);
    for (const one of await Promise.allSettled(many)) expect(one).toEqual({ status: 'rejected', reason });
    expect(store.admin.figures().readsWaiting).toBe(0);
  });

  test('the searches of a client that has disconnected are cancelled', async () => {
    const aborter = new AbortController();
    const reason = new Failure('malformed_request');
    const requester = { client: 'leaves', signal: aborter.signal };
    const many = Array.from({ length: 12 }, () => store.reads.records(everything(items), long, requester));
    aborter.abort(reason);
    for (const one of await Promise.allSettled(many)) expect(one).toEqual({ status: 'rejected', reason });
    expect(store.admin.figures().readsWaiting).toBe(0);
    await expect(store.reads.records(everything(items), short, requester)).rejects.toBe(reason);
    const after = Array.from({ length: 4 }, (_, n) =>
      store.reads.records(everything(items), long, requesterOf(`${n}`)),
    );
    expect((await Promise.all(after)).map(({ records }) => records.length)).toEqual([100, 100, 100, 100]);
  });

  test('a write during a search is visible to the next search', async () => {
    const price = 1e9;
    const found = store.reads.records(
      everything(items),
      { ...long, sort: [{ field: 'id', descending: false }], limit: 1 },
      requesterOf('a'),
    );
    await store.writes.commit(everybody, {
      operation: { op: 'create', collection: items, json: `{"id":1,"name":"number","price":${price}}` },
    });
    await found;
    const { records } = await store.reads.records(everything(items), { ...long, limit: 1 }, requesterOf('a'));
    expect(records[0]?.row.price).toBe(price);
  });
});

test('a search over the time limit fails with timed_out', async () => {
  const store = openEngine({ kind: 'sqlite', path }, collections, {
    ...engineOptions,
    limits: { ...engineOptions.limits, requestTimeout: 1 },
  });
  await store.admin.ready;
  const failed = [
    store.reads.records(everything(items), long, requesterOf('slow')),
    store.reads.summary(everything(items), summary, 'application/json', requesterOf('slow')),
  ].map((search) => search.catch((error: unknown) => error));
  for (const failure of await Promise.all(failed)) expect(failure instanceof Failure && failure.code).toBe('timed_out');
  expect(store.admin.figures().readsWaiting).toBe(0);
  await store.admin.close();
});

describe('over HTTP', () => {
  const entries: RequestEntry[] = [];
  let server: TestServer;
  beforeAll(async () => {
    const logTo = (entry: object) => entries.push(entry as RequestEntry);
    server = await startServer({ server: oneThread, database: `sqlite:${path}`, logTo });
  });
  afterAll(() => server.stop());

  test.each([
    ['application/json', 1],
    ['text/csv', 1],
    ['text/csv', 2],
  ])('work for %s ends when the client disconnects during search %d', async (accept, searches) => {
    const { engine: reads } = server.store.reads as ViewedReads;
    const asked: Requester[] = [];
    /** The last search ends only when it is aborted. */
    const untilAborted = ({ signal }: Requester) =>
      new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    using _records = spyOn(reads, 'records').mockImplementation((_, __, requester = requesterOf('')) => {
      asked.push(requester);
      return untilAborted(requester);
    });
    using _stream = spyOn(reads, 'stream').mockImplementation(async function* (_, __, encode, requester) {
      for (asked.push(requester); asked.length < searches; asked.push(requester)) yield encode([]);
      await untilAborted(requester);
    });
    entries.length = 0;
    const socket = connectTo(server.url);
    socket.on('error', () => {});
    socket.write(`GET /api/v2/items HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\n\r\n`);
    while (asked.length < searches) await Bun.sleep(1);
    expect(asked.map(({ client }) => client)).toEqual(Array(searches).fill('127.0.0.1'));
    expect(asked.at(-1)?.signal?.aborted).toBe(false);
    socket.resetAndDestroy();
    while (asked.at(-1)?.signal?.aborted === false || entries.length === 0) await Bun.sleep(1);
    // A disconnect is not logged as an error.
    expect(entries.map(({ event, level }) => [event, level])).toEqual([['request', 'info']]);
  });
});
