/** Several threads that serve one file: whatever one of them has answered, all others show. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../src/domain/errors.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { runShelf, startShelf } from '../support/servers/process.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';
import { type Client, connections } from '../support/threads/thread-clients.ts';

const folder = temporaryFolder();

describe.each([
  ['from memory', 2 ** 26],
  ['from the file', 0],
])('%s', (name, cache) => {
  let server: TestServer;
  let clients: Client[];
  beforeAll(async () => {
    const database = `sqlite:${join(folder, `${cache}.db`)}`;
    server = await startServer({ database, server: { threads: 3 }, storage: { cache } });
    clients = connections(server.url, 24);
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await server.stop();
  });

  test('a record that was added over one connection is in the answers to all others', async () => {
    for (let id = 1000; id < 1024; id++) {
      const item = `{"id":${id},"name":"${name}","price":1}`;
      const added = await clients[id % clients.length]?.ask('POST', '/api/items', item);
      expect(added).toEqual({ status: 201, body: item });
      const seen = await Promise.all(clients.map((client) => client.ask('GET', `/api/items/${id}`)));
      expect(new Set(seen.map(({ body }) => body))).toEqual(new Set([item]));
    }
  });

  test('a change and a deletion are seen everywhere, in records, pages, lists and the feed', async () => {
    const [first, ...others] = clients as [Client, ...Client[]];
    const created = JSON.parse(
      (await first.ask('POST', '/api/v2/items', '{"external_id":7,"name":"old","price":1}')).body,
    );
    for (let round = 0; round < 10; round++) {
      const writer = clients[(round * 7) % clients.length] as Client;
      const changed = await writer.ask('PATCH', `/api/v2/items/${created.id}`, `{"name":"new ${round}"}`);
      expect(changed.status).toBe(200);
      const reads = await Promise.all(
        others.map((client, index) => {
          const paths = [
            `/api/v2/items/${created.id}`,
            '/api/v2/items?external_id=7',
            '/api/v2/items?sort=-price&limit=100',
            '/api/items',
            '/api/items/7',
            `/api/v2/changes?after=0&limit=1000`,
          ];
          return client.ask('GET', paths[index % paths.length] ?? '');
        }),
      );
      for (const { body } of reads) expect(body).toContain(`"new ${round}"`);
    }
    expect((await first.ask('DELETE', `/api/v2/items/${created.id}`)).status).toBe(204);
    const gone = await Promise.all(others.map((client) => client.ask('GET', `/api/v2/items/${created.id}`)));
    expect(new Set(gone.map(({ status }) => status))).toEqual(new Set([404]));
  });

  test('a bulk is seen by all as a whole', async () => {
    const lines = Array.from({ length: 3000 }, (_, n) => `{"external_id":${n + 5000},"name":"bulk","price":2}`);
    const writer = clients[3] as Client;
    let done = false;
    const added = writer.ask('POST', '/api/v2/items/bulk', lines.join('\n'), 'application/x-ndjson').then((answer) => {
      done = true;
      return answer;
    });
    const counts = new Set<number>();
    while (!done) {
      const pages = await Promise.all(
        [5, 9, 13].map((at) => (clients[at] as Client).ask('GET', '/api/v2/items?limit=1&count=exact&price=2')),
      );
      for (const { body } of pages) counts.add(JSON.parse(body).total);
    }
    expect((await added).status).toBe(201);
    for (const count of counts) expect([0, 3000]).toContain(count);
    const lists = await Promise.all(clients.map((client) => client.ask('GET', '/api/items/7999')));
    expect(new Set(lists.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

test('the rate limit and the log are those of the process', async () => {
  const args = ['--database', `sqlite:${join(folder, 'whole')}.db`, '--threads', '2', '--rate-limit', '100/h'];
  const shelf = await startShelf({ args: [...args, '--auth', 'write'] });
  const clients = connections(shelf.url, 20);
  const answers: number[] = [];
  for (let turn = 0; turn < 6; turn++)
    for (const { status } of await Promise.all(clients.map((client) => client.ask('GET', '/api/items/1'))))
      answers.push(status);
  expect(answers.filter((status) => status === 200)).toHaveLength(100);
  expect(answers.filter((status) => status === 429)).toHaveLength(20);
  const logged = () =>
    shelf
      .output()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { event: string; path?: string });
  await shelf.stop();
  expect(logged().filter(({ event, path }) => event === 'request' && path === '/api/items/1')).toHaveLength(120);
  for (const client of clients) client.close();
});

test('a scrape on any thread counts the requests of all', async () => {
  const server = await startServer({ server: { threads: 3 }, log: { metrics: true } });
  const clients = connections(server.url, 30);
  for (const client of clients) await client.ask('GET', '/api/users/1');
  const scrapes = await Promise.all(clients.map((client) => client.ask('GET', '/metrics')));
  const counts = scrapes.map(({ body }) => /requests_total{route="\/api\/users\/{id}"[^}]*} (\d+)/.exec(body)?.[1]);
  expect(new Set(counts)).toEqual(new Set(['30']));
  for (const client of clients) client.close();
  await server.stop();
});

test.skipIf(process.platform !== 'linux')('the system shows the threads by name', async () => {
  const shelf = await startShelf({ args: ['--database', 'memory:', '--threads', '3'] });
  const tasks = `/proc/${shelf.pid}/task`;
  const names = () =>
    readdirSync(tasks)
      .map((thread) => readFileSync(join(tasks, thread, 'comm'), 'utf8').trim())
      .filter((name) => name.startsWith('shelf '))
      .sort();
  const always = ['shelf parser', 'shelf search', 'shelf serving', 'shelf serving', 'shelf writer'];
  expect(names()).toEqual(always);

  // The other serving threads start their own when they first need them.
  const clients = connections(shelf.url, 30);
  const large = JSON.stringify({ name: 'x'.repeat(40_000) });
  for (const client of clients) expect((await client.ask('POST', '/api/v2/users', large)).status).toBe(201);
  expect(names()).toEqual([...always, 'shelf parser', 'shelf parser'].sort());
  for (const client of clients) {
    expect((await client.ask('GET', '/api/v2/users?name[contains]=y')).status).toBe(200);
    client.close();
  }
  expect(names()).toEqual([...always, 'shelf parser', 'shelf parser', 'shelf search', 'shelf search'].sort());
  await shelf.stop();
});

test('a port that is in use is refused, also by several threads', async () => {
  const database = (name: string) => ['--database', `sqlite:${join(folder, name)}.db`];
  const first = await startShelf({ args: [...database('first'), '--threads', '2', '--port', '0'] });
  const { port } = new URL(first.url);
  const second = await runShelf({ args: [...database('second'), '--threads', '2', '--port', port] });
  expect({ code: second.code, stderr: second.stderr }).toEqual({
    code: 1,
    stderr: `shelf: Cannot listen on port ${port} on 127.0.0.1: the port is in use. Stop the process that uses it, or choose another --port.\n`,
  });
  expect(await first.stop()).toBe(0);
});

test('a thread that takes longer to start than others is waited for', async () => {
  const keys = join(folder, 'jwks.json');
  // It reads this file first.
  writeFileSync(keys, '{"keys":[]}');
  const jwt = ['--auth', 'all', '--jwt-issuer', 'https://id.example.com', '--jwt-keys', keys];
  const shelf = await startShelf({ args: ['--database', 'memory:', '--threads', '3', ...jwt] });
  expect(await shelf.stop()).toBe(0);
});

test('a thread that cannot start ends the start with its reason, and the server can still be stopped', async () => {
  const { Worker: original } = globalThis;
  const taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
  globalThis.Worker = class extends Worker {
    override postMessage(message: unknown, how?: Bun.Transferable[] | Bun.StructuredSerializeOptions): void {
      const isSetup = typeof message === 'object' && message !== null && 'config' in message;
      super.postMessage(isSetup ? { ...message, port: taken.port } : message, Array.isArray(how) ? how : []);
    }
  };
  try {
    const failure = await startServer({ server: { threads: 2 } }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartError);
    expect((failure as Error).message).toContain(`port ${taken.port}`);
  } finally {
    globalThis.Worker = original;
    taken.stop(true);
  }
});

test('a serving thread that ends is reported with one line', async () => {
  const { Worker: original } = globalThis;
  const threads: Worker[] = [];
  globalThis.Worker = class extends Worker {
    constructor(file: string | URL) {
      super(file);
      if (String(file).includes('serving-thread')) threads.push(this);
    }
  };
  const ended = Promise.withResolvers<string>();
  const server = await startServer({ server: { threads: 2 }, onThreadEnd: ended.resolve });
  globalThis.Worker = original;
  expect(threads).toHaveLength(1);
  threads[0]?.terminate();
  expect(await ended.promise).toBe('A serving thread ended: restart the server.');
  await server.store.admin.close();
});
