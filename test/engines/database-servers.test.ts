/** A database URL that names several servers: the instance finds the primary among them, and follows it. */
import { afterEach, describe, expect, test } from 'bun:test';
import { Primary } from '../../src/storage/postgres/primary/primary.ts';
import { Cluster, withoutSyncs } from '../postgres/cluster.ts';
import { postgresUrl } from '../postgres/database.ts';
import { Forwarder } from '../postgres/forwarder.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { Listening } from '../support/servers/network/listening.ts';
import { runShelf } from '../support/servers/process.ts';
import { type ServerOptions, startServer, type TestServer } from '../support/servers/server.ts';

/** An instance uses a server for so long after a standby has confirmed a commit there. */
const leaseMs = 1000;

const open: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

async function start(options: ServerOptions): Promise<TestServer> {
  const server = await startServer(options);
  open.push(server);
  return server;
}

async function newPrimary(): Promise<Cluster> {
  const cluster = new Cluster(withoutSyncs);
  open.push({ stop: () => cluster.remove() });
  return cluster.start();
}

/** A primary, and a standby that each of its commits waits for. */
async function newPair(): Promise<readonly [primary: Cluster, standby: Cluster]> {
  const primary = await newPrimary();
  const standby = await primary.standby(withoutSyncs);
  open.push({ stop: () => standby.remove() });
  await standby.start();
  await primary.waitForStandby();
  return [primary, standby];
}

function forwarderTo({ port }: Cluster): Forwarder {
  const forwarder = new Forwarder(port);
  open.push(forwarder);
  return forwarder;
}

const urlOf = (...servers: readonly { readonly port: number }[]) =>
  `postgres://postgres@${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}/postgres`;
const post = ({ url }: TestServer, id: number) =>
  fetch(`${url}/api/users`, { method: 'POST', body: `{"id":${id},"name":"number ${id}"}` });
const read = ({ url }: TestServer, id: number) => fetch(`${url}/api/users/${id}`);

const heard = ({ told }: Listening, id: number) => told.some(({ data }) => data.includes(`"number ${id}"`));

/** Retries until the write is acknowledged. */
async function store(server: TestServer, id: number): Promise<void> {
  while ((await post(server, id)).status !== 201) await Bun.sleep(20);
}

