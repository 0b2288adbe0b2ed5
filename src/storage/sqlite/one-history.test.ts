/** All reads belong to one history, also while the file shows a commit that the cache has not applied yet. */
import { afterEach, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/data/folder.ts';
import { items } from '../../collections/items.ts';
import { SpoolLimits } from '../bulk/spool-limits.ts';
import { identify } from './file/watch.ts';
import { CommitProgress, Roots } from './memory/atomics.ts';
import { MemoryReader } from './memory/reader.ts';
import { migrate } from './schema/schema.ts';
import { connect } from './statements/connection.ts';
import { sqliteStore } from './store.ts';
import { openTickets } from './tickets.ts';
import { Committer } from './writer/committer.ts';
import type { WriterClient } from './writer/thread/connection.ts';

const folder = temporaryFolder();
let made = 0;
type SqliteStore = ReturnType<typeof sqliteStore>;
const opened: SqliteStore[] = [];

/** A store whose writer commits at once, but reports the commit only when the test calls `report`. It has this many records. */
function openStore(cacheBytes: number, records = 0) {
  const filename = join(folder, `${made++}.db`);
  writeFileSync(filename, '');
  const db = connect(filename);
  db.transaction(() => migrate(db, [items], filename)).immediate();
  db.run(
    `insert into items (id, name, price, version, created_at, updated_at)
     with recursive numbers (n) as (select 1 where ?1 > 0 union all select n + 1 from numbers where n < ?1)
     select n, 'n', 1, 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from numbers`,
    [records],
  );
  const progress = new CommitProgress();
  const files = identify(filename);
  const committer = new Committer(connect(filename), [items], progress, {
    filename,
    opened: files,
    unserved: [],
    cacheBytes,
    roots: new Roots().shared,
  });
  let committed = Promise.withResolvers<void>();
  let gate: PromiseWithResolvers<void> | undefined;
  const writer: WriterClient = {
    ready: Promise.resolve(),
    onMemory: () => {},
    async commit(writes) {
      const stored = committer.store(writes);
      if ('error' in stored) throw new Error(stored.error);
      committed.resolve();
      await gate?.promise;
      committer.show(writes, stored);
      return stored;
    },
    check() {},
    close: async () => committer.close(),
  };
  const store = sqliteStore(filename, db, [items], writer, {
    progress,
    walBytes: 2 ** 26,
    searchMs: 60_000,
    spoolLimits: new SpoolLimits({ bulks: 10, lists: 100, spoolBytes: 2 ** 26 }),
    onCommit: undefined,
    onTrouble: undefined,
    opened: files,
    isNew: true,
    unserved: [],
    tickets: openTickets(),
    sharing: undefined,
    closeWriter: async () => {},
    end: () => db.close(true),
  });
  writer.onMemory(new MemoryReader(committer.records.share()));
  opened.push(store);
  return {
    store,
    progress,
    hold() {
      const reported = Promise.withResolvers<void>();
      committed = Promise.withResolvers();
      gate = reported;
      return { committed: committed.promise, report: () => reported.resolve() };
    },
  };
}

afterEach(async () => {
  for (const store of opened.splice(0)) await store.admin.close();
});

const record = (id: number, name: string) => `{"id":${id},"name":"${name}","price":1}`;
const add = (store: SqliteStore, id: number, name = 'n') =>
  store.writes.commit({ operation: { op: 'create', collection: items, json: record(id, name) } });

async function listOf(store: SqliteStore): Promise<string> {
  const parts = store.reads.list(items).parts('');
  if (parts === undefined) throw new Error('the list has changed');
  let text = '';
  for (let part = await parts.next(); !part.done; part = await parts.next()) text += Buffer.from(part.value).toString();
  return text;
}

/** Waits until the cache serves: only then a list has a tag. */
async function cacheReady(store: SqliteStore): Promise<void> {
  while (store.reads.list(items).tag === undefined) await new Promise(setImmediate);
}

const turns = async () => {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
};

const all = { where: [], sort: [], after: undefined, limit: 10 };
const reads: readonly [string, (store: SqliteStore) => unknown][] = [
  ['some', async (store) => (await store.reads.some(items, [1])).records[0]?.version],
  ['records', async (store) => (await store.reads.records(items, all)).records.length],
  ['total', (store) => store.reads.total(items, [])],
  ['changes', async (store) => (await store.feed.changes(0, 10)).changes.length],
  ['history', async (store) => (await store.feed.history()).last],
];

test.each(reads)('%s shows a commit only when the cache has it too', async (_, read) => {
  const { store, hold } = openStore(2 ** 28);
  await add(store, 1);
  await cacheReady(store);
  const { committed, report } = hold();
  const writes = Promise.all([
    store.writes.commit({ operation: { op: 'update', collection: items, recordId: 1, json: '{"name":"new"}' } }),
    add(store, 2),
  ]);
  await committed;
  let shown: unknown;
  const reading = Promise.resolve(read(store)).then((value) => {
    shown = value;
  });
  await turns();
  // The cache still has the old record, so no read may show the new one.
  expect(Buffer.from(store.reads.contractRecord(items, 1n) as Uint8Array).toString()).toBe(record(1, 'n'));
  expect(shown).toBeUndefined();
  report();
  await reading;
  expect(shown).toBeGreaterThanOrEqual(2);
  expect(Buffer.from(store.reads.contractRecord(items, 1n) as Uint8Array).toString()).toBe(record(1, 'new'));
  await writes;
});

test('a list and a record from the file wait for the caches of the other collections as well', async () => {
  const { store, hold } = openStore(0);
  await add(store, 1);
  const { committed, report } = hold();
  const write = add(store, 2);
  await committed;
  const answers: string[] = [];
  const reading = Promise.all([
    listOf(store).then((list) => answers.push(list)),
    Promise.resolve(store.reads.contractRecord(items, 2n)).then((found) =>
      answers.push(Buffer.from(found ?? []).toString()),
    ),
  ]);
  await turns();
  expect(answers).toEqual([]);
  report();
  await reading;
  expect(answers.sort()).toEqual([`[${record(1, 'n')},${record(2, 'n')}]`, record(2, 'n')].sort());
  await write;
});

const textOf = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : Buffer.from(bytes).toString());
/** Too many records for the budget, which has room for some of them. */
const beyond = [600_000, 20_000] as const;
/** Such a store, after it has found that there are too many. */
async function openBeyond() {
  const opened = openStore(...beyond);
  while (opened.store.admin.figures().hot.hits === 0) {
    findNow(opened.store, 1n);
    await new Promise(setImmediate);
  }
  return opened;
}
const findNow = (store: SqliteStore, id: bigint) => {
  const found = store.reads.contractRecord(items, id);
  return found instanceof Promise ? 'waits' : textOf(found);
};
const versionNow = (store: SqliteStore, recordId: number) => {
  const found = store.reads.one(items, recordId);
  return found instanceof Promise ? 'waits' : found?.version;
};

