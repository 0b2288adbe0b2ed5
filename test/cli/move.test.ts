/** Moving a database to another engine: everything arrives, byte for byte, and everything continues. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { databaseLabel } from '../../src/cli/text/database-label.ts';
import { apiKeyColumns } from '../../src/storage/rows/api-key.ts';
import { changeColumns } from '../../src/storage/rows/change.ts';
import { idempotencyKeyColumns } from '../../src/storage/rows/idempotency-key.ts';
import { ownTables } from '../../src/storage/transfer/contents.ts';
import type { Tallies } from '../../src/storage/transfer/digest.ts';
import { openSource, openTarget } from '../../src/storage/transfer/open-databases.ts';
import { type TransferOptions, transfer } from '../../src/storage/transfer/transfer.ts';
import { fill, fullCollections, shown } from '../support/data/full-database.ts';
import { markTransaction } from '../support/data/mark-transaction.ts';
import { defaults, engineOf } from '../support/servers/engine.ts';
import { lastingEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const engines = lastingEngines();
const ways = engines.flatMap(([from, newSource]) =>
  engines.map(([to, newTarget]) => ({ from, to, newSource, newTarget })),
);
const quietly: TransferOptions = { onRows: () => {}, onVerify: () => {}, signal: new AbortController().signal };
const start = (database: string) => startServer({ database, collections: fullCollections });
const optionsOf = (url: string) => ({
  declared: fullCollections,
  label: databaseLabel(engineOf(url)),
  timeoutMs: 5000,
  prepare: defaults.database.prepare,
});

async function move(from: string, to: string, options = quietly) {
  const source = await openSource(engineOf(from), optionsOf(from), true);
  const target = await openTarget(engineOf(to), { ...optionsOf(to), keepsApiKeys: false, advice: '' });
  try {
    return await transfer(source, target, options);
  } finally {
    await target.close();
    await source.close();
  }
}

describe.each(ways)('$from to $to', ({ newSource, newTarget }) => {
  let server: TestServer;
  let before: Awaited<ReturnType<typeof shown>>;
  let cursor: string;
  let tag: string | null;
  let lastId: number;
  beforeAll(async () => {
    const [from, to] = [await newSource(), await newTarget()];
    const old = await start(from);
    await fill(old);
    await markTransaction(from, 5, 4);
    const page = await (await fetch(`${old.url}/api/v2/items?limit=5&sort=-price`)).json();
    cursor = (page as { next_cursor: string }).next_cursor;
    tag = (await fetch(`${old.url}/api/v2/items/2`)).headers.get('ETag');
    // The highest id belongs to a record that is deleted: its number is not given again.
    const last = await fetch(`${old.url}/api/v2/items`, { method: 'POST', body: '{"name":"last","price":1}' });
    lastId = ((await last.json()) as { id: number }).id;
    await fetch(`${old.url}/api/v2/items/${lastId}`, { method: 'DELETE' });
    before = await shown(old);
    await old.stop();
    const read = () => {
      const counts = { record: 0, change: 0, key: 0 };
      told.push(counts);
      return counts;
    };
    let counts = read();
    tallies = await move(from, to, {
      ...quietly,
      onRows: (rows, thing) => {
        counts[thing] += rows;
      },
      onVerify: () => {
        counts = read();
      },
    });
    server = await start(to);
  });
  afterAll(() => server?.stop());
  /** What the progress is told while it copies, and while it checks. */
  const told: { record: number; change: number; key: number }[] = [];
  let tallies: Tallies;

  test('records, changes and keys are counted apart', () => {
    const [changes = '', apiKeys = '', idempotencyKeys = ''] = ownTables.map(({ title }) => title);
    const sum = (names: readonly string[]) => names.reduce((all, name) => all + (tallies.get(name)?.count ?? 0), 0);
    const collections = [...tallies.keys()].filter((name) => ![changes, apiKeys, idempotencyKeys].includes(name));
    const expected = { record: sum(collections), change: sum([changes]), key: sum([apiKeys, idempotencyKeys]) };
    expect(Object.values(expected).every((count) => count > 0)).toBe(true);
    expect(told).toEqual([expected, expected]);
  });

  test('every record, change and key is there, byte for byte', async () => {
    expect(await shown(server)).toEqual(before);
    expect(before['changes 0']?.split('"transaction":{"first":5,"size":4}')).toHaveLength(5);
  });

  test('ids, change numbers, versions, cursors and tags continue', async () => {
    const { last } = await server.store.feed.history();
    const next = await fetch(`${server.url}/api/v2/items?limit=5&sort=-price&cursor=${cursor}`);
    expect(next.status).toBe(200);
    const made = await fetch(`${server.url}/api/v2/items`, { method: 'POST', body: '{"name":"next","price":1}' });
    expect(((await made.json()) as { id: number }).id).toBe(lastId + 1);
    const { data } = (await (await fetch(`${server.url}/api/v2/changes?after=${last}`)).json()) as {
      data: { seq: number }[];
    };
    expect(data.map(({ seq }) => seq)).toEqual([last + 1]);
    const headers = { 'If-Match': tag ?? '', 'Content-Type': 'application/json' };
    const changed = await fetch(`${server.url}/api/v2/items/2`, { method: 'PATCH', headers, body: '{"price":2}' });
    expect(changed.status).toBe(200);
    expect(((await changed.json()) as { version: number }).version).toBe(3);
  });

  test('a write that is repeated under its idempotency key is not done again', async () => {
    const headers = { 'Idempotency-Key': "a'key\\N" };
    const body = '{"name":"once","price":1e20}';
    const again = await fetch(`${server.url}/api/v2/items`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
    });
    expect(again.status).toBe(201);
    expect(((await again.json()) as { id: number }).id).toBe(10);
  });

  test('constraints hold: unique values and references', async () => {
    const twice = await fetch(`${server.url}/api/v2/publishers`, { method: 'POST', body: '{"name":"Sur"}' });
    expect(twice.status).toBe(409);
    expect((await fetch(`${server.url}/api/v2/authors/1`, { method: 'DELETE' })).status).toBe(409);
  });
});

