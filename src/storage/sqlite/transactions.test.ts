/** Transactions of several operations on SQLite: what readers in memory and in the file see of them. */

import { afterEach, expect, test } from 'bun:test';
import { engineOf, withCache } from '../../../test/support/servers/engine.ts';
import { everything } from '../../domain/access/view.ts';
import { Failure } from '../../domain/errors.ts';
import { everyChange } from '../../domain/feed/selection.ts';
import { collection } from '../../domain/record/collection.ts';
import type { Step } from '../../domain/store/operation.ts';
import type { Store } from '../../domain/store/store.ts';
import { everybody } from '../../domain/store/writes.ts';
import { openEngine } from '../open.ts';

const accounts = collection('accounts', {
  singular: 'account',
  fields: {
    name: { type: 'text', max: 50, unique: true },
    balance: { type: 'decimal', scale: 2, min: '0' },
    visits: { type: 'integer', optional: true },
  },
});
const moves = collection('moves', {
  singular: 'move',
  fields: {
    account: { type: 'reference', to: 'accounts', on_delete: 'cascade' },
    amount: { type: 'decimal', scale: 2 },
  },
});

const open: Store[] = [];
afterEach(async () => {
  for (const store of open.splice(0)) await store.admin.close();
});

function openStore(cache = 2 ** 26): Store {
  const store = openEngine(engineOf('memory:'), [accounts, moves], withCache(cache));
  open.push(store);
  return store;
}

const account = (name: string, balance: string): Step => ({
  op: 'create',
  collection: accounts,
  json: [`{"name":"${name}","balance":"${balance}","visits":null}`],
});
const commit = ({ writes }: Store, ...operations: Step[]) =>
  writes.commit(everybody, { operations, returnsRecords: false });

async function balances({ reads }: Store): Promise<unknown> {
  const { bytes } = await reads.page(everything(accounts), { where: [], sort: [], after: undefined, limit: 10 });
  const records = JSON.parse(`[${new TextDecoder().decode(bytes)}]`) as { balance: string }[];
  return records.map(({ balance }) => balance);
}

async function failureOf(committed: Promise<unknown>): Promise<unknown> {
  const failure = await committed.catch((error: unknown) => error);
  if (!(failure instanceof Failure)) throw failure;
  return { code: failure.code, ...failure.members };
}

for (const [where, cache] of [
  ['memory', 2 ** 26],
  ['the file', 0],
] as const)
  test(`all operations are read from ${where}, with the record that an earlier one made`, async () => {
    const store = openStore(cache);
    const committed = await commit(
      store,
      account('a', '10.00'),
      account('b', '0.50'),
      { op: 'create', collection: moves, json: ['{"account":', 1, ',"amount":"2.50"}'] },
      { op: 'add', collection: accounts, recordId: { made: 0 }, json: '{"balance":"-2.50","visits":9007199254740993}' },
      { op: 'add', collection: accounts, recordId: { made: 1 }, json: '{"balance":"2.50"}' },
    );
    expect(committed).toEqual({
      results: [
        { recordId: 1, version: 1 },
        { recordId: 2, version: 1 },
        { recordId: 1, version: 1 },
        { recordId: 1, version: 2 },
        { recordId: 2, version: 2 },
      ],
      firstChange: 1,
      lastChange: 5,
      isRepeated: false,
    });
    expect(await balances(store)).toEqual(['7.50', '3.00']);
    const { found } = await store.feed.changes(everyChange, 0, 10);
    const changes = found.map(({ change }) => change);
    expect(changes.map(({ transaction }) => transaction)).toEqual(Array(5).fill({ first: 1, size: 5 }));
    expect(JSON.parse(changes[2]?.record.json ?? '')).toEqual({ account: 2, amount: '2.50' });
    expect(changes[3]?.record.json).toContain('"visits":9007199254740993');
  });

test('the first operation that fails rolls back those before it, and uses up no id', async () => {
  const store = openStore();
  await commit(store, account('a', '10.00'));
  const both = [
    account('b', '1.00'),
    { op: 'add', collection: accounts, recordId: 1, json: '{"balance":"-10.01"}' },
  ] as const satisfies Step[];
  expect(await failureOf(commit(store, ...both))).toEqual({ code: 'out_of_bounds', operation: 1 });
  expect(await failureOf(commit(store, account('c', '1.00'), account('a', '1.00')))).toEqual({
    code: 'already_exists',
    operation: 1,
    id: 1,
  });
  expect(await balances(store)).toEqual(['10.00']);
  expect(await commit(store, account('b', '1.00'))).toMatchObject({ results: [{ recordId: 2 }], firstChange: 2 });
});

