/** How a server stops: /readyz fails, then it drains, then it finishes requests in flight. No request is dropped. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../support/data/folder.ts';
import { Balancer } from '../support/servers/network/balancer.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { Listening } from '../support/servers/network/listening.ts';
import { openRaw } from '../support/servers/network/socket.ts';
import { command, type Shelf, startShelf } from '../support/servers/process.ts';
import { startServer } from '../support/servers/server.ts';

const folder = temporaryFolder();
const memory = ['--database', 'memory:'];
const portOf = ({ url }: Shelf) => Number(new URL(url).port);
const readiness = ({ url }: Shelf) => fetch(`${url}/readyz`, { keepalive: false });

/** Waits until the signal has taken effect. */
async function unready(shelf: Shelf): Promise<Response> {
  for (;;) {
    const response = await readiness(shelf);
    if (response.status !== 200) return response;
  }
}

/** Repeats the signal until the process exits, because signals that arrive together count as one. */
async function hurry(shelf: Shelf, signal: NodeJS.Signals): Promise<number> {
  let code: number | undefined;
  shelf.exited.then((exited) => (code = exited));
  while (code === undefined) {
    process.kill(shelf.pid, signal);
    await Bun.sleep(50);
  }
  return code;
}

describe.each(['SIGTERM', 'SIGHUP'] as const)('on %s', (signal) => {
  test('it is not ready at once, still serves, and closes each connection after its answer', async () => {
    const shelf = await startShelf({ args: [...memory, '--drain', '3600s'] });
    const feed = await Listening.to(`${shelf.url}/api/v2/events`);
    // An old connection is one that was used before the signal.
    const old = new Balancer([portOf(shelf)]);
    expect(await old.send('GET', '/api/items')).toBe(200);

    process.kill(shelf.pid, signal);
    const response = await unready(shelf);
    expect(response.status).toBe(503);
    expect(response.headers.get('Connection')).toBe('close');
    expect(await response.json()).toEqual({ detail: 'The server is stopping: send requests to another instance.' });

    expect(await old.send('POST', '/api/items', '{"id":2,"name":"old","price":1}')).toBe(201);
    const added = await fetch(`${shelf.url}/api/items`, { method: 'POST', body: '{"id":3,"name":"new","price":1}' });
    expect([added.status, added.headers.get('Connection')]).toEqual([201, 'close']);
    expect((await fetch(`${shelf.url}/healthz`)).status).toBe(200);
    // An open stream continues, and a new one can be opened.
    await feed.until(() => feed.told.length === 2);
    const late = await Listening.to(`${shelf.url}/api/v2/events?after=0`);
    await late.until(() => late.told.length === 4);
    expect(shelf.output()).not.toContain('"event":"error"');

    expect(await hurry(shelf, signal)).toBe(0);
    await Promise.all([feed.ended, late.ended]);
    old.close();
  });

  test('it stops when the drain time is over', async () => {
    const shelf = await startShelf({ args: [...memory, '--drain', '200ms'] });
    const feed = await Listening.to(`${shelf.url}/api/v2/events`);
    expect(await shelf.stop(signal)).toBe(0);
    await feed.ended;
    const [last = ''] = shelf.output().trimEnd().split('\n').slice(-1);
    expect(JSON.parse(last)).toEqual({ time: expect.any(String), level: 'info', event: 'stopped' });
  });
});

test('Ctrl-C does not drain', async () => {
  const shelf = await startShelf({ args: [...memory, '--drain', '3600s', '--log', 'text'] });
  expect(await shelf.stop('SIGINT')).toBe(0);
  expect(shelf.output()).toEndWith('\nShelf has stopped.\n');
});

test('a second signal does not wait for requests in flight, and closes the database', async () => {
  const path = join(folder, 'hurried.db');
  const shelf = await startShelf({ args: ['--database', `sqlite:${path}`, '--drain', '3600s'] });
  expect((await fetch(`${shelf.url}/api/users`, { method: 'POST', body: '{"id":2,"name":"n"}' })).status).toBe(201);
  const client = openRaw(
    shelf.url,
    'POST /api/users HTTP/1.1\r\nHost: localhost\r\nContent-Length: 19\r\nExpect: 100-continue\r\n\r\n',
  );
  await client.until(/100 Continue/);
  const begun = performance.now();
  expect(await hurry(shelf, 'SIGTERM')).toBe(0);
  // With one signal, a request in flight has ten seconds.
  expect(performance.now() - begun).toBeLessThan(9000);
  expect(await client.closed).not.toContain('201');
  expect(await Bun.file(`${path}-wal`).exists()).toBe(false);
  const db = new Database(path, { readonly: true });
  expect(db.prepare('select id from users order by seq').values()).toEqual([[1], [2]]);
  db.close();
});

