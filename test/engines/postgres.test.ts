/** Properties specific to PostgreSQL: several instances on one database, and a database that becomes unavailable. */

import { afterEach, describe, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import fc from 'fast-check';
import { systemTool } from '../../scripts/tools/system-tool.ts';
import { items } from '../../src/collections/items.ts';
import { everything } from '../../src/domain/access/view.ts';
import { Failure } from '../../src/domain/errors.ts';
import { bulkLock, migrationLock, writeLock } from '../../src/storage/postgres/connect/locks.ts';
import { Cluster } from '../postgres/cluster.ts';
import { migratedDatabase, newDatabase, postgresUrl } from '../postgres/database.ts';
import { Forwarder } from '../postgres/forwarder.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { runShelf, spoolsOf, startShelf } from '../support/servers/process.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const open: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

async function start(options: Parameters<typeof startServer>[0]): Promise<TestServer> {
  const server = await startServer(options);
  open.push(server);
  return server;
}

async function query(url: string, statement: string): Promise<unknown[][]> {
  const sql = new SQL({ url, max: 1 });
  try {
    return await sql.unsafe(statement).values();
  } finally {
    await sql.close();
  }
}

/** Starts pgbouncer with two connections to the database for all its clients. */
async function startPgbouncer(database: string): Promise<string | undefined> {
  const program = systemTool('pgbouncer');
  if (program === undefined) return undefined;
  const { username, port, pathname } = new URL(database);
  const folder = mkdtempSync(join(tmpdir(), 'shelf-pgbouncer-'));
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  probe.stop(true);
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=127.0.0.1 port=${port} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${probe.port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
`,
  );
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  chmodSync(folder, 0o755);
  const child = Bun.spawn([program, ...user, join(folder, 'pgbouncer.ini')], { stdout: 'ignore', stderr: 'ignore' });
  open.push({
    stop: async () => {
      child.kill('SIGKILL');
      await child.exited;
      rmSync(folder, { recursive: true });
    },
  });
  const url = `postgres://${username}@127.0.0.1:${probe.port}${pathname}`;
  for (let tries = 0; tries < 100; tries++) {
    const answers = await query(url, 'select 1').then(
      () => true,
      () => false,
    );
    if (answers) return url;
    await Bun.sleep(50);
  }
  throw new Error('pgbouncer does not answer');
}

const item = (id: number | bigint, name = `number ${id}`) => `{"id":${id},"name":"${name}","price":${id}.5}`;
const post = (server: TestServer, body: string, to = 'items') =>
  fetch(`${server.url}/api/${to}`, { method: 'POST', body });
const get = async (server: TestServer, path: string) => (await fetch(server.url + path)).text();
const ndjson = { 'Content-Type': 'application/x-ndjson' };
const idsOf = (list: string) => [...list.matchAll(/"id":(-?\d+)/g)].map(([, id]) => Number(id));

describe.skipIf(postgresUrl === undefined)('on PostgreSQL', () => {
  test('a random sequence has exactly the same answers as on SQLite', async () => {
    const operation = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constant('item' as const), id: anyId, name: anyText, price: anyPrice }),
      },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('user' as const), id: anyId, name: anyText }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), id: anyId }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('get item' as const, 'get user' as const), id: anyId }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('list items' as const, 'list users' as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('raw' as const), body: fc.string({ unit: 'binary' }) }) },
    );
    const both = [await start({ database: 'memory:' }), await start({ database: await migratedDatabase() })];
    const answers = async (method: string, path: string, body?: string) =>
      Promise.all(
        both.map(async ({ url }) => {
          const answer = await fetch(url + path, { method, ...(body === undefined ? {} : { body }) });
          return [answer.status, await answer.text()];
        }),
      );
    const property = fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 25 }), async (operations) => {
      for (const one of operations) {
        const [left, right] = await (one.do === 'item'
          ? answers('POST', '/api/items', items.encode({ id: one.id, name: one.name, price: one.price }))
          : one.do === 'user'
            ? answers('POST', '/api/users', `{"id":${one.id},"name":${JSON.stringify(one.name)}}`)
            : one.do === 'delete'
              ? answers('DELETE', `/api/users/${one.id}`)
              : one.do === 'raw'
                ? answers('POST', '/api/items', one.body)
                : 'id' in one
                  ? answers('GET', `/api/${one.do.slice(4)}s/${one.id}`)
                  : answers('GET', `/api/${one.do.slice(5)}`));
        expect(right).toEqual(left);
      }
      for (const path of ['/api/items', '/api/users']) {
        const [left, right] = await answers('GET', path);
        expect(right).toEqual(left);
      }
    });
    await fc.assert(property, { numRuns: 25 });
  });

  test('concurrent writes of several instances have one order, and new records appear only at the end', async () => {
    const database = await newDatabase();
    const instances = await Promise.all([1, 2, 3].map(() => start({ database })));
    let writing = true;
    const seen = instances.map(async (instance) => {
      let before = idsOf(await get(instance, '/api/items'));
      while (writing) {
        const now = idsOf(await get(instance, '/api/items'));
        expect(now.slice(0, before.length)).toEqual(before);
        before = now;
      }
    });
    const acknowledged: number[] = [];
    await Promise.all(
      Array.from({ length: 24 }, async (_, writer) => {
        for (let n = 0; n < 25; n++) {
          const id = writer * 1000 + n + 2;
          const instance = instances[(writer + n) % 3] as TestServer;
          expect((await post(instance, item(id))).status).toBe(201);
          acknowledged.push(id);
          // After the 201 the record is visible on every instance.
          const other = instances[(writer + n + 1) % 3] as TestServer;
          expect((await fetch(`${other.url}/api/items/${id}`)).status).toBe(200);
        }
      }),
    );
    writing = false;
    await Promise.all(seen);
    const lists = await Promise.all(instances.map((instance) => get(instance, '/api/items')));
    expect(new Set(lists).size).toBe(1);
    const order = idsOf(lists[0] ?? '');
    expect([...order].sort()).toEqual([1, ...acknowledged].sort());
    // The records of each writer are in the order of its writes, also across instances.
    for (let writer = 0; writer < 24; writer++) {
      const own = order.filter((id) => id > 1 && Math.floor(id / 1000) === writer);
      expect(own).toEqual([...own].sort((left, right) => left - right));
    }
  });

  test('two instances that delete the same id delete one record each', async () => {
    const database = await migratedDatabase();
    const instances = [await start({ database }), await start({ database })];
    for (let n = 0; n < 40; n++) await post(instances[0] as TestServer, '{"id":5,"name":"x"}', 'users');
    const statuses = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        fetch(`${instances[n % 2]?.url}/api/users/5`, { method: 'DELETE' }).then(({ status }) => status),
      ),
    );
    expect(statuses.filter((status) => status === 204).length).toBe(40);
    expect(statuses.filter((status) => status === 404).length).toBe(10);
  });

  test('concurrent writes share a commit, with a change for each', async () => {
    const database = await migratedDatabase();
    const server = await start({ database });
    await Promise.all(Array.from({ length: 200 }, (_, n) => post(server, item(n + 2))));
    const [commits] = await query(database, 'select count(distinct xmin::text)::int, count(*)::int from items');
    expect(commits?.[1]).toBe(201);
    expect(commits?.[0]).toBeLessThan(100);
    const [changes] = await query(
      database,
      `select count(*)::int from changes join items on record_seq = items.seq
       where collection = 'items' and type = 'created' and (record::json->>'id')::bigint = items.id`,
    );
    expect(changes).toEqual([201]);
  });

  test('a write that the database refuses fails alone', async () => {
    const database = await migratedDatabase();
    const server = await start({ database });
    await query(database, 'alter table items add constraint unlucky check (id <> 13)');
    const statuses = await Promise.all(
      Array.from({ length: 30 }, (_, n) => post(server, item(n + 2)).then(({ status }) => status)),
    );
    expect(statuses.flatMap((status, n) => (status === 201 ? [] : [[n + 2, status]]))).toEqual([[13, 500]]);
    expect(idsOf(await get(server, '/api/items')).length).toBe(30);
  });

  test('if one write is refused and the disk is full at another, each write gets its own outcome', async () => {
    const database = await migratedDatabase();
    const server = await start({ database, storage: { timeout: 2000 } });
    await query(database, 'alter table items add constraint unlucky check (id <> 13)');
    await query(
      database,
      `create function fills_up() returns trigger language plpgsql as $$ begin
         if new.id = 3 then raise exception 'full' using errcode = '53100'; end if; return new; end $$`,
    );
    await query(database, 'create trigger fills_up before insert on items for each row execute function fills_up()');
    // While another write waits for a lock, these arrive in this order, and become one batch.
    const ids = [2, 13, 3, 4];
    const sql = new SQL({ url: database, max: 1 });
    const sent: Promise<Response>[] = [];
    await sql.begin(async (tx) => {
      await tx`lock table items`;
      sent.push(post(server, item(99)));
      const waits = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
      while ((await query(database, waits)).length === 0) await Bun.sleep(20);
      for (const id of ids) {
        const { writesWaiting } = server.store.admin.figures();
        sent.push(post(server, item(id)));
        while (server.store.admin.figures().writesWaiting === writesWaiting) await Bun.sleep(1);
      }
    });
    await sql.close();
    const [, ...answers] = await Promise.all(sent);
    const stored = idsOf(await get(server, '/api/items'));
    for (const [index, id] of ids.entries()) {
      const answer = answers[index] as Response;
      const told = await answer.text();
      if (answer.status === 201) expect(stored).toContain(id);
      else if (!told.includes('is unknown')) expect(stored).not.toContain(id);
    }
    expect(answers[0]?.status).toBe(201);
    expect(answers[1]?.status).toBe(500);
    expect(answers[2]?.status).toBe(503);
  });

  test('statements do not pile up behind a lock of another program', async () => {
    const database = await migratedDatabase();
    const server = await start({ database, storage: { timeout: 400 } });
    const other = new SQL({ url: database, max: 1 });
    const locked = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    const holding = other.begin(async (tx) => {
      await tx`lock table items`;
      locked.resolve();
      await done.promise;
    });
    await locked.promise;
    for (let round = 0; round < 4; round++) {
      const answers = await Promise.all([
        ...Array.from({ length: 10 }, () => fetch(`${server.url}/api/items/1`)),
        post(server, item(round + 2)),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(Array(11).fill(503));
    }
    const name = new URL(database).pathname.slice(1);
    const [row] = await query(database, `select count(*)::int from pg_stat_activity where datname = '${name}'`);
    expect(Number(row?.[0])).toBeLessThan(25);
    done.resolve();
    await holding;
    await other.close();
    expect((await post(server, item(9))).status).toBe(201);
  });

  /** A client that reads nothing of the list until `all` is called. */
  async function slowReader(server: TestServer): Promise<{ all(): Promise<string>; leave(): void }> {
    const parts: Buffer[] = [];
    const closed = Promise.withResolvers<void>();
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: Number(new URL(server.url).port),
      socket: {
        open: (opened) => {
          opened.pause();
        },
        data: (_, chunk) => {
          parts.push(Buffer.from(chunk));
        },
        close: () => closed.resolve(),
      },
    });
    // HTTP/1.0, so that the text has no chunk headers.
    socket.write('GET /api/items HTTP/1.0\r\n\r\n');
    return {
      async all() {
        socket.resume();
        await closed.promise;
        return Buffer.concat(parts).toString();
      },
      leave: () => socket.terminate(),
    };
  }
  /** On a busy machine a list of 30 MB may take long, and a request that fails would be waited for in vain. */
  const patient = { timeout: 60_000 };
  const listsUsed = ({ store }: TestServer) => store.admin.figures().pools.lists?.used;
  const longList = (database: string) =>
    query(
      database,
      `insert into items (id, name, price, version, created_at, updated_at)
       select n, repeat('x', 5000), n, 1, now(), now() from generate_series(2, 6000) n`,
    );

  test('slow readers of long lists release their connections, and get their whole lists', async () => {
    const database = await migratedDatabase();
    const server = await start({ database, storage: { ...patient, connections: 2 } });
    await longList(database);
    const slow: Awaited<ReturnType<typeof slowReader>>[] = [];
    const name = new URL(database).pathname.slice(1);
    // A snapshot begins with the first statement after `begin`.
    const snapshots = `select from pg_stat_activity
      where datname = '${name}' and state = 'idle in transaction' and query not like 'begin%'`;
    for (let n = 1; n <= 2; n++) {
      slow.push(await slowReader(server));
      while ((await query(database, snapshots)).length !== n) await Bun.sleep(20);
    }
    for (let n = 0; n < 3; n++) {
      // The slow readers must not get this record: their snapshots are older.
      expect((await post(server, item(10_000 + n))).status).toBe(201);
      const list = await fetch(`${server.url}/api/items`);
      expect(list.status).toBe(200);
      expect(idsOf(await list.text())).toHaveLength(6001 + n);
    }
    for (const reader of slow) {
      const text = await reader.all();
      expect(text).toEndWith('}]');
      expect(text.match(/"price"/g)).toHaveLength(6000);
    }
    expect(spoolsOf(process.pid)).toEqual([]);
  });

  test('a reader of a long list that disconnects releases its connection, also if the list was spooled', async () => {
    const database = await migratedDatabase();
    const server = await start({ database, storage: { ...patient, connections: 1 } });
    await longList(database);
    const name = new URL(database).pathname.slice(1);
    const snapshots = `select from pg_stat_activity where datname = '${name}' and state = 'idle in transaction'`;
    for (let round = 0; round < 2; round++) {
      const aside = await slowReader(server);
      while (listsUsed(server) !== 1) await Bun.sleep(5);
      const connected = await slowReader(server);
      while (spoolsOf(process.pid).length === 0) await Bun.sleep(5);
      aside.leave();
      connected.leave();
      while (listsUsed(server) !== 0 || spoolsOf(process.pid).length > 0) await Bun.sleep(5);
      while ((await query(database, snapshots)).length > 0) await Bun.sleep(20);
    }
  });

  test('slow readers of long lists that begin at the same time do not block another reader', async () => {
    const database = await migratedDatabase();
    const server = await start({ database, storage: { ...patient, connections: 1 } });
    await longList(database);
    const slow = await Promise.all([slowReader(server), slowReader(server), slowReader(server)]);
    expect(idsOf(await (await fetch(`${server.url}/api/items`)).text())).toHaveLength(6000);
    for (const reader of slow) expect(await reader.all()).toEndWith('}]');
  });

  test('a list that does not fit into the spool ends early, and another one is served', async () => {
    const database = await migratedDatabase();
    const server = await start({
      database,
      limits: { maxSpool: 1, maxBulk: 1 },
      storage: { ...patient, connections: 1 },
    });
    await longList(database);
    const slow = await slowReader(server);
    while (listsUsed(server) !== 1) await Bun.sleep(5);
    expect((await fetch(`${server.url}/api/items`)).status).toBe(200);
    expect(await slow.all()).not.toEndWith('}]');
  });

  const bulk = ({ url }: TestServer, count: number) =>
    fetch(`${url}/api/v2/items`, {
      method: 'POST',
      headers: ndjson,
      body: '{"name":"bulk","price":1}\n'.repeat(count),
    });

  /** Whether a session on this database waits for an advisory lock: other databases of the server have locks with the same numbers. */
  async function isAwaited(database: string, lock: number): Promise<boolean> {
    const own = `select from pg_locks join pg_database on pg_database.oid = database where datname = current_database()`;
    return (await query(database, `${own} and objid = ${lock} and not granted`)).length > 0;
  }

  /** Writes to items wait until it is open. */
  async function closedGate(database: string): Promise<{ readonly lock: number; open(): Promise<void> }> {
    const lock = bulkLock + 1;
    const wait = `begin perform pg_advisory_xact_lock_shared(${lock}); return null; end`;
    await query(database, `create function waits() returns trigger language plpgsql as $$ ${wait} $$`);
    await query(database, 'create trigger waits before insert on items for each statement execute function waits()');
    const sql = new SQL({ url: database, max: 1 });
    await sql`select pg_advisory_lock(${lock}::bigint)`;
    return { lock, open: () => sql.close() };
  }

  test('a bulk that delays a write of its instance or of another one for too long adds nothing', async () => {
    const delayed = async (elsewhere: boolean) => {
      const database = await migratedDatabase();
      const timeout = 10_000;
      const options = { database, storage: { timeout } };
      const server = await start(options);
      const writer = elsewhere ? await start(options) : server;
      const gate = await closedGate(database);
      const waiting = bulk(server, 20_000);
      while (!(await isAwaited(database, gate.lock))) await Bun.sleep(20);
      const delayedWrite = post(writer, item(2));
      const isDelayed = async () =>
        elsewhere ? isAwaited(database, writeLock) : server.store.admin.figures().writesWaiting > 0;
      while (!(await isDelayed())) await Bun.sleep(5);
      await Bun.sleep(timeout / 2);
      await gate.open();
      const refused = await waiting;
      expect(refused.status).toBe(503);
      expect(await refused.json()).toMatchObject({
        type: '/problems/timed-out',
        detail: expect.stringContaining('Nothing was added: other writes wait, and this has taken 5000 ms.'),
      });
      expect((await delayedWrite).status).toBe(201);
      expect(idsOf(await get(server, '/api/items'))).toEqual([1, 2]);
      expect((await bulk(server, 100)).status).toBe(201);
    };
    await Promise.all([delayed(false), delayed(true)]);
  }, 60_000);

  test('a bulk that delays no write may take longer', async () => {
    const database = await migratedDatabase();
    const timeout = 3000;
    const server = await start({ database, storage: { timeout } });
    const gate = await closedGate(database);
    const waiting = bulk(server, 20_000);
    while (!(await isAwaited(database, gate.lock))) await Bun.sleep(20);
    await Bun.sleep(timeout / 2);
    await gate.open();
    const answer = await waiting;
    expect([answer.status, await answer.json()]).toMatchObject([201, { created: 20_000 }]);
  }, 60_000);

  test('a bulk that waits for a bulk of another instance does not delay writes of its own instance', async () => {
    const database = await migratedDatabase();
    const server = await start({ database, storage: { timeout: 30_000 } });
    // A bulk that does nothing is ended after half of the time-out.
    const other = new SQL({ url: database, max: 1 });
    const locked = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    const holding = other.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${bulkLock}::bigint)`;
      locked.resolve();
      await done.promise;
    });
    await locked.promise;
    let answered = false;
    const waiting = bulk(server, 100).finally(() => {
      answered = true;
    });
    // The bulk polls the lock, and does not queue for it on the connection that writes.
    for (let n = 2; n < 20; n++) {
      expect((await post(server, item(n))).status).toBe(201);
      expect(await isAwaited(database, bulkLock)).toBe(false);
    }
    expect(answered).toBe(false);
    done.resolve();
    expect((await waiting).status).toBe(201);
    await holding;
    await other.close();
  });

  test('requests that arrive before the database is migrated wait for it, and readiness does not', async () => {
    const database = await migratedDatabase();
    await (await startServer({ database })).stop();
    const sql = new SQL({ url: database, max: 1 });
    await sql`select pg_advisory_lock(${migrationLock}::bigint)`;
    const port = freePort();
    const url = `http://127.0.0.1:${port}`;
    const starting = start({ database, server: { port }, storage: { timeout: 30_000 } });
    while (!(await fetch(`${url}/healthz`).catch(() => undefined))?.ok) await Bun.sleep(5);
    const early = [
      fetch(`${url}/api/items/1`),
      fetch(`${url}/api/v2/items`),
      fetch(`${url}/api/items`, { method: 'POST', body: item(2) }),
      fetch(`${url}/api/v2/items`, { method: 'POST', headers: ndjson, body: '{"name":"bulk","price":1}\n' }),
    ];
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    await sql.close();
    expect((await Promise.all(early)).map(({ status }) => status)).toEqual([200, 200, 201, 201]);
    expect((await fetch(`${(await starting).url}/readyz`)).status).toBe(200);
  });

  test('the URL overrides PGDATABASE and PGSSLMODE', async () => {
    const database = await newDatabase();
    const other = await newDatabase();
    const env = { PGDATABASE: new URL(other).pathname.slice(1), PGSSLMODE: 'require' };
    expect((await runShelf({ args: ['migrate', '--database', database], env })).code).toBe(0);
    const tables = async (url: string) =>
      Number((await query(url, 'select count(*)::int from pg_tables where schemaname = current_schema()'))[0]?.[0]);
    expect(await tables(database)).toBeGreaterThan(3);
    expect(await tables(other)).toBe(0);
  });

  test('a long list is one snapshot', async () => {
    const database = await migratedDatabase();
    const server = await start({ database });
    await query(
      database,
      `insert into items (id, name, price, version, created_at, updated_at)
       select n, repeat('x', 500), n + 0.5, 1, now(), now() from generate_series(2, 20000) n`,
    );
    const response = await fetch(`${server.url}/api/items`);
    expect(response.headers.get('Content-Length')).toBeNull();
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const first = await reader.read();
    expect((await post(server, item(999_999))).status).toBe(201);
    let text = new TextDecoder().decode(first.value);
    const decoder = new TextDecoder();
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += decoder.decode(part.value);
    const ids = idsOf(text);
    expect(ids.length).toBe(20_000);
    expect(ids.at(-1)).toBe(20_000);
    expect(idsOf(await get(server, '/api/items')).at(-1)).toBe(999_999);
  });

  test('a very long list is served completely in bounded memory', async () => {
    const database = await migratedDatabase();
    const shelf = await startShelf({ args: ['--database', database, '--log', 'off'] });
    const peak = async () =>
      Number(/VmHWM:\s+(\d+)/.exec(await Bun.file(`/proc/${shelf.pid}/status`).text())?.[1] ?? 0) / 1024;
    await query(
      database,
      `insert into items (id, name, price, version, created_at, updated_at)
       select n, repeat('x', 4000), n, 1, now(), now() from generate_series(2, 37500) n`,
    );
    await (await fetch(`${shelf.url}/api/items/1`)).text();
    const before = await peak();
    let size = 0;
    const { body } = await fetch(`${shelf.url}/api/items`);
    for await (const part of body as ReadableStream<Uint8Array>) size += part.length;
    expect(size).toBeGreaterThan(150_000_000);
    // Only Linux has /proc.
    if (process.platform === 'linux') expect((await peak()) - before).toBeLessThan(100);
    expect(await shelf.stop()).toBe(0);
  });

  test('stalled readers of long lists do not delay other requests', async () => {
    const database = await migratedDatabase();
    const server = await start({ database, storage: { connections: 2 } });
    await query(
      database,
      `insert into items (id, name, price, version, created_at, updated_at)
       select n, repeat('x', 500), n, 1, now(), now() from generate_series(2, 60000) n`,
    );
    const stuck = await Promise.all([1, 2].map(() => fetch(`${server.url}/api/items`)));
    expect(stuck.map(({ status }) => status)).toEqual([200, 200]);
    expect((await fetch(`${server.url}/api/items/5`)).status).toBe(200);
    expect((await post(server, item(70_000))).status).toBe(201);
    for (const { body } of stuck) await body?.cancel();
  });

  test('ten instances that start at once create the tables once', async () => {
    const database = await newDatabase();
    const instances = await Promise.all(Array.from({ length: 10 }, () => start({ database })));
    expect(await get(instances[9] as TestServer, '/api/items')).toBe('[{"id":1,"name":"Widget","price":9.99}]');
  });

  test('a role that may only read and write rows can serve, and cannot create the tables', async () => {
    const database = await newDatabase();
    const role = `shelf_plain_${Date.now()}`;
    await query(database, `create role ${role} login`);
    const plain = new URL(database);
    plain.username = role;
    expect(startServer({ database: plain.href })).rejects.toThrow(/permission denied/);

    await (await start({ database })).stop();
    await query(database, `grant select, insert, update, delete on all tables in schema public to ${role}`);
    const server = await start({ database: plain.href });
    expect((await post(server, item(2))).status).toBe(201);
    expect((await fetch(`${server.url}/api/users/1`, { method: 'DELETE' })).status).toBe(204);
    const lines = Array.from({ length: 600 }, (_, n) => `{"name":"item ${n}","price":1}\n`);
    const headers = ndjson;
    const bulk = await fetch(`${server.url}/api/v2/items`, { method: 'POST', headers, body: lines.join('') });
    expect(await bulk.json()).toMatchObject({ created: 600, first_id: 3, last_id: 602 });
    expect(idsOf(await get(server, '/api/items'))).toEqual(Array.from({ length: 602 }, (_, n) => n + 1));
  });

  test.each([
    [
      'a role that may only read',
      'grant select on all tables in schema public to ROLE',
      /lacks the privilege insert on items/,
    ],
    [
      'a role that may not read keys',
      'grant all on all tables in schema public to ROLE; revoke all on api_keys from ROLE',
      /lacks the privilege select on api_keys/,
    ],
    [
      'a column of another type',
      'alter table users alter column name type varchar(99)',
      /The column name of the table users is character varying, expected text/,
    ],
    ['a setting that rounds numbers', 'DATABASE extra_float_digits = 0', /extra_float_digits is 0/],
    ['a setting that escapes text', 'DATABASE standard_conforming_strings = off', /standard_conforming_strings is off/],
  ])('%s is detected at the start', async (_, change, message) => {
    const database = await migratedDatabase();
    await (await start({ database })).stop();
    const name = new URL(database).pathname.slice(1);
    const role = `shelf_reader_${name}`;
    const plain = new URL(database);
    if (change.includes('ROLE')) {
      await query(database, `create role ${role} login`);
      for (const statement of change.replaceAll('ROLE', role).split('; ')) await query(database, statement);
      plain.username = role;
    } else
      await query(
        database,
        change.startsWith('DATABASE') ? change.replace('DATABASE', `alter database ${name} set`) : change,
      );
    await expect(startServer({ database: plain.href })).rejects.toThrow(message);
  });

  test('a foreign or newer database is refused', async () => {
    const foreign = await newDatabase();
    await query(foreign, 'create table items (whatever int)');
    expect(startServer({ database: foreign })).rejects.toThrow(/a table items that Shelf did not create/);
    const newer = await migratedDatabase();
    await (await start({ database: newer })).stop();
    await query(newer, 'update schema_version set version = 99');
    expect(startServer({ database: newer })).rejects.toThrow(/newer Shelf/);
  });

  test('it works behind pgbouncer in transaction mode, without prepared statements', async () => {
    const database = await newDatabase();
    const pooled = await startPgbouncer(database);
    if (pooled === undefined) {
      process.stderr.write('\n!!! SKIPPED: the test behind pgbouncer, because it is not installed\n');
      expect(process.env.CI).toBeUndefined();
      return;
    }
    const server = await start({ database: pooled, storage: { prepare: false } });
    const statuses = await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        n % 3 === 0 ? post(server, item(n + 2)) : fetch(`${server.url}/api/items/1`),
      ),
    );
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200, 201]));
    expect(idsOf(await get(server, '/api/items')).length).toBe(101);
  });

  test('killed connections are replaced, and reads succeed', async () => {
    const database = await migratedDatabase();
    const server = await start({ database });
    const name = new URL(database).pathname.slice(1);
    for (let round = 0; round < 5; round++) {
      const reads = Array.from({ length: 20 }, () => fetch(`${server.url}/api/items/1`));
      await query(
        database,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
      );
      for (const read of await Promise.all(reads)) expect(read.status).toBe(200);
    }
    let status = 0;
    while (status !== 201) {
      const answer = await post(server, item(2));
      status = answer.status;
      expect([201, 503]).toContain(status);
    }
  });

  test('requests fail in time while the network drops packets, and succeed afterwards', async () => {
    const database = await migratedDatabase();
    const forwarder = new Forwarder(Number(new URL(database).port));
    open.push(forwarder);
    const server = await start({ database: forwarder.through(database), storage: { timeout: 300 } });
    expect((await post(server, item(2))).status).toBe(201);
    forwarder.swallows = true;
    const [read, write, ready] = await Promise.all([
      fetch(`${server.url}/api/items/2`),
      post(server, item(3)),
      fetch(`${server.url}/readyz`),
    ]);
    expect([read.status, write.status, ready.status]).toEqual([503, 503, 503]);
    expect(read.headers.get('Retry-After')).toBe('1');
    expect((await write.json()) as object).toEqual({
      detail:
        'The outcome of this write is unknown: the connection to the database was lost during the write; check before you retry.',
    });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    forwarder.swallows = false;
    // A new connection may take longer than the timeout.
    while ((await fetch(`${server.url}/api/items/2`)).status !== 200) await Bun.sleep(10);
    while ((await post(server, item(4))).status !== 201) await Bun.sleep(10);
  });

  test('a bulk that is cut off while it sends records releases the write lock afterwards', async () => {
    const database = await migratedDatabase();
    const forwarder = new Forwarder(Number(new URL(database).port));
    open.push(forwarder);
    const server = await start({ database: forwarder.through(database), storage: { timeout: 1000 } });
    const direct = new SQL({ url: database, max: 1 });
    const copying = async () =>
      (
        await direct`select 1 from pg_stat_activity where datname = current_database() and query like 'copy %' and state = 'active'`
      ).length;
    const headers = ndjson;
    const body = '{"name":"many","price":1}\n'.repeat(100_000);
    // PostgreSQL has to wait for the rest of the records: it may have had all of one part.
    while ((await copying()) === 0) {
      forwarder.swallows = false;
      const bulk = fetch(`${server.url}/api/v2/items`, { method: 'POST', headers, body });
      while ((await copying()) === 0) await Bun.sleep(1);
      forwarder.swallows = true;
      expect((await bulk).status).toBe(503);
    }
    forwarder.swallows = false;
    while ((await post(server, item(2))).status !== 201) await Bun.sleep(10);
    expect(await copying()).toBe(0);
    await direct.close();
  });

  test('reads over the limit of the queue fail at once with overloaded', async () => {
    const database = await migratedDatabase();
    const forwarder = new Forwarder(Number(new URL(database).port));
    open.push(forwarder);
    const server = await start({ database: forwarder.through(database), storage: { timeout: 2000 } });
    forwarder.swallows = true;
    const codes = await Promise.all(
      Array.from({ length: 10_050 }, async () => {
        try {
          await server.store.reads.contractRecord(everything(items), 1n);
          return 'found';
        } catch (error) {
          return error instanceof Failure ? error.code : String(error);
        }
      }),
    );
    expect(codes.filter((code) => code === 'overloaded').length).toBe(50);
    expect(codes.filter((code) => code === 'not_ready').length).toBe(10_000);
    forwarder.swallows = false;
    expect((await fetch(`${server.url}/api/items/1`)).status).toBe(200);
  });

  test('a write while the database refuses connections is answered with "nothing was changed"', async () => {
    const database = await migratedDatabase();
    const forwarder = new Forwarder(Number(new URL(database).port));
    open.push(forwarder);
    const server = await start({ database: forwarder.through(database), storage: { timeout: 300 } });
    forwarder.refuses = true;
    forwarder.cutAll();
    await Bun.sleep(0);
    const answers = await Promise.all(Array.from({ length: 5 }, (_, n) => post(server, item(n + 2))));
    const details = new Set(await Promise.all(answers.map((answer) => answer.text())));
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
    expect(details.size).toBe(1);
    expect([...details][0]).toContain('nothing was changed');
    forwarder.refuses = false;
    expect((await post(server, item(9))).status).toBe(201);
    expect(idsOf(await get(server, '/api/items'))).toEqual([1, 9]);
  });
});

describe.skipIf(postgresUrl === undefined)('on a private PostgreSQL server', () => {
  test('Shelf survives a restart of PostgreSQL', async () => {
    const cluster = await new Cluster({ fsync: 'off' }).start();
    open.push({ stop: () => cluster.remove() });
    const server = await start({ database: cluster.url() });
    expect((await post(server, item(2))).status).toBe(201);
    await cluster.stop();
    const read = fetch(`${server.url}/api/items/2`);
    await cluster.start();
    expect((await read).status).toBe(200);
    expect((await post(server, item(3))).status).toBe(201);
    expect(idsOf(await get(server, '/api/items'))).toEqual([1, 2, 3]);
  });
});

const anyId = fc.oneof(fc.bigInt({ min: 1n, max: 5n }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }));
const anyText = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'));
const anyPrice = fc.double({ noNaN: true, noDefaultInfinity: true });