/** A column or a table that a later version adds must be moved, too. */
describe.each(engines)('%s', (engine, newUrl) => {
  const own: Readonly<Record<string, readonly string[]>> = {
    changes: changeColumns,
    api_keys: apiKeyColumns,
    idempotency_keys: idempotencyKeyColumns,
    settings: ['name', 'value'],
    schema_version: ['version'],
  };
  /** Tickets live for seconds. */
  const left = ['event_tickets', 'sqlite_sequence'];

  test('every table and every column is known to move', async () => {
    const url = await newUrl();
    const { store, stop } = await startServer({ database: url });
    const columns: [table: string, column: string][] = [];
    if (engine === 'sqlite') {
      using db = new Database(url.slice('sqlite:'.length), { readonly: true });
      const all = `select tables.name, columns.name from sqlite_schema as tables
        join pragma_table_info(tables.name) as columns where tables.type = 'table'`;
      columns.push(...(db.prepare(all).values() as [string, string][]));
    } else {
      const sql = new SQL({ url, max: 1 });
      columns.push(
        ...(await sql`select table_name, column_name from information_schema.columns
          where table_schema = current_schema()`.values()),
      );
      await sql.close();
    }
    await stop();
    expect(store.admin.isNew).toBe(true);
    const tables = Map.groupBy(columns, ([table]) => table);
    for (const name of [...left, 'items', 'users']) tables.delete(name);
    const found = [...tables].map(([table, rows]) => [table, rows.map(([, column]) => column).sort()] as const);
    const known = Object.entries(own).map(([table, names]) => [table, [...names].sort()] as const);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(known));
  });
});
