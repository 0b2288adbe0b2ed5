/** The live feed, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { Listening } from '../support/servers/network/listening.ts';
import { connectTo } from '../support/servers/network/socket.ts';
import { oneThread, startServer, type TestServer } from '../support/servers/server.ts';

const add = (url: string, name: string, path = 'items') =>
  fetch(`${url}/api/v2/${path}`, {
    method: 'POST',
    body: path === 'items' ? `{"name":"${name}","price":1}` : `{"name":"${name}"}`,
  });
const names = ({ told }: Listening) =>
  told.map(({ data }) => (JSON.parse(data) as { record: { name: string } }).record.name);

describe.each(migratedEngines())('%s', (_, newUrl) => {
  let database: string;
  let server: TestServer;
  beforeAll(async () => {
    database = await newUrl();
    server = await startServer({ database });
  });
  afterAll(() => server.stop());

  const listen = (search = '', headers = {}) => Listening.to(`${server.url}/api/v2/events${search}`, headers);

  test('the feed sends every change from now on, in the same form as /changes', async () => {
    await add(server.url, 'before');
    const listening = await listen();
    expect(listening.response.headers.get('Content-Type')).toBe('text/event-stream');
    expect(listening.response.headers.get('Cache-Control')).toBe('private, no-store');
    await listening.until(() => listening.lastId !== '');
    const start = listening.lastId;

    const made = (await (await add(server.url, 'now')).json()) as { id: number };
    const path = `${server.url}/api/v2/items/${made.id}`;
    await fetch(path, { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: '{"price":2}' });
    await fetch(path, { method: 'DELETE' });
    await listening.until(() => listening.told.length === 3);
    expect(listening.told.map(({ event }) => event)).toEqual(['item.created', 'item.updated', 'item.deleted']);

    const pulled = (await (await fetch(`${server.url}/api/v2/changes?after=${start}`)).json()) as {
      data: { seq: number }[];
    };
    expect(listening.told.map(({ data }) => JSON.parse(data))).toEqual(pulled.data);
    expect(listening.told.map(({ id }) => Number(id))).toEqual(pulled.data.map(({ seq }) => seq));
    listening.leave();
  });

  test('the feed continues after Last-Event-ID or `after`, without a gap or a repeat', async () => {
    const first = await listen();
    await first.until(() => first.lastId !== '');
    const start = first.lastId;
    first.leave();
    for (let index = 0; index < 600; index++) await add(server.url, `missed ${index}`);

    const expected = Array.from({ length: 610 }, (_, index) => `missed ${index}`);
    const replayed = [await listen('', { 'Last-Event-ID': start }), await listen(`?after=${start}`)];
    // A browser that reconnects sends the header to the same URL, so the header takes precedence.
    replayed.push(await listen('?after=0', { 'Last-Event-ID': start }));
    for (let index = 600; index < 610; index++) await add(server.url, `missed ${index}`);
    for (const listening of replayed) {
      await listening.until(() => listening.told.length >= 610);
      expect(names(listening)).toEqual(expected);
      listening.leave();
    }
  });

  test('the feed can be limited to one collection', async () => {
    const listening = await listen('?collection=users');
    await listening.until(() => listening.lastId !== '');
    await add(server.url, 'an item');
    await add(server.url, 'Ada', 'users');
    await add(server.url, 'another');
    await add(server.url, 'Grace', 'users');
    await listening.until(() => listening.told.length >= 2);
    expect(names(listening)).toEqual(['Ada', 'Grace']);
    listening.leave();
  });

  test('pulls of one collection skip nothing while others are written', async () => {
    const begin = (await server.store.feed.history()).last;
    let isOver = false;
    type Page = { data: { seq: number }[]; last: number };
    const pull = async (collection: string, after: number, limit: number) =>
      (await (
        await fetch(`${server.url}/api/v2/changes?collection=${collection}&after=${after}&limit=${limit}`)
      ).json()) as Page;
    /** Pulls until nothing is written any more, and from then on until there is nothing left. */
    async function follow(collection: string): Promise<number[]> {
      const found: number[] = [];
      let after = begin;
      for (let round = 0; ; round++) {
        const wasOver = isOver;
        const { data, last } = await pull(collection, after, 1 + (round % 5));
        found.push(...data.map(({ seq }) => seq));
        after = last;
        if (wasOver && data.length === 0) return found;
      }
    }
    const followed = ['items', 'users', 'users', 'items'].map(follow);
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; n < 60; n++) await add(server.url, 'n', (n + writer) % 3 === 0 ? 'users' : 'items');
    });
    await Promise.all(writers);
    isOver = true;
    const [items, users] = [await pull('items', begin, 1000), await pull('users', begin, 1000)];
    expect([items.data.length, users.data.length]).toEqual([160, 80]);
    const [all, few] = [items, users].map(({ data }) => data.map(({ seq }) => seq));
    expect(await Promise.all(followed)).toEqual([all, few, few, all] as number[][]);
  });

  test('the feed sends a resync if the position was trimmed or is of another history', async () => {
    for (let index = 0; index < 3; index++) await add(server.url, 'old');
    while ((await server.store.feed.trim(-1000)) > 0);
    const last = String((await server.store.feed.history()).last);
    for (const heard of ['1', '999999999']) {
      const listening = await listen('', { 'Last-Event-ID': heard });
      await listening.until(() => listening.told.length === 1);
      expect(listening.told).toEqual([{ id: last, event: 'resync', data: `{"after":${last}}` }]);
      listening.leave();
    }
    const listening = await listen('', { 'Last-Event-ID': last });
    await add(server.url, 'new');
    await listening.until(() => listening.told.length === 1);
    expect(names(listening)).toEqual(['new']);
    listening.leave();
  });

  test('the feed refuses invalid parameters', async () => {
    for (const [search, headers] of [
      ['?after=x', {}],
      ['?limit=3', {}],
      ['?collection=planets', {}],
      ['', { 'Last-Event-ID': '-1' }],
    ] as const) {
      const { response } = await listen(search, headers);
      expect(response.status).toBe(400);
    }
    const head = await fetch(`${server.url}/api/v2/events`, { method: 'HEAD' });
    expect(head.status).toBe(200);
  });

  test('a stop of the server ends its streams', async () => {
    const second = await startServer({ database: await newUrl() });
    const listening = await Listening.to(`${second.url}/api/v2/events?after=0`);
    await listening.until(() => listening.told.length === 2);
    // Much longer than the timeout of this test, so the deadline does not end the streams.
    await second.stop(60_000);
    await listening.ended;
  });

  test('the feed stops watching the store when its last client disconnects', async () => {
    const watched = await startServer({ server: oneThread, database: await newUrl() });
    let watchers = 0;
    const { feed } = watched.store;
    const { watch } = feed;
    feed.watch = (wake) => {
      watchers++;
      const leave = watch.call(feed, wake);
      return () => {
        watchers--;
        leave();
      };
    };
    const sockets = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const socket = connectTo(watched.url);
        socket.write('GET /api/v2/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
        await new Promise((resolve) => socket.once('data', resolve));
        return socket;
      }),
    );
    expect(watchers).toBe(1);
    for (const [index, socket] of sockets.entries()) {
      if (index % 2 === 0) socket.destroy();
      else socket.end();
    }
    while (watchers > 0) await Bun.sleep(5);
    await watched.stop();
  });
});

test.skipIf(postgresUrl === undefined)('a commit of one instance is sent by every instance', async () => {
  const database = await newDatabase();
  const [left, right] = [await startServer({ database }), await startServer({ database })];
  const pooled = await startServer({ database, storage: { prepare: false } });
  const listeners = await Promise.all([left, right, pooled].map(({ url }) => Listening.to(`${url}/api/v2/events`)));
  for (const listening of listeners) await listening.until(() => listening.lastId !== '');
  for (let index = 0; index < 50; index++) await add((index % 2 === 0 ? left : right).url, `change ${index}`);
  for (const listening of listeners) {
    await listening.until(() => listening.told.length >= 50);
    expect(names(listening)).toEqual(Array.from({ length: 50 }, (_, index) => `change ${index}`));
    listening.leave();
  }
  for (const { stop } of [left, right, pooled]) await stop();
});