test('a request that the kernel has received when a stop begins is answered', async () => {
  const server = await startServer();
  const port = Number(new URL(server.url).port);
  const old = new Balancer([port]);
  const fresh = new Balancer([port]);
  expect(await old.send('GET', '/healthz')).toBe(200);
  // All in one turn of the event loop, so the server has seen neither the request nor the connection.
  const answers = [old, fresh].map((one) => one.send('POST', '/api/users', '{"id":2,"name":"n"}'));
  const stopped = server.stop();
  expect(await Promise.all(answers)).toEqual([201, 201]);
  await stopped;
});

/** `checks`: the proxy polls /readyz. Without it, a stop shows as refused connections, as with nginx's defaults. */
test.each([true, false])('rolling restarts drop no request (checks: %p)', async (checks) => {
  const args = (name: string, port: string) => [
    ...['--database', `sqlite:${join(folder, `${name}-${checks}.db`)}`],
    ...['--log', 'off', '--drain', '400ms', '--port', port],
  ];
  const names = ['left', 'right'] as const;
  const shelves = await Promise.all(names.map((name) => startShelf({ args: args(name, '0') })));
  const ports = shelves.map(portOf);
  const balancer = new Balancer(ports);
  let running = true;
  let sent = 0;
  const problems: unknown[] = [];
  const created = { acknowledged: 0 };
  const checking = (async () => {
    while (running && checks) {
      await balancer.check();
      await Bun.sleep(20);
    }
  })();
  const clients = Array.from({ length: 16 }, async () => {
    while (running) {
      const post = sent++ % 4 > 0;
      try {
        const status = await (post
          ? balancer.send('POST', '/api/users', '{"id":7,"name":"rolling"}')
          : balancer.send('GET', '/api/users/7'));
        if (status === 201) created.acknowledged++;
        // The first reads may run before the first write.
        if (status !== 201 && status !== 200 && status !== 404) problems.push(status);
      } catch (error) {
        problems.push(error);
      }
    }
  });

  for (let round = 0; round < 4; round++) {
    const place = round % 2;
    const before = sent;
    expect(await shelves[place]?.stop()).toBe(0);
    shelves[place] = await startShelf({ args: args(names[place] ?? '', String(ports[place])) });
    while ((await readiness(shelves[place])).status !== 200);
    while (sent < before + 200) await Bun.sleep(5);
    // The other instance may stop only when this one is back in rotation.
    if (checks) await balancer.check();
  }
  running = false;
  await Promise.all([...clients, checking]);
  balancer.close();
  for (const shelf of shelves) expect(await shelf.stop()).toBe(0);
  expect(problems).toEqual([]);

  const stored = names.map((name) => {
    const db = new Database(join(folder, `${name}-${checks}.db`), { readonly: true });
    const { count } = db.prepare<{ count: number }, []>('select count(*) as count from users where id = 7').get() ?? {};
    db.close();
    return count ?? 0;
  });
  expect(stored.reduce((sum, count) => sum + count)).toBe(created.acknowledged);
});

test.each(['1', '2'])('it stops though nobody reads its log any more, with %s threads', async (threads) => {
  const port = freePort();
  const args = [...memory, '--port', String(port), '--threads', threads, '--log', 'json', '--drain', '0s'];
  const { PATH = '' } = process.env;
  const child = Bun.spawn([...command, ...args], { env: { PATH }, stdout: 'pipe', stderr: 'ignore' });
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  // Each on a connection of its own, so that every thread has lines to write.
  for (let n = 0; n < 20; n++) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/items`, { keepalive: false });
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
  }
  child.kill('SIGTERM');
  expect(await child.exited).toBe(0);
});