describe.skipIf(postgresUrl === undefined)('with several database servers', () => {
  test('the primary is used if the first server is down, and asynchronous replication is one warning', async () => {
    const primary = await newPrimary();
    const warnings: string[] = [];
    const server = await start({
      database: urlOf({ port: freePort() }, primary),
      logTo: (entry) => {
        if (entry.level === 'warn' && entry.event === 'storage') warnings.push(entry.message);
      },
    });
    expect((await post(server, 7)).status).toBe(201);
    expect(await primary.run('select name from users where id = 7')).toEqual([['number 7']]);
    expect(warnings).toEqual([expect.stringMatching(/^Replication is asynchronous: .*synchronous_standby_names/)]);
  });

  test('the primary is used if the first server is a standby, by commands too', async () => {
    const [primary, standby] = await newPair();
    const database = urlOf(standby, primary);
    const warnings: string[] = [];
    const server = await start({
      database,
      logTo: (entry) => {
        if (entry.level === 'warn') warnings.push(JSON.stringify(entry));
      },
    });
    expect((await post(server, 7)).status).toBe(201);
    expect(warnings).toEqual([]);
    const created = await runShelf({
      args: ['keys', 'create', '--name', 'one', '--scope', 'read', '--database', database],
    });
    expect([created.code, created.stderr]).toEqual([0, expect.stringContaining(`127.0.0.1:${standby.port},127.0.0.1`)]);
    expect(await primary.run('select name from api_keys')).toEqual([['one']]);
    const verified = await runShelf({ args: ['verify', '--database', database] });
    expect([verified.code, verified.stderr]).toEqual([0, '']);
    const planned = await runShelf({ args: ['migrate', '--plan', '--database', database] });
    expect(planned.code).toBe(0);
  });

  test('a promoted standby is used: no write is lost, and live listeners continue', async () => {
    const [primary, standby] = await newPair();
    const moved: string[] = [];
    const server = await start({
      database: urlOf(primary, standby),
      logTo: (entry) => {
        if (entry.level === 'warn' && entry.event === 'storage') moved.push(entry.message);
      },
    });
    const listening = await Listening.to(`${server.url}/api/v2/events`);
    await store(server, 2);
    await listening.until(() => heard(listening, 2));
    await primary.kill();
    const answered = post(server, 3);
    await standby.run('select pg_promote()');
    // Sent while there was no primary, and stored if it is acknowledged.
    if ((await answered).status === 201) expect((await read(server, 3)).status).toBe(200);
    await store(server, 4);
    await listening.until(() => heard(listening, 4));
    expect((await read(server, 2)).status).toBe(200);
    expect(moved).toEqual([
      `The database is on another server: 127.0.0.1:${standby.port} (before: 127.0.0.1:${primary.port}).`,
    ]);
    listening.leave();
  });

  test('without a primary the instance is not ready and says why, and recovers when there is one', async () => {
    const [primary, standby] = await newPair();
    const server = await start({ database: urlOf(standby, primary), storage: { timeout: 1500 } });
    await primary.kill();
    const why = async (answer: Promise<Response>) => [(await answer).status, await (await answer).text()];
    const reason = 'No database server accepts writes (1 standby, 1 without an answer).';
    let told = await why(fetch(`${server.url}/readyz`));
    while (!String(told[1]).includes(reason)) told = await why(fetch(`${server.url}/readyz`));
    expect(told[0]).toBe(503);
    const refused = await why(post(server, 3));
    expect(refused).toEqual([503, expect.stringContaining('nothing was changed')]);
    await standby.run('select pg_promote()');
    while ((await fetch(`${server.url}/readyz`)).status !== 200) await Bun.sleep(20);
    expect((await post(server, 4)).status).toBe(201);
    expect((await read(server, 3)).status).toBe(404);
  });

  test('a former primary that was paused serves no stale read, and no write of it is acknowledged', async () => {
    const [primary, standby] = await newPair();
    const timeout = 2000;
    const [one, two] = [
      await start({ database: urlOf(primary, standby), storage: { timeout } }),
      await start({ database: urlOf(primary, standby), storage: { timeout } }),
    ];
    await store(one, 2);
    primary.pause();
    await standby.run('select pg_promote()');
    await store(two, 3);
    // The first instance has connections to the former primary, which answers again.
    primary.resume();
    const seen: number[] = [];
    while (!seen.includes(200)) seen.push((await read(one, 3)).status);
    // No answer without the record came before the one with it.
    expect(new Set(seen.slice(0, -1))).not.toContain(404);
    await store(one, 4);
    expect((await read(two, 4)).status).toBe(200);
    expect(await primary.run('select id from users where id > 2')).toEqual([]);
  });

  test('a former primary is not used if the new one cannot be reached', async () => {
    const [primary, standby] = await newPair();
    const toStandby = forwarderTo(standby);
    const one = await start({ database: urlOf(primary, toStandby), storage: { timeout: 1500 } });
    const two = await start({ database: urlOf(primary, standby) });
    await store(one, 2);
    toStandby.refuses = true;
    toStandby.cutAll();
    await standby.run('select pg_promote()');
    // Not acknowledged before every lease on the former primary has ended.
    await store(two, 3);
    // A request whose time ends before all servers were asked does not know the reason.
    for (let told = ''; !told.includes('no synchronous standby confirms its commits'); ) {
      const stale = await read(one, 3);
      expect(stale.status).toBe(503);
      told = await stale.text();
    }
    const write = await post(one, 4);
    expect([write.status, await write.text()]).toEqual([503, expect.stringContaining('nothing was changed')]);
    expect((await read(two, 4)).status).toBe(404);
    toStandby.refuses = false;
    await store(one, 5);
    expect((await read(one, 3)).status).toBe(200);
    expect((await read(two, 5)).status).toBe(200);
  });

  test('while no standby confirms commits, proofs that were given up leave no sessions behind', async () => {
    const [primary, standby] = await newPair();
    const server = await start({ database: urlOf(primary, standby), storage: { timeout: 400 } });
    await store(server, 2);
    await standby.kill();
    // Until the lease has ended, and then for several timeouts.
    while ((await read(server, 2)).status !== 503) await Bun.sleep(20);
    for (let n = 0; n < 10; n++) expect((await read(server, 2)).status).toBe(503);
    const [row] = await primary.run(
      "select count(*)::int from pg_stat_activity where application_name like 'shelf proof%'",
    );
    // The current one, and one that is ending.
    expect(row?.[0]).toBeWithin(1, 3);
  });

  test('an instance uses a primary that it finds only when the leases of others on another one have ended', async () => {
    const primary = await newPrimary();
    const began = performance.now();
    await start({ database: urlOf(primary, { port: freePort() }) });
    expect(performance.now() - began).toBeGreaterThan(leaseMs);
  });

  test('a slow write is not acknowledged if another server has become the primary', async () => {
    const [former, standby] = await newPair();
    const servers = [former, standby].map((server) => urlOf(server));
    const primary = new Primary(servers, { timeoutMs: 5000, prepare: true, onMoved: () => {} });
    open.push({ stop: () => primary.close() });
    await primary.admit(performance.now() + 5000);
    const longAgo = performance.now() - 2 * leaseMs;
    expect(primary.confirm(performance.now())).toBeUndefined();
    expect(await primary.confirm(longAgo)).toBeUndefined();
    await standby.run('select pg_promote()');
    await expect(primary.confirm(longAgo)).rejects.toThrow('another server has become the primary');
  });

  test('if no server can be used, a command says why in one line, without the password', async () => {
    const [primary, standby] = await newPair();
    await primary.kill();
    const database = `postgres://postgres:secret@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres`;
    for (const args of [['verify'], ['migrate', '--plan'], ['keys', 'list', '--database-wait', '0s']]) {
      const { code, stderr } = await runShelf({ args, env: { DATABASE_URL: database } });
      expect(code).toBe(1);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(stderr).toContain(`127.0.0.1:${standby.port} is a standby`);
      expect(stderr).not.toContain('secret');
    }
  });
});
