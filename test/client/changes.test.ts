/** Following changes with the client: without a gap, without a repetition, whatever happens to the connection. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { follow } from '../../src/client/changes.ts';
import { Declarations } from '../../src/client/declarations.ts';
import { createClient } from '../../src/client/index.ts';
import { Sender } from '../../src/client/send/sender.ts';
import { library } from '../support/data/library.ts';
import { markTransaction } from '../support/data/mark-transaction.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';
import { failureOf } from './failure-of.ts';
import { type FaultyProxy, faultyProxy } from './faulty-proxy.ts';
import type { Shelf } from './shelf.d.ts';

type Following<Value> = AsyncGenerator<Value, void, undefined>;

/** The next items. */
async function take<Value>(changes: Following<Value>, count: number): Promise<Value[]> {
  const items: Value[] = [];
  while (items.length < count) {
    const { value, done } = await changes.next();
    if (done) throw new Error('the changes ended');
    items.push(value);
  }
  return items;
}

describe.each(migratedEngines())('%s', (_, newUrl) => {
  let database: string;
  let server: TestServer;
  let proxy: FaultyProxy;
  const shelfAt = (url: string, key?: string) => createClient<Shelf>({ url, key });
  let shelf: ReturnType<typeof shelfAt>;
  beforeAll(async () => {
    database = await newUrl();
    server = await startServer({ database, collections: library });
    proxy = await faultyProxy(server.url);
    shelf = shelfAt(proxy.url);
  });
  afterAll(async () => {
    await proxy.stop();
    await server.stop();
  });
  const add = (name: string) => shelf.publishers.create({ name });
  const namesOf = (items: readonly object[]) =>
    items.map((item) => ('record' in item ? (item.record as { name: string }).name : 'resync'));

  test('without `after` the first item is a resync, and every later change follows', async () => {
    await add('before');
    const changes = shelf.publishers.changes();
    const [resync] = await take(changes, 1);
    expect(resync?.type).toBe('resync');
    const made = await add('made');
    const changed = await shelf.publishers.update(made, { name: 'changed' });
    await shelf.publishers.delete(changed);
    const items = await take(changes, 3);
    const before = { name: 'made', version: 1, updated_at: made.updated_at };
    expect(items).toEqual([
      { seq: expect.any(Number), type: 'publisher.created', at: made.created_at, by: null, record: made },
      { seq: expect.any(Number), type: 'publisher.updated', at: changed.updated_at, by: null, record: changed, before },
      { seq: expect.any(Number), type: 'publisher.deleted', at: expect.any(String), by: null, record: changed },
    ] as never);
    const [first, second, third] = items.map(({ seq }) => seq);
    expect([Number(second) - Number(first), Number(third) - Number(second)]).toEqual([1, 1]);
    expect(resync?.seq).toBe(Number(first) - 1);
    await changes.return();
  });

  test('a change of a transaction names it', async () => {
    const { last } = await server.store.feed.history();
    for (const name of ['alone', 'one', 'two']) await add(name);
    await markTransaction(database, last + 2, 2);
    const changes = shelf.publishers.changes({ after: last });
    const transaction = { first: last + 2, size: 2 };
    const named = (await take(changes, 3)).map((change) =>
      change.type === 'resync' ? change.type : change.transaction,
    );
    expect(named).toEqual([undefined, transaction, transaction]);
    await changes.return();
  });

  test('changes of all collections have the types of their records', async () => {
    const [resync] = await take(shelf.changes(), 1);
    const author = await shelf.authors.create({ name: 'Borges' });
    const book = await shelf.books.create({
      title: 'Ficciones',
      isbn: '9780802130303',
      price: '1',
      author: author.id,
      pages: 9007199254740993n,
    });
    const changes = shelf.changes({ after: resync?.seq ?? 0 });
    const found = await take(changes, 2);
    expect(found.map((item) => ('record' in item ? item.record : item.type))).toEqual([author, book] as never);
    await changes.return();
  });

  test('a lost connection is made again, without a gap and without a repetition', async () => {
    const changes = shelf.publishers.changes();
    await take(changes, 1);
    const expected: string[] = [];
    const found: string[] = [];
    for (let round = 0; round < 4; round++) {
      for (let index = 0; index < 5; index++) {
        expected.push(`round ${round}, ${index}`);
        await add(`round ${round}, ${index}`);
      }
      // Some of them are received before the cut, and some after it.
      found.push(...namesOf(await take(changes, 3)));
      proxy.cut();
      proxy.next({ status: 503 }, 'lose the request');
    }
    found.push(...namesOf(await take(changes, expected.length - found.length)));
    expect(found).toEqual(expected);
    await changes.return();
  });

  test('a change is not lost if the declarations cannot be had when it comes', async () => {
    const { last } = await server.store.feed.history();
    const { name } = await add('comes again');
    const changes = createClient<Shelf>({ url: proxy.url, retries: 0 }).publishers.changes({ after: last });
    proxy.nextDeclarations({ status: 503 }, { status: 503 });
    expect(namesOf(await take(changes, 1))).toEqual([name]);
    await changes.return();
  });

  test('a server that restarts is followed again', async () => {
    const database = await newUrl();
    const first = await startServer({ database, collections: library });
    const client = shelfAt(first.url);
    const changes = client.publishers.changes();
    await take(changes, 1);
    await client.publishers.create({ name: 'before' });
    expect(namesOf(await take(changes, 1))).toEqual(['before']);
    await first.stop();
    const second = await startServer({
      database,
      collections: library,
      server: { port: Number(new URL(first.url).port) },
    });
    await client.publishers.create({ name: 'after' });
    expect(namesOf(await take(changes, 1))).toEqual(['after']);
    await changes.return();
    await second.stop();
  });

  test('changes that are trimmed become a resync', async () => {
    const hour = 3_600_000;
    const short = await startServer({ database: await newUrl(), collections: library, storage: { history: hour } });
    const client = shelfAt(short.url);
    for (const name of ['a', 'b']) await client.publishers.create({ name });
    const { last } = await short.store.feed.history();
    await short.store.feed.trim(-1000);
    const changes = client.publishers.changes({ after: 1 });
    expect(await take(changes, 1)).toEqual([{ seq: last, type: 'resync' }]);
    await client.publishers.create({ name: 'c' });
    expect(namesOf(await take(changes, 1))).toEqual(['c']);
    await changes.return();
    await short.stop();
  });

  test('`onPosition` tells how far everything is handled, also where other collections change', async () => {
    const positions: number[] = [];
    const changes = shelf.publishers.changes({ onPosition: (seq) => positions.push(seq) });
    const [resync] = await take(changes, 1);
    expect(positions).toEqual([]);
    await add('handled');
    const [change] = await take(changes, 1);
    // A change is handled when the next one is asked for.
    expect(positions).toEqual([Number(resync?.seq)]);
    await shelf.authors.create({ name: 'elsewhere' });
    const { last } = await server.store.feed.history();
    // With the last change of its own it would be a resync once that is trimmed; a new loop learns the position at once.
    const later = shelf.publishers.changes({ after: Number(change?.seq), onPosition: (seq) => positions.push(seq) });
    const next = take(later, 1);
    while (positions.at(-1) !== last) await new Promise(setImmediate);
    expect(positions).toEqual([Number(resync?.seq), last]);
    const { name } = await add('next');
    expect(namesOf(await next)).toEqual([name]);
    await Promise.all([changes.return(), later.return()]);
  });

  test('410 becomes a resync at the present', async () => {
    const changes = shelf.publishers.changes({ after: 1 });
    proxy.next({ status: 410 });
    const { last } = await server.store.feed.history();
    expect(await take(changes, 1)).toEqual([{ seq: last, type: 'resync' }]);
    await changes.return();
  });

  test('a failure that a retry cannot help ends the loop', async () => {
    for (const status of [400, 401, 403, 404]) {
      proxy.next({ status });
      expect((await failureOf(shelf.publishers.changes({ after: 0 }).next())).status).toBe(status);
    }
  });

  test('a signal ends the loop, and so does leaving it', async () => {
    const controller = new AbortController();
    const changes = shelf.publishers.changes({ signal: controller.signal });
    await take(changes, 1);
    const next = failureOf(changes.next());
    controller.abort();
    expect((await next).code).toBe('aborted');

    for await (const { type } of shelf.publishers.changes()) {
      expect(type).toBe('resync');
      break;
    }
    const already = shelf.publishers.changes({ signal: AbortSignal.abort() });
    expect((await failureOf(already.next())).code).toBe('aborted');
  });
});