test('a transaction that fails does not hold others of its batch', async () => {
  const store = openStore();
  const outcomes = await Promise.allSettled([
    commit(store, account('a', '1.00')),
    commit(store, account('x', '1.00'), account('a', '1.00')),
    commit(store, account('b', '1.00'), account('c', '1.00')),
    store.writes.commit(everybody, {
      operation: { op: 'create', collection: accounts, json: '{"name":"d","balance":"2.00","visits":null}' },
    }),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(await balances(store)).toEqual(['1.00', '1.00', '1.00', '2.00']);
});

test('every record that matches is changed, deletions with their cascades, and checks count them', async () => {
  const store = openStore();
  const names = ['a', 'b', 'c', 'd'];
  await commit(
    store,
    ...names.map((name, index) => account(name, `${index}.00`)),
    ...names.map(
      (_, index): Step => ({ op: 'create', collection: moves, json: ['{"account":', index, ',"amount":"1.00"}'] }),
    ),
  );
  const rich = [{ field: 'balance', operator: 'gte', values: ['2.00'] }] as const;
  const committed = await commit(
    store,
    { op: 'check', collection: accounts, where: rich, count: { eq: 2 } },
    { op: 'add', collection: accounts, where: rich, json: '{"balance":"1.00"}', count: { lte: 2 } },
    { op: 'delete', collection: accounts, where: [{ field: 'balance', operator: 'eq', values: ['4.00'] }] },
    { op: 'check', collection: accounts, recordId: 4, exists: false },
    { op: 'check', collection: moves, where: [], count: { eq: 3 } },
  );
  expect(committed.results).toEqual([
    { count: 2 },
    { count: 2 },
    { count: 1 },
    { recordId: 4, version: null },
    { count: 3 },
  ]);
  expect(committed).toMatchObject({ firstChange: 9, lastChange: 12 });
  expect(await balances(store)).toEqual(['0.00', '1.00', '3.00']);
  expect(await failureOf(commit(store, { op: 'check', collection: accounts, where: rich, count: { gt: 1 } }))).toEqual({
    code: 'check_failed',
    count: 1,
    operation: 0,
  });
});

test('an upsert updates the record with the key, or creates one', async () => {
  const store = openStore();
  const upsert = (name: string, balance: string): Step => ({
    op: 'upsert',
    collection: accounts,
    rule: { fields: ['name'] },
    json: [`{"name":"${name}","balance":"${balance}","visits":null}`],
    sent: [`{"name":"${name}","balance":"${balance}"}`],
  });
  const { results } = await commit(store, upsert('a', '1.00'), upsert('b', '2.00'), upsert('a', '3.00'));
  expect(results).toEqual([
    { recordId: 1, version: 1 },
    { recordId: 2, version: 1 },
    { recordId: 1, version: 2 },
  ]);
  expect(await balances(store)).toEqual(['3.00', '2.00']);
});

test('a version, and a condition on one record, must hold', async () => {
  const store = openStore();
  await commit(store, account('a', '1.00'));
  const change = (when: number, balance: string): Step => ({
    op: 'update',
    collection: accounts,
    recordId: 1,
    when: { match: [when], noneMatch: undefined },
    where: [{ field: 'balance', operator: 'eq', values: [balance] }],
    json: ['{"balance":"5.00"}'],
  });
  expect(await failureOf(commit(store, change(2, '1.00')))).toEqual({ code: 'precondition_failed', operation: 0 });
  expect(await failureOf(commit(store, change(1, '2.00')))).toEqual({ code: 'check_failed', operation: 0 });
  expect(await failureOf(commit(store, { op: 'delete', collection: accounts, recordId: 9 }))).toEqual({
    code: 'not_found',
    operation: 0,
  });
  expect((await commit(store, change(1, '1.00'))).results).toEqual([{ recordId: 1, version: 2 }]);
});

test('a key commits it once, and another body with the key is refused', async () => {
  const { writes } = openStore();
  const once = { key: 'k', digest: 'd', former: '', keptMs: 60_000 };
  const transaction = { operations: [account('a', '1.00')], once, returnsRecords: true };
  const first = await writes.commit(everybody, transaction);
  expect(first).toMatchObject({ results: [{ recordId: 1, record: { json: expect.stringContaining('"1.00"') } }] });
  expect(await writes.commit(everybody, transaction)).toEqual({ ...first, isRepeated: true });
  const other = writes.commit(everybody, { ...transaction, once: { ...once, digest: 'e' } });
  expect(await failureOf(other)).toEqual({ code: 'key_reused' });
});

test('a search of all records is bounded in time, also over several operations', async () => {
  const store = openStore();
  await Promise.all(
    Array.from({ length: 6 }, (_, batch) =>
      commit(store, ...Array.from({ length: 500 }, (_, n) => account(`${batch}-${n}`, '1.00'))),
    ),
  );
  const scan: Step = {
    op: 'check',
    collection: accounts,
    where: [{ field: 'name', operator: 'contains', values: ['nothing has this'] }],
    count: { eq: 0 },
  };
  const failure = await failureOf(commit(store, ...Array.from({ length: 1000 }, () => scan)));
  expect(failure).toMatchObject({ code: 'too_many_records' });
  // Those by an index take no share of the time.
  const byName = { ...scan, where: [{ field: 'name', operator: 'eq', values: ['1-1'] }], count: { eq: 1 } } as const;
  expect((await commit(store, ...Array.from({ length: 1000 }, () => byName))).results).toHaveLength(1000);
});
