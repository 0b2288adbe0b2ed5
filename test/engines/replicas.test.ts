/** Reads from standbys: they come from there, and none is stale. */

import { afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { users } from '../../src/collections/users.ts';
import { everything } from '../../src/domain/access/view.ts';
import { Replica } from '../../src/storage/postgres/standby/replica.ts';
import { Cluster, initialize, withoutSyncs } from '../postgres/cluster.ts';
import { postgresUrl } from '../postgres/database.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { Listening } from '../support/servers/network/listening.ts';
import { runShelf } from '../support/servers/process.ts';
import { type ServerOptions, startServer, type TestServer } from '../support/servers/server.ts';

const open: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

type Started = TestServer & { readonly warnings: readonly string[] };

async function start(
  primary: { readonly port: number },
  replicas: readonly { readonly port: number }[],
  storage: ServerOptions['storage'] = {},
  database = urlOf(primary),
): Promise<Started> {
  const warnings: string[] = [];
  const server = await startServer({
    database,
    storage: { replicas: { value: replicas.map(urlOf) }, ...storage },
    log: { metrics: true },
    logTo: (entry) => {
      if (entry.level === 'warn' && entry.event === 'storage') warnings.push(entry.message);
    },
  });
  open.push(server);
  return { ...server, warnings };
}

const urlOf = ({ port }: { readonly port: number }) => `postgres://postgres@127.0.0.1:${port}/postgres`;

async function newPrimary(): Promise<Cluster> {
  const cluster = new Cluster(withoutSyncs);
  open.push({ stop: () => cluster.remove() });
  return cluster.start();
}

async function newStandby(of: Cluster, name = 'standby'): Promise<Cluster> {
  const standby = await of.standby(withoutSyncs, name);
  open.push({ stop: () => standby.remove() });
  return standby.start();
}

const post = ({ url }: TestServer, id: number) =>
  fetch(`${url}/api/users`, { method: 'POST', body: `{"id":${id},"name":"number ${id}"}` });
const read = ({ url }: TestServer, id: number) => fetch(`${url}/api/users/${id}`);

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await Bun.sleep(20);
}

type At = { readonly port: number };
const figuresOf = ({ store }: TestServer, { port }: At) => store.admin.figures().replicas[`127.0.0.1:${port}`];
const untilUsed = (server: TestServer, replica: At) => until(() => figuresOf(server, replica)?.isUsed === true);
const leftOut = ({ warnings }: Started, { port }: At, reason: string) =>
  warnings.some((line) => line.startsWith(`The standby 127.0.0.1:${port} is left out of reads: ${reason}`));

/** Rows that queries have read from the tables of the collections. The sessions of servers report them when they end. */
async function rowsRead(cluster: Cluster): Promise<number> {
  const shelf = "select 1 from pg_stat_activity where application_name = 'shelf'";
  await until(async () => (await cluster.run(shelf)).length === 0);
  const [row] = await cluster.run(
    "select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int from pg_stat_user_tables where relname in ('users', 'items')",
  );
  return Number(row?.[0]);
}

/** A primary with tables and some records. */
async function newFilled(...ids: readonly number[]): Promise<Cluster> {
  const primary = await newPrimary();
  const server = await startServer({ database: primary.url() });
  for (const id of ids) expect((await post(server, id)).status).toBe(201);
  await server.stop();
  return primary;
}

/** While the primary is slow, checks of a standby overlap. */
async function toldOnce(primary: Cluster, standby: At): Promise<void> {
  const turns: string[] = [];
  const onTurn = (_: string, reason = 'used') => turns.push(reason);
  const replica = new Replica(urlOf(standby), { timeoutMs: 5000, prepare: true, max: 1, onTurn });
  const [row] = await primary.run('select system_identifier::text from pg_control_system()');
  const start = { last: 0, newest: 0, at: null, trimmed: 0 };
  const bounds = { primary: start, confirm: async () => {}, deadline: Number.POSITIVE_INFINITY };
  const check = () => replica.check(String(row?.[0]), 'lower', bounds);
  await Promise.all([check(), check()]);
  await replica.close();
  expect(turns).toEqual(['used']);
}