test('a key that is limited to a collection can follow it', async () => {
  const server = await startServer({ collections: library, access: { auth: 'all' } });
  const order = {
    kind: 'create',
    name: 'shop',
    scope: 'write',
    collections: ['publishers'],
    lastsMs: undefined,
  } as const;
  const key = (await runKeys(server.store.admin.apiKeys, order, new Date(), library)).output.trim();
  const shelf = createClient<Shelf>({ url: server.url, key });
  const changes = shelf.publishers.changes();
  await take(changes, 1);
  await shelf.publishers.create({ name: 'Sur' });
  expect(await take(changes, 1)).toMatchObject([{ by: 'shop', record: { name: 'Sur' } }]);
  await changes.return();
  expect((await failureOf(shelf.books.changes().next())).code).toBe('forbidden');
  expect((await failureOf(shelf.changes().next())).code).toBe('forbidden');
  const stranger = createClient<Shelf>({ url: server.url, key: 'nobody' });
  expect((await failureOf(stranger.publishers.changes().next())).code).toBe('unauthorized');
  await server.stop();
});

test('a connection that falls silent is made again', async () => {
  const asked: (string | null)[] = [];
  const silent = Bun.serve({
    port: 0,
    fetch: ({ headers }) => {
      asked.push(headers.get('Last-Event-ID'));
      return new Response(new ReadableStream({ start: (stream) => stream.enqueue(`id: ${asked.length}\n\n`) }));
    },
  });
  const controller = new AbortController();
  const { signal } = controller;
  const changes = follow(new Declarations(new Sender({ url: silent.url.href })), undefined, { signal, silence: 50 });
  await take(changes, 1);
  const next = failureOf(changes.next());
  while (asked.length < 3) await Promise.race([next, new Promise(setImmediate)]);
  expect(asked.slice(0, 3)).toEqual([null, '1', '2']);
  controller.abort();
  expect((await next).code).toBe('aborted');
  await silent.stop(true);
});
