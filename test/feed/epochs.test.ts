/** A PostgreSQL database that lost its last changes, as after a failover to a lagging standby or from a dump. */
import { describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { farJump } from '../../src/domain/feed/feed-history.ts';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { Listening } from '../support/servers/network/listening.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

type Item = { id: number; version: number };
type Changes = { data: { seq: number }[]; last: number };

const send = (server: TestServer, method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/api/v2${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  });
async function json<Value>(answer: Promise<Response>): Promise<Value> {
  return (await (await answer).json()) as Value;
}
const add = (server: TestServer) => json<Item>(send(server, 'POST', '/items', '{"name":"n","price":1}'));
const bulk = (server: TestServer) =>
  json<{ first_id: number }>(
    send(server, 'POST', '/items', '{"name":"n","price":1}\n', { 'Content-Type': 'application/x-ndjson' }),
  );
const patch = (server: TestServer, id: number) => json<Item>(send(server, 'PATCH', `/items/${id}`, '{"name":"p"}'));
const pull = (server: TestServer, after = 0) => json<Changes>(send(server, 'GET', `/changes?after=${after}`));

/** Removes the last `count` creations, as if they had never reached the new primary. */
async function lose(database: string, count: number): Promise<void> {
  const sql = new SQL(database, { max: 1 });
  await sql`delete from items where seq > (select max(seq) from items) - ${count}`;
  await sql`delete from changes where seq > (select max(seq) from changes) - ${count}`;
  // A standby has the sequence values of the changes that it received.
  await sql`select setval(pg_get_serial_sequence('items', 'seq'), (select max(seq) from items)),
                   setval(pg_get_serial_sequence('changes', 'seq'), (select max(seq) from changes))`;
  await sql.close();
}

/** Waits for the check after a read, which runs in the background: it must end before changes are removed. */
async function checked(database: string): Promise<void> {
  const sql = new SQL(database, { max: 1 });
  const ended = () => sql`select from pg_stat_activity
    where datname = current_database() and state = 'idle' and query like '%as lacking%'`;
  while ((await ended()).length === 0) await Bun.sleep(5);
  await sql.close();
}

async function gapsOf(database: string): Promise<unknown> {
  const sql = new SQL(database, { max: 1 });
  const [row] = await sql`select value from settings where name = 'gaps'`.values();
  await sql.close();
  return row === undefined ? undefined : JSON.parse(row[0]);
}

describe.skipIf(postgresUrl === undefined)('PostgreSQL', () => {
  test.each([
    ['a write', async (server: TestServer) => (await add(server)).id],
    ['a bulk', async (server: TestServer) => (await bulk(server)).first_id],
  ])('after the loss of an acknowledged change, %s begins a new epoch', async (_, write) => {
    const database = await newDatabase();
    const notices: string[] = [];
    const server = await startServer({
      database,
      logTo: (entry) => {
        if (entry.event === 'storage') notices.push(entry.message);
      },
    });
    const kept = await add(server);
    const { next_cursor } = await json<{ next_cursor: string }>(send(server, 'GET', '/items?limit=1'));
    const { last: common } = await pull(server);
    for (let n = 0; n < 4; n++) await add(server);
    const last = common + 4;
    await lose(database, 4);

    expect((await send(server, 'GET', `/changes?after=${last}`)).status).toBe(410);
    expect(await write(server)).toBeGreaterThan(farJump);
    expect(notices).toEqual([expect.stringContaining(`lacks change ${last}`)]);
    // No older change is known to be in both histories, so every follower must resync.
    for (const lost of [common, common + 1, last, farJump]) {
      expect((await send(server, 'GET', `/changes?after=${lost}`)).status).toBe(410);
      const listening = await Listening.to(`${server.url}/api/v2/events`, { 'Last-Event-ID': String(lost) });
      await listening.until(() => listening.told.length > 0);
      expect(listening.told[0]?.event).toBe('resync');
      listening.leave();
    }
    const [[, behind] = [0, 0]] = (await gapsOf(database)) as [number, number][];
    const { data } = await pull(server, behind);
    expect(data.map(({ seq }) => seq > farJump)).toEqual([true]);
    expect((await patch(server, kept.id)).version).toBeGreaterThan(farJump);
    expect((await send(server, 'GET', `/items?limit=1&cursor=${next_cursor}`)).status).toBe(400);
    // The new epoch begins only once.
    const next = await add(server);
    expect((await add(server)).id).toBe(next.id + 1);
    expect(notices.length).toBe(1);
    await server.stop();
  });

  test('reusing the number of a lost change begins a new epoch', async () => {
    const database = await newDatabase();
    const [seen, fresh] = await Promise.all([startServer({ database }), startServer({ database })]);
    await add(seen);
    const { last } = await pull(seen);
    await checked(database);
    await lose(database, 1);
    // An instance that has shown no change cannot detect the loss; one that has checks after reads and with each write.
    await add(fresh);
    expect((await pull(fresh)).last).toBe(last);
    expect((await add(seen)).id).toBeGreaterThan(farJump);
    // A follower at that number may have the lost change.
    expect((await send(fresh, 'GET', `/changes?after=${last}`)).status).toBe(410);
    await Promise.all([seen.stop(), fresh.stop()]);
  });

  test.each([
    [
      'a pull',
      async (server: TestServer) => (await json<Changes>(send(server, 'GET', '/changes?collection=users'))).last,
    ],
    [
      'the live feed',
      async (server: TestServer) => {
        const listening = await Listening.to(`${server.url}/api/v2/events?collection=users`);
        await listening.until(() => listening.lastId !== '');
        listening.leave();
        return Number(listening.lastId);
      },
    ],
  ])('the position that %s has given counts as seen, though its change was of another collection', async (_, look) => {
    const database = await newDatabase();
    const [seen, other] = await Promise.all([startServer({ database }), startServer({ database })]);
    // From here on the instance does not check for a second, so that it learns of the change from the position alone.
    await send(seen, 'GET', '/items/1');
    await checked(database);
    await add(other);
    const last = await look(seen);
    await lose(database, 1);
    expect((await add(seen)).id).toBeGreaterThan(farJump);
    expect((await send(seen, 'GET', `/changes?collection=users&after=${last}`)).status).toBe(410);
    await Promise.all([seen.stop(), other.stop()]);
  });

  test('an instance that has shown a lost change detects the loss after a read', async () => {
    const database = await newDatabase();
    const notices: string[] = [];
    const server = await startServer({
      database,
      logTo: (entry) => {
        if (entry.event === 'storage') notices.push(entry.message);
      },
    });
    await add(server);
    await lose(database, 1);
    while (notices.length === 0) expect((await send(server, 'GET', '/items/1')).status).toBe(200);
    expect(notices[0]).toContain('A new epoch begins');
    await server.stop();
  });

  test('one loss begins one epoch, however many instances and requests detect it', async () => {
    const database = await newDatabase();
    const servers = await Promise.all([startServer({ database }), startServer({ database })]);
    for (const server of servers) await add(server);
    await lose(database, 2);
    for (const server of [...servers, ...servers]) {
      expect((await send(server, 'DELETE', '/items/99999')).status).toBe(404);
    }
    for (const server of servers) await add(server);
    expect(await gapsOf(database)).toHaveLength(1);
    for (const server of servers) await server.stop();
  });

  test('losing a change that an instance has only read begins a new epoch', async () => {
    const database = await newDatabase();
    const [writer, reader] = await Promise.all([startServer({ database }), startServer({ database })]);
    await add(writer);
    await writer.stop();
    await pull(reader);
    await lose(database, 1);
    expect((await add(reader)).id).toBeGreaterThan(farJump);
    await reader.stop();
  });

  test('without a loss no epoch begins, also after history was trimmed', async () => {
    const database = await newDatabase();
    const server = await startServer({ database });
    const { id } = await add(server);
    while ((await server.store.feed.trim(-60_000)) > 0);
    expect((await add(server)).id).toBe(id + 1);
    await server.stop();
    const again = await startServer({ database });
    expect((await add(again)).id).toBe(id + 2);
    expect(await gapsOf(database)).toBeUndefined();
    await again.stop();
  });

  test('a dump restored into another cluster begins a new epoch at the first start', async () => {
    const database = await newDatabase();
    const first = await startServer({ database });
    const { id } = await add(first);
    await first.stop();
    const sql = new SQL(database, { max: 1 });
    await sql`update settings set value = '1' where name = 'system'`;
    await sql.close();
    const servers = await Promise.all([startServer({ database }), startServer({ database })]);
    const added = await add(servers[0]);
    expect(added.id).toBeGreaterThan(id + farJump - 10);
    expect(added.id).toBeLessThan(id + 2 * farJump);
    for (const server of servers) await server.stop();
    const again = await startServer({ database });
    expect((await add(again)).id).toBe(added.id + 1);
    await again.stop();
  });
});