describe.skipIf(postgresUrl === undefined)('with standbys', () => {
  test('every kind of read comes from a standby, which is reported once, and the primary reads no record', async () => {
    const primary = await newFilled(2, 3);
    const standby = await newStandby(primary);
    const before = await rowsRead(primary);
    const server = await start(primary, [standby]);
    await untilUsed(server, standby);
    const paths = [
      'users/2',
      'users',
      'v2/users',
      'v2/users/2',
      'v2/users?sort=-name&count=exact',
      'v2/users/export',
      'v2/changes?after=0',
    ];
    for (const path of paths) {
      const answer = await fetch(`${server.url}/api/${path}`);
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, expect.stringContaining('number 2')]);
    }
    expect((await read(server, 9)).status).toBe(404);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain(`shelf_replica_up{replica="127.0.0.1:${standby.port}"} 1`);
    expect(metrics).toContain('shelf_database_reads_total{source="primary"} 0');
    expect(Number(/reads_total\{source="127[^}]*\} (\d+)/.exec(metrics)?.[1])).toBeGreaterThan(paths.length);
    await server.stop();
    // The metrics count the records, on the primary.
    expect((await rowsRead(primary)) - before).toBeLessThan(10);
    expect(server.warnings).toEqual([]);
    await toldOnce(primary, standby);
  });

  test('a long list is one snapshot of a standby, and the live feed reads there', async () => {
    const primary = await newFilled(2);
    await primary.run(
      "insert into users (id, name, version, created_at, updated_at) select n, 'many', 1, now(), now() from generate_series(10, 5009) n",
    );
    const standby = await newStandby(primary);
    const server = await start(primary, [standby]);
    await untilUsed(server, standby);
    const listening = await Listening.to(`${server.url}/api/v2/events`);
    const parts = (await server.store.reads.list(everything(users))).parts('reader');
    if (parts === undefined) throw new Error('the list has changed');
    const first = await parts.next();
    expect((await post(server, 9000)).status).toBe(201);
    await listening.until(() => listening.told.some(({ data }) => data.includes('number 9000')));
    let text = new TextDecoder().decode(first.value ?? undefined);
    for (let part = await parts.next(); part.done !== true; part = await parts.next())
      text += new TextDecoder().decode(part.value);
    const records = JSON.parse(text) as { id: number }[];
    expect(records).toHaveLength(5002);
    expect(records.some(({ id }) => id === 9000)).toBe(false);
    expect(await (await fetch(`${server.url}/api/users`)).json()).toHaveLength(5003);
    expect(server.store.admin.figures().readsFromPrimary).toBe(0);
    listening.leave();
  });

  test('no read is stale while a standby lags: the primary answers, until the standby has caught up', async () => {
    const primary = await newFilled(2);
    const standby = await newStandby(primary);
    const server = await start(primary, [standby]);
    await untilUsed(server, standby);
    await standby.run('select pg_wal_replay_pause()');
    expect((await post(server, 3)).status).toBe(201);
    const answers = await Promise.all(Array.from({ length: 20 }, () => read(server, 3)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(leftOut(server, standby, 'it lags')).toBe(true);
    expect(figuresOf(server, standby)?.lagSeconds).toBeGreaterThan(0);
    // Left out at once: no later read waits for it.
    const { reads } = figuresOf(server, standby) ?? { reads: 0 };
    expect((await read(server, 3)).status).toBe(200);
    expect(figuresOf(server, standby)?.reads).toBe(reads);
    await standby.run('select pg_wal_replay_resume()');
    await untilUsed(server, standby);
    expect((await read(server, 3)).status).toBe(200);
    expect(figuresOf(server, standby)?.reads).toBe(reads + 1);
    expect(server.warnings.at(-1)).toBe(`The standby 127.0.0.1:${standby.port} serves reads.`);
  });

  test('a commit that a standby shows before the primary is not answered before the primary shows it', async () => {
    const primary = await newFilled(2);
    const [early, late] = [await newStandby(primary, 'early'), await newStandby(primary, 'late')];
    const server = await start(primary, [early], { timeout: 30_000 });
    await untilUsed(server, early);
    await primary.run(
      "alter system set synchronous_standby_names = 'FIRST 2 (early, late)'",
      "alter system set synchronous_commit = 'remote_apply'",
      'select pg_reload_conf()',
    );
    const synchronous = "select 1 from pg_stat_replication where sync_state = 'sync'";
    await until(async () => (await primary.run(synchronous)).length === 2);
    expect((await post(server, 3)).status).toBe(201);
    await late.run('select pg_wal_replay_pause()');
    const stored = post(server, 4);
    const find = 'select 1 from users where id = 4';
    await until(async () => (await early.run(find)).length === 1);
    // What the standby shows and the primary does not is no answer, for reads of any kind.
    expect((await read(server, 4)).status).toBe(404);
    await until(
      async () =>
        leftOut(server, early, 'it shows changes that the primary does not show yet') ||
        (await read(server, 1)).status === 0,
    );
    expect(await (await fetch(`${server.url}/api/users`)).text()).not.toContain('number 4');
    expect(await (await fetch(`${server.url}/api/v2/changes?after=0`)).text()).not.toContain('number 4');
    expect(await primary.run(find)).toEqual([]);
    await late.run('select pg_wal_replay_resume()');
    expect((await stored).status).toBe(201);
    expect((await read(server, 4)).status).toBe(200);
    await untilUsed(server, early);
    expect((await read(server, 4)).status).toBe(200);
  });

  test('a standby that is killed, or does not answer, fails no read, and serves reads again when it is back', async () => {
    const primary = await newFilled(2);
    const [one, two] = [await newStandby(primary), await newStandby(primary)];
    const server = await start(primary, [one, two], { timeout: 4000 });
    await untilUsed(server, one);
    await untilUsed(server, two);
    let reading = true;
    const statuses: number[] = [];
    const load = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (reading) statuses.push((await read(server, 2)).status);
      }),
    );
    await one.kill();
    await until(() => leftOut(server, one, 'it does not answer'));
    two.pause();
    await until(() => leftOut(server, two, 'it does not answer'));
    two.resume();
    await one.start();
    await untilUsed(server, one);
    await untilUsed(server, two);
    reading = false;
    await load;
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test('a standby that is promoted serves no reads, and none of its standbys', async () => {
    const primary = await newFilled(2);
    const standby = await newStandby(primary);
    const server = await start(primary, [standby]);
    await untilUsed(server, standby);
    await standby.run('select pg_promote()');
    await until(async () => (await standby.run('select pg_is_in_recovery()'))[0]?.[0] === false);
    const other = await startServer({ database: standby.url() });
    open.push(other);
    for (const id of [30, 31, 32]) expect((await post(other, id)).status).toBe(201);
    expect((await post(server, 3)).status).toBe(201);
    expect((await read(server, 3)).status).toBe(200);
    expect(leftOut(server, standby, 'it is not a standby')).toBe(true);
    // It has more changes than the primary, but they are others.
    const follower = await newStandby(standby);
    const second = await start(primary, [follower]);
    expect(leftOut(second, follower, 'its changes are not those of the primary')).toBe(true);
    expect((await read(second, 3)).status).toBe(200);
    expect((await read(second, 30)).status).toBe(404);
  });

  test('after a promotion, the standbys of the new primary serve reads once they follow it', async () => {
    const primary = await newFilled(2);
    const [next, third] = [await newStandby(primary, 'next'), await newStandby(primary, 'third')];
    await primary.waitForStandby();
    const database = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${next.port}/postgres`;
    // All servers of the cluster are listed.
    const server = await start(primary, [primary, next, third], {}, database);
    await untilUsed(server, next);
    await untilUsed(server, third);
    await primary.kill();
    await next.run('select pg_promote()');
    await until(async () => (await post(server, 3)).status === 201);
    expect((await read(server, 3)).status).toBe(200);
    await until(async () => (await read(server, 3)).ok && leftOut(server, next, 'it is not a standby'));
    expect(figuresOf(server, third)?.isUsed).toBe(false);
    await third.stop();
    third.follow(next);
    await third.start();
    await untilUsed(server, third);
    expect((await read(server, 3)).status).toBe(200);
    // The primary is no standby that could be missed.
    expect(Object.keys(server.store.admin.figures().replicas)).not.toContain(`127.0.0.1:${next.port}`);
    expect(server.warnings.filter((line) => line.includes(`127.0.0.1:${next.port} is left out`))).toHaveLength(1);
  });

  test('a standby that is down does not keep the server from starting', async () => {
    const primary = await newFilled(2);
    const down = { port: freePort() };
    const server = await start(primary, [down]);
    expect((await read(server, 2)).status).toBe(200);
    expect(leftOut(server, down, 'it does not answer')).toBe(true);
    expect(await (await fetch(`${server.url}/metrics`)).text()).toContain(
      `shelf_replica_up{replica="127.0.0.1:${down.port}"} 0`,
    );
  });

  test('a server of another cluster is refused at the start in one line, without the password', async () => {
    const primary = await newFilled();
    const folder = mkdtempSync(join(tmpdir(), 'shelf-cluster-'));
    initialize(folder);
    const stranger = await new Cluster(withoutSyncs, folder).start();
    open.push({ stop: () => stranger.remove() });
    const { code, stderr } = await runShelf({
      args: ['--port', '0'],
      env: {
        DATABASE_URL: primary.url(),
        SHELF_DATABASE_REPLICAS: `postgres://postgres:secret@127.0.0.1:${stranger.port}/postgres`,
      },
    });
    expect([code, stderr.trim()]).toEqual([
      1,
      expect.stringContaining(
        `The server 127.0.0.1:${stranger.port} of --database-replicas is not a standby of the database: it belongs to another database cluster.`,
      ),
    ]);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).not.toContain('secret');
  });
});

test('standbys of another engine, and what is not a PostgreSQL URL, are refused in one line', async () => {
  const run = (...args: string[]) => runShelf({ args: ['--port', '0', ...args] });
  const memory = await run('--database', 'memory:', '--database-replicas', 'postgres://a@db2/shelf');
  expect([memory.code, memory.stderr.trim()]).toEqual([
    1,
    expect.stringContaining('--database-replicas needs a PostgreSQL database, and --database is memory: leave it out.'),
  ]);
  const wrong = await run('--database-replicas', 'postgres://a:secret@db2/shelf,postgres://');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--database-replicas must be none, or')]);
  expect(wrong.stderr).not.toContain('secret');
  const shown = await run(
    '--database',
    'memory:',
    '--database-replicas',
    'postgres://a@db2/x,postgres://a:secret@db3/x',
  );
  expect(shown.stderr).toContain('Warning: the password in --database-replicas is visible');
  expect(shown.stderr).not.toContain('secret');
});
