/** Batches on a fake pool: the test controls when a connection becomes available. */
import { expect, test } from 'bun:test';
import { items } from '../../../collections/items.ts';
import { LostBulks } from '../bulk/lost-bulks.ts';
import { type CurrentServer, fixedServer } from '../connect/current-server.ts';
import { NoPrimary } from '../connect/errors.ts';
import { Migrated } from '../connect/migrated.ts';
import type { Pool } from '../connect/pool.ts';
import { SeenChanges } from '../primary/seen-changes.ts';
import { Batches } from './batches.ts';

type Batch = { readonly runs: readonly { readonly add: readonly { readonly id: number }[] }[] };

const add = (id: number) => ({ operation: { op: 'create', collection: items, json: `{"id":${id}}` } as const });

function migratedTo(writeFunction: string): Migrated {
  const migrated = new Migrated();
  migrated.succeed(writeFunction);
  return migrated;
}

const only = fixedServer('postgres://host/name');

function open(migrated = migratedTo('write'), server: CurrentServer = only) {
  /** Ids of each batch that was sent. */
  const sent: number[][] = [];
  const connected = Promise.withResolvers<unknown>();
  const connection = {
    unsafe(_: string, [text]: [string]) {
      const ids = (JSON.parse(text) as Batch).runs.flatMap((run) => run.add.map(({ id }) => id));
      sent.push(ids);
      return { values: async () => [[JSON.stringify({ at: '', last: null, epoch: null, outcomes: ids })]] };
    },
  };
  let reserved = 0;
  const asked = Promise.withResolvers<void>();
  const pool = {
    reserve() {
      reserved++;
      asked.resolve();
      return connected.promise;
    },
    query: (ask: () => Promise<unknown>) => ask(),
    options: { server },
    release() {},
  };
  const lostBulks = new LostBulks({ once: () => Promise.reject(new Error('no answer')) }, 20, () => {});
  const noticed = new SeenChanges(() => {});
  const writes = new Batches(pool as unknown as Pool, 20, noticed, migrated, lostBulks, undefined);
  return {
    writes,
    sent,
    connect: (to: unknown = connection) => connected.resolve(to),
    /** Resolves when the first batch is taken from the queue: later writes go into the next. */
    asked: asked.promise,
    reserved: () => reserved,
  };
}

const additions = {
  to: 'items',
  spooled: { fd: -1, size: 0 },
  once: undefined,
  isDry: false,
  by: undefined,
  table: undefined,
};

/** As the driver reports idle_in_transaction_session_timeout. */
const idleForTooLong = Object.assign(new Error('terminating connection'), {
  errno: '25P03',
  code: 'ERR_POSTGRES_SERVER_ERROR',
});

/** As the driver reports a foreign key. */
const stillReferenced = Object.assign(new Error('violates foreign key constraint'), {
  errno: '23503',
  code: 'ERR_POSTGRES_SERVER_ERROR',
});

const nothingChanged = {
  status: 'rejected' as const,
  reason: expect.objectContaining({ code: 'storage_unavailable' }),
};

test('a write that was answered with "nothing was changed" is not sent when a connection comes after all', async () => {
  const { writes, sent, connect } = open();
  expect(await Promise.allSettled([writes.submit(add(1))])).toEqual([nothingChanged]);
  connect();
  await writes.end();
  expect(sent.flat()).toEqual([]);
});

test('of a batch, only the writes that were not given up are sent, and each gets its own outcome', async () => {
  const { writes, sent, connect, asked } = open();
  const early = [writes.submit(add(1))];
  await asked;
  early.push(writes.submit(add(2)), writes.submit(add(3)));
  expect(await Promise.allSettled(early)).toEqual(Array(3).fill(nothingChanged));
  Object.assign(writes, { timeoutMs: 60_000 });
  const late = [4, 5].map((id) => writes.submit(add(id)));
  connect();
  expect((await Promise.all(late)).map(({ outcome }) => outcome)).toEqual([4, 5]);
  expect(sent.flat()).toEqual([4, 5]);
});

