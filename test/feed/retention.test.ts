/** --history and --keys-kept: older entries are removed, and newer ones are kept. */

import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, spyOn, test } from 'bun:test';
import { SQL } from 'bun';
import { items } from '../../src/collections/items.ts';
import { everyChange } from '../../src/domain/feed/selection.ts';
import { everybody } from '../../src/domain/store/writes.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { Listening } from '../support/servers/network/listening.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const hour = 3_600_000;

/** Makes all rows of the table this many hours older. */
async function age(database: string, table: 'changes' | 'idempotency_keys', hours: number): Promise<void> {
  if (database.startsWith('sqlite:')) {
    using db = new Database(database.slice('sqlite:'.length));
    db.run(`update ${table} set at = strftime('%Y-%m-%dT%H:%M:%fZ', at, '-${hours} hours')`);
    return;
  }
  const sql = new SQL({ url: database, max: 1 });
  await sql.unsafe(`update ${table} set at = at - interval '${hours} hours'`);
  await sql.close();
}

describe.each(migratedEngines())('%s', (_, newUrl) => {
  const open: TestServer[] = [];
  afterEach(async () => {
    for (const server of open.splice(0)) await server.stop();
  });
  async function start(): Promise<TestServer & { database: string }> {
    const database = await newUrl();
    const server = await startServer({ database, storage: { history: hour, idempotency: hour } });
    open.push(server);
    return { ...server, database };
  }
  const add = async ({ store }: TestServer) =>
    (
      await store.writes.commit(everybody, {
        operation: { op: 'create', collection: items, json: items.encode({ id: 5n, name: 'n', price: 1 }) },
      })
    ).recordId;
  /** The number of the record of the key: a new record if the key has expired. */
  const once = async ({ url }: TestServer, key: string) => {
    const headers = { 'Idempotency-Key': key };
    const answer = await fetch(`${url}/api/v2/items`, { method: 'POST', headers, body: '{"name":"n","price":1}' });
    return ((await answer.json()) as { id: number }).id;
  };
  const bulkOnce = async ({ url }: TestServer, key: string) => {
    const headers = { 'Idempotency-Key': key, 'Content-Type': 'application/x-ndjson' };
    const body = '{"name":"n","price":1}\n'.repeat(3);
    const answer = await fetch(`${url}/api/v2/items`, { method: 'POST', headers, body });
    return ((await answer.json()) as { first_id: number }).first_id;
  };

  test('trimming removes older changes and keeps newer ones', async () => {
    const server = await start();
    await add(server);
    const { last } = await server.store.feed.history();
    await age(server.database, 'changes', 2);
    const young = await add(server);
    expect(await server.store.feed.trim(3 * hour)).toBe(0);
    expect(await server.store.feed.trim(hour)).toBe(last);
    const { found, history } = await server.store.feed.changes(everyChange, last, 10);
    expect(found.map(({ change }) => change.record.recordId)).toEqual([young]);
    expect(history.trimmed).toBe(last);
    expect(await server.store.feed.trim(hour)).toBe(0);
  });

  test('a follower of a quiet collection that has caught up can continue when all changes are trimmed', async () => {
    const server = await start();
    const pull = async (after: number) => {
      const answer = await fetch(`${server.url}/api/v2/changes?collection=users&after=${after}`);
      return { status: answer.status, ...((await answer.json()) as { data?: unknown[]; last: number }) };
    };
    const first = await pull(0);
    expect(first.data).toHaveLength(1);
    for (let n = 0; n < 3; n++) await add(server);
    const caughtUp = await pull(first.last);
    const { last } = await server.store.feed.history();
    expect(caughtUp).toEqual({ status: 200, data: [], last });
    // The position of the live feed, too.
    const listening = await Listening.to(`${server.url}/api/v2/events?collection=users&after=${first.last}`);
    await listening.until(() => listening.lastId === String(last));
    expect(listening.told).toEqual([]);
    listening.leave();

    while ((await server.store.feed.trim(-1000)) > 0);
    expect(await pull(last)).toEqual({ status: 200, data: [], last });
    expect((await pull(first.last)).status).toBe(410);
    const resumed = await Listening.to(`${server.url}/api/v2/events?collection=users`, {
      'Last-Event-ID': String(last),
    });
    await fetch(`${server.url}/api/v2/users`, { method: 'POST', body: '{"name":"n"}' });
    await resumed.until(() => resumed.told.length > 0);
    expect(resumed.told.map(({ event }) => event)).toEqual(['user.created']);
    resumed.leave();
  });

  test('older keys are removed and newer ones kept', async () => {
    const server = await start();
    await once(server, 'old');
    await age(server.database, 'idempotency_keys', 2);
    const young = await once(server, 'young');
    await server.store.admin.forgetIdempotencyKeys(3 * hour);
    expect(await keysIn(server.database)).toEqual(['old', 'young']);
    await server.store.admin.forgetIdempotencyKeys(hour);
    expect(await keysIn(server.database)).toEqual(['young']);
    expect(await once(server, 'young')).toBe(young);
  });

  test.each([
    ['one record', once],
    ['many records', bulkOnce],
  ])('a key for %s expires after --keys-kept, also if it was not removed yet', async (_, make) => {
    const server = await start();
    const first = await make(server, 'k');
    expect(await make(server, 'k')).toBe(first);
    await age(server.database, 'idempotency_keys', 0.5);
    expect(await make(server, 'k')).toBe(first);
    await age(server.database, 'idempotency_keys', 1);
    const second = await make(server, 'k');
    expect(second).toBeGreaterThan(first);
    expect(await make(server, 'k')).toBe(second);
  });

  test.each([
    ['soon after the start', 'setTimeout', 60_000],
    ['every hour', 'setInterval', hour],
  ] as const)('%s a server removes expired changes and keys', async (_, timer, delay) => {
    const timers = spyOn(globalThis, timer);
    let server: Awaited<ReturnType<typeof start>>;
    let due: unknown[];
    try {
      server = await start();
      due = timers.mock.calls.filter(([, ms]) => ms === delay).map(([callback]) => callback);
    } finally {
      timers.mockRestore();
    }
    await once(server, 'old');
    const { last } = await server.store.feed.history();
    for (const table of ['changes', 'idempotency_keys'] as const) await age(server.database, table, 2);
    await once(server, 'young');
    for (const callback of due) await (callback as () => unknown)();
    expect((await server.store.feed.history()).trimmed).toBe(last);
    expect(await keysIn(server.database)).toEqual(['young']);
  });
});

async function keysIn(database: string): Promise<string[]> {
  const statement = 'select key from idempotency_keys order by key';
  if (database.startsWith('sqlite:')) {
    using db = new Database(database.slice('sqlite:'.length));
    return db
      .prepare<{ key: string }, []>(statement)
      .all()
      .map(({ key }) => key);
  }
  const sql = new SQL({ url: database, max: 1 });
  const rows: { key: string }[] = await sql.unsafe(statement);
  await sql.close();
  return rows.map(({ key }) => key);
}