test('a record that a thread keeps is the old one until the commit is shown, and then the new one', async () => {
  const { store, hold } = await openBeyond();
  // The second read keeps it.
  for (let read = 1; read <= 3; read++) expect([findNow(store, 5n), versionNow(store, 5)]).toEqual([record(5, 'n'), 1]);
  expect(store.admin.figures().cacheBytes).toBeGreaterThan(0);
  expect(store.admin.figures().hot.hits).toBeGreaterThanOrEqual(2);
  const { committed, report } = hold();
  const write = store.writes.commit({
    operation: { op: 'update', collection: items, recordId: 5, json: '{"name":"new"}' },
  });
  await committed;
  expect([findNow(store, 5n), versionNow(store, 5)]).toEqual([record(5, 'n'), 1]);
  report();
  await write;
  expect([findNow(store, 5n), versionNow(store, 5)]).toEqual([record(5, 'new'), 2]);
});

test('what is read while the file is ahead is not kept', async () => {
  const { store, hold } = await openBeyond();
  const { committed, report } = hold();
  const write = store.writes.commit({
    operation: { op: 'update', collection: items, recordId: 5, json: '{"name":"new"}' },
  });
  await committed;
  // A second read must not return what the first one waits for.
  expect([findNow(store, 5n), findNow(store, 5n)]).toEqual(['waits', 'waits']);
  expect([versionNow(store, 5), versionNow(store, 5)]).toEqual(['waits', 'waits']);
  report();
  await write;
  expect([findNow(store, 5n), versionNow(store, 5)]).toEqual([record(5, 'new'), 2]);
});

test('a record that is deleted or gets another id is not kept under the old one', async () => {
  const { store } = await openBeyond();
  const all = () => [5n, 6n, 7n, 8n].map((id) => findNow(store, id));
  for (let read = 1; read <= 3; read++) {
    expect(all()).toEqual([5, 6, 7, 8].map((id) => record(id, 'n')));
    expect([versionNow(store, 5), versionNow(store, 6)]).toEqual([1, 1]);
  }
  expect(store.admin.figures().hot.hits).toBeGreaterThanOrEqual(6);
  await store.writes.commit({ operation: { op: 'delete first', collection: items, contractId: 5n } });
  await store.writes.commit({ operation: { op: 'delete', collection: items, recordId: 6 } });
  await store.writes.commit({ operation: { op: 'update', collection: items, recordId: 7, json: '{"id":8}' } });
  // The earliest record with the id 8 is another one now.
  await store.writes.commit({ operation: { op: 'update', collection: items, recordId: 7, json: '{"name":"other"}' } });
  expect(all()).toEqual([undefined, undefined, undefined, record(8, 'other')]);
  expect([versionNow(store, 5), versionNow(store, 6), versionNow(store, 7)]).toEqual([undefined, undefined, 3]);
  await add(store, 5, 'again');
  expect(findNow(store, 5n)).toBe(record(5, 'again'));
});

test('memory that fills while others write shows all of a commit or nothing', async () => {
  const { store } = openStore(2 ** 28);
  await add(store, 1, 'deleted');
  await cacheReady(store);
  // Enough records that filling takes many turns.
  const many = Array.from({ length: 3000 }, (_, n) => record(n + 2, 'bulk'));
  const bulk = await store.writes.bulk(items, '');
  await bulk.add(many);
  const added = bulk.commit(undefined);
  const writes = added.then(() =>
    Promise.all([
      store.writes.commit({ operation: { op: 'delete first', collection: items, contractId: 1n } }),
      add(store, 9000, 'added'),
    ]),
  );
  await added;
  expect(store.reads.list(items).tag).toBeUndefined();
  const before = `[${[record(1, 'deleted'), ...many].join()}]`;
  const after = `[${[...many, record(9000, 'added')].join()}]`;
  const early: Promise<string>[] = [];
  for (let turn = 0; turn < 20; turn++) {
    early.push(listOf(store));
    await new Promise(setImmediate);
  }
  await writes;
  await bulk.close();
  for (const list of await Promise.all(early)) expect([before, after]).toContain(list);
  expect(await listOf(store)).toBe(after);
  await cacheReady(store);
  expect(await listOf(store)).toBe(after);
});