test('transactions that wait share a call with other writes, in their order', async () => {
  const { writes, connect, asked } = open();
  Object.assign(writes, { timeoutMs: 60_000 });
  const calls: string[][] = [];
  const first = writes.submit(add(1));
  await asked;
  const step = { op: 'create', collection: items, json: ['{"name":"a"}'] } as const;
  const transaction = { operations: [step, step], returnsRecords: false };
  const waiting = [
    writes.submit(transaction),
    writes.submit(add(2)),
    ...Array.from({ length: 20 }, () => writes.submit(transaction)),
  ];
  connect({
    unsafe(_: string, [text]: [string]) {
      const runs = (JSON.parse(text) as { runs: { to: string }[] }).runs.map(({ to }) => to);
      calls.push(runs);
      return { values: async () => [[JSON.stringify({ at: '', last: null, epoch: null, outcomes: runs })]] };
    },
  });
  await Promise.all([first, ...waiting]);
  expect(calls).toEqual([['items'], ['', 'items', ...Array(20).fill('')]]);
});

test('a batch that was given up as a whole takes no connection', async () => {
  const { writes, connect, asked, reserved } = open();
  const early = [writes.submit(add(1))];
  await asked;
  early.push(writes.submit(add(2)));
  expect(await Promise.allSettled(early)).toEqual(Array(2).fill(nothingChanged));
  connect();
  await writes.end();
  expect(reserved()).toBe(1);
});

test('a write that arrives before the database is migrated is sent afterwards', async () => {
  const migrated = new Migrated();
  const { writes, sent, connect } = open(migrated);
  Object.assign(writes, { timeoutMs: 60_000 });
  connect();
  const early = writes.submit(add(1));
  await new Promise(setImmediate);
  expect(sent).toEqual([]);
  migrated.succeed('write');
  expect((await early).outcome).toBe(1);
});

test('when a start has failed, a write is answered at once with "nothing was changed"', async () => {
  const migrated = new Migrated();
  const { writes } = open(migrated);
  Object.assign(writes, { timeoutMs: 60_000 });
  migrated.fail();
  expect(await Promise.allSettled([writes.submit(add(1))])).toEqual([nothingChanged]);
});

test('until the database is migrated nothing is sent, and every write is answered with "nothing was changed"', async () => {
  const { writes, connect, reserved } = open(new Migrated());
  connect();
  const answers = await Promise.allSettled([writes.submit(add(1)), writes.addAll(additions)]);
  expect(answers).toEqual([nothingChanged, nothingChanged]);
  expect(reserved()).toBe(0);
});

test('a bulk whose transaction PostgreSQL has ended is answered with "nothing was changed"', async () => {
  const { writes, connect } = open();
  connect({ unsafe: () => ({ values: () => Promise.reject(idleForTooLong) }) });
  const [answer] = await Promise.allSettled([writes.addAll(additions)]);
  expect(answer).toEqual(nothingChanged);
});

test('a write that an unknown collection refers to is refused, and the others of its batch are stored', async () => {
  const { writes, connect, asked } = open();
  Object.assign(writes, { timeoutMs: 60_000 });
  const first = writes.submit(add(1));
  await asked;
  const rest = [2, 3, 4].map((id) => writes.submit(add(id)));
  connect({
    unsafe(_: string, [text]: [string]) {
      const ids = (JSON.parse(text) as Batch).runs.flatMap((run) => run.add.map(({ id }) => id));
      const stored = [[JSON.stringify({ at: '', last: null, epoch: null, outcomes: ids })]];
      return { values: async () => (ids.includes(3) ? Promise.reject(stillReferenced) : stored) };
    },
  });
  await first;
  const stored = (outcome: number) => ({ status: 'fulfilled' as const, value: expect.objectContaining({ outcome }) });
  const held = { status: 'rejected' as const, reason: expect.objectContaining({ code: 'still_referenced' }) };
  expect(await Promise.allSettled(rest)).toEqual([stored(2), held, stored(4)]);
});

test('a write is acknowledged only if its server is still the primary after it was sent', async () => {
  const before = performance.now();
  const asked: number[] = [];
  const server: CurrentServer = {
    ...only,
    confirm: async (since) => {
      asked.push(since);
      throw new NoPrimary('another server is the primary', '');
    },
  };
  const { writes, sent, connect } = open(migratedTo('write'), server);
  connect();
  const unknown = { status: 'rejected' as const, reason: expect.objectContaining({ code: 'outcome_unknown' }) };
  expect(await Promise.allSettled([writes.submit(add(1))])).toEqual([unknown]);
  expect(sent).toEqual([[1]]);
  const bulk = open(migratedTo('write'), server);
  bulk.connect({
    unsafe: (statement: string) => ({
      values: async () => (statement.startsWith('begin;') ? [[], [], [[true]]] : [[]]),
    }),
  });
  expect(await Promise.allSettled([bulk.writes.addAll(additions)])).toEqual([unknown]);
  expect(asked).toHaveLength(2);
  for (const since of asked) expect(since).toBeWithin(before, performance.now());
});
