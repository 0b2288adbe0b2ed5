/** A connection pool, and the deadline of a query. */
import { afterEach, describe, expect, jest, test } from 'bun:test';
import type { SQL } from 'bun';
import { fixedServer } from './current-server.ts';
import { Unanswered } from './errors.ts';
import { connect, Pool, withDeadline } from './pool.ts';

const max = 4;
const timeoutMs = 60_000;
/** Much longer than a pool stays reduced to one connection. */
const longMs = 3_600_000;
const open: { close(): unknown }[] = [];

afterEach(async () => {
  jest.useRealTimers();
  for (const one of open.splice(0)) await one.close();
});

/** A pool connects only at the first query, so most tests need no server. */
function openPool(port = 1): Pool {
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const pool = new Pool({ server: fixedServer(url), max, timeoutMs, prepare: true, giveUpOn: 'statement_timeout' });
  open.push(pool);
  return pool;
}

/** A server that refuses each connection with SQLSTATE 53300, as PostgreSQL does over max_connections. */
function fullServer(): number {
  const fields = 'SFATAL\0VFATAL\0C53300\0Msorry, too many clients already\0\0';
  const refusal = Buffer.alloc(5 + fields.length);
  refusal.write('E');
  refusal.writeUInt32BE(4 + fields.length, 1);
  refusal.write(fields, 5);
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data: (socket) => {
        socket.end(refusal);
      },
    },
  });
  open.push({ close: () => server.stop(true) });
  return server.port;
}

const soon = () => performance.now() + timeoutMs;
/** Wrapped in an object, because a promise would await the connections themselves. */
const connectionsOf = (pool: Pool) => pool.once(async (sql) => ({ sql }), soon());
const mostOf = async (pool: Pool) => (await connectionsOf(pool)).sql.options.max;

test('queries in flight are counted, up to the number of connections', async () => {
  const pool = openPool();
  const answer = Promise.withResolvers<void>();
  const asked: Promise<void>[] = [];
  const used: number[] = [];
  for (let n = 0; n <= max; n++) {
    used.push(pool.used);
    asked.push(pool.once(() => answer.promise, soon()));
  }
  expect([...used, pool.used]).toEqual([0, 1, 2, 3, 4, 4]);
  answer.resolve();
  await Promise.all(asked);
  expect(pool.used).toBe(0);
});

test('each query uses the connections of the previous one', async () => {
  const pool = openPool();
  const first = await connectionsOf(pool);
  const second = await connectionsOf(pool);
  expect(second.sql === first.sql).toBe(true);
});

describe('a read', () => {
  const failing = (errno: string) => {
    const asked = { times: 0 };
    const ask = async () => {
      if (asked.times++ === 0) throw Object.assign(new Error('failed'), { errno });
      return asked.times;
    };
    return { asked, ask };
  };

  test('is repeated after a transient error', async () => {
    expect(await openPool().read(failing('40001').ask)).toBe(2);
  });

  test.each([
    ['any other error', '42P01', timeoutMs],
    ['a transient error shortly before the deadline', '40001', 0],
  ])('is not repeated after %s', async (_, errno, ms) => {
    const { asked, ask } = failing(errno);
    await expect(openPool().read(ask, performance.now() + ms)).rejects.toMatchObject({ errno });
    expect(asked.times).toBe(1);
  });
});

describe.each<[string, (pool: Pool) => Promise<unknown>]>([
  ['a query', (pool) => pool.once((sql: SQL) => sql`select 1`.values(), soon())],
  ['a reservation', (pool) => pool.reserve(soon())],
])('if the server has no connection left for %s', (_, use) => {
  test('the pool is reduced to one connection for some time', async () => {
    jest.useFakeTimers();
    const pool = openPool(fullServer());
    expect(await mostOf(pool)).toBe(max);
    await expect(use(pool)).rejects.toMatchObject({ errno: '53300' });
    const modest = await connectionsOf(pool);
    expect(modest.sql.options.max).toBe(1);
    await expect(use(pool)).rejects.toMatchObject({ errno: '53300' });
    expect((await connectionsOf(pool)).sql === modest.sql).toBe(true);
    jest.advanceTimersByTime(longMs);
    expect(await mostOf(pool)).toBe(max);
  });
});

test('a query without an answer is given up at the deadline, and not before', async () => {
  jest.useFakeTimers();
  jest.advanceTimersByTime(1000);
  const given = [50, 51].map((ms) => {
    const one = { up: undefined as unknown };
    withDeadline(new Promise<never>(() => {}), performance.now() + ms).catch((error) => {
      one.up = error;
    });
    return one;
  });
  jest.advanceTimersByTime(50);
  jest.useRealTimers();
  await new Promise(setImmediate);
  expect(given).toEqual([{ up: expect.any(Unanswered) }, { up: undefined }]);
});

test('PostgreSQL gives up before this instance does, so that both know the outcome', () => {
  const to = { url: 'postgres://host/name', timeoutMs: 1000, giveUpOn: 'lock_timeout' } as const;
  const bounds = { max: 1, idleTimeout: 0 };
  const given = (prepare: boolean) => connect({ ...to, prepare }, bounds).options;
  expect(given(true)).toMatchObject({ query: expect.stringContaining('\0lock_timeout\x00900\0') });
  // A pooler refuses the setting.
  expect(given(false)).toMatchObject({ query: expect.not.stringContaining('lock_timeout') });
});
