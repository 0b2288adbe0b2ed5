/** This version reads, writes, follows and backs up a database of every release; test/releases has the fixtures. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { backup } from '../../src/cli/data/backup.ts';
import { collections } from '../../src/collections/registry.ts';
import { migrations as postgresMigrations } from '../../src/storage/postgres/schema/migrations.ts';
import { findFile } from '../../src/storage/sqlite/file/copy-mark.ts';
import { lock } from '../../src/storage/sqlite/file/lock.ts';
import { migrations as sqliteMigrations } from '../../src/storage/sqlite/schema/migrations.ts';
import { newDatabase, postgresUrl } from '../postgres/database.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { runRestore } from '../support/servers/data-commands.ts';
import { Listening } from '../support/servers/network/listening.ts';
import { root } from '../support/servers/process.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const folder = temporaryFolder();
const releases = join(root, 'test/releases');
const fixtures = readdirSync(releases)
  .filter((name) => /\.(db|sql)$/.test(name))
  .sort();
const runnable = fixtures.filter((name) => name.endsWith('.db') || postgresUrl !== undefined);

/** Longer than the age of any fixture, so that nothing in it has expired. */
const fiftyYears = 50 * 365 * 86_400_000;
const start = (database: string) =>
  startServer({ database, storage: { history: fiftyYears, idempotency: fiftyYears } });

/** Copies the fixture and returns the URL of the copy, which counts as the file that the release left. */
async function copyOf(fixture: string): Promise<string> {
  if (fixture.endsWith('.db')) {
    const [from, path] = [join(releases, fixture), join(folder, fixture)];
    for (const end of ['', '-wal', '-lock', '-lock-journal'])
      if (existsSync(from + end)) copyFileSync(from + end, path + end);
    stayInPlace(path);
    return `sqlite:${path}`;
  }
  const url = await newDatabase();
  const sql = new SQL({ url, max: 1 });
  await sql.unsafe(readFileSync(join(releases, fixture), 'utf8'));
  await sql.close();
  return url;
}

/** If the note beside the lock says which file it is about, that is this one now. */
function stayInPlace(path: string): void {
  const held = lock(path);
  if (held === 'taken') throw new Error(`${path} is in use`);
  const { inode, born } = findFile(path);
  if (held.note?.inode !== undefined) held.write({ ...held.note, inode, born });
  held.release();
}

/** Parses each number as its digits: rounding both sides would hide a difference. */
function exact(text: string): unknown {
  const digits = (_: string, value: unknown, at?: { source?: string }) =>
    typeof value === 'number' ? at?.source : value;
  return JSON.parse(text, digits);
}

type ChangeBody = { readonly seq: string; readonly type: string; readonly record: { readonly id: string } };
const firstPage = '/api/v2/items?limit=3';
const lists = ['/api/items', '/api/users', '/api/v2/items', '/api/v2/users'];

/** The text of each answer, by path. */
async function answersOf({ url }: TestServer, paths = [...lists, '/api/v2/changes']): Promise<Record<string, string>> {
  const texts = paths.map(async (path) => [path, await (await fetch(url + path)).text()] as const);
  return Object.fromEntries(await Promise.all(texts));
}

/** The records of a follower that has applied every change; a deletion carries the last version of the record. */
function followed(changes: string, type: string): unknown[] {
  const records = new Map<string, ChangeBody['record']>();
  for (const change of (exact(changes) as { data: ChangeBody[] }).data) {
    const { id } = change.record;
    if (change.type === `${type}.deleted`) {
      expect(records.get(id)).toEqual(change.record);
      records.delete(id);
    } else if (change.type.startsWith(`${type}.`)) records.set(id, change.record);
  }
  return [...records.values()];
}

function expectFollowed(answers: Record<string, string>): void {
  for (const type of ['item', 'user']) {
    const { data } = exact(answers[`/api/v2/${type}s`] ?? '') as { data: unknown[] };
    expect(followed(answers['/api/v2/changes'] ?? '', type)).toEqual(data);
  }
}

describe.each(runnable)('%s', (fixture) => {
  /** The answers of that release's server, without the routes that it did not have. */
  const { [firstPage]: page, ...then }: Record<string, string> = JSON.parse(
    readFileSync(join(releases, `${fixture}.json`), 'utf8'),
  );
  let database: string;
  let server: TestServer;
  let listening: Listening;
  beforeAll(async () => {
    database = await copyOf(fixture);
    server = await start(database);
    listening = await Listening.to(`${server.url}/api/v2/events?after=0`);
  });
  afterAll(async () => {
    listening.leave();
    await server.stop();
  });

  async function send(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
    const response = await fetch(server.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  async function expectHeard(): Promise<void> {
    const { text } = await send('GET', '/api/v2/changes');
    const { data } = exact(text) as { data: ChangeBody[] };
    await listening.until(() => listening.lastId === data.at(-1)?.seq);
    expect(listening.told.map((told) => exact(told.data))).toEqual(data);
  }

  test('gives the same answers as its own release', async () => {
    // Changes of releases before 0.6.0 do not say who made them. The file is a copy: its feed goes on at another number.
    const comparable = (answers: object) =>
      JSON.parse(
        JSON.stringify(answers)
          .replace(/,\\"last\\":\d+/, '')
          .replaceAll('\\"by\\":null,', ''),
      );
    expect(comparable(await answersOf(server))).toMatchObject(comparable(then));
    const found = await send('GET', '/api/items/9007199254740993');
    expect(found.text).toBe('{"id":9007199254740993,"name":"","price":3}');
  });

  test('has no change of a transaction', async () => {
    const sql = new SQL(database);
    const [row] = await sql`select count(*), count(transaction_first), count(transaction_size) from changes`.values();
    await sql.close();
    const [all, ...ofTransactions] = [...row].map(Number);
    expect(all).toBeGreaterThan(0);
    expect(ofTransactions).toEqual([0, 0]);
  });

  test('has the history of all its records, in the change feed and in the live feed', async () => {
    expectFollowed(await answersOf(server));
    await expectHeard();
  });

  if (fixture.endsWith('.db')) {
    test('goes on with the numbers and the cursors of its release: it is no copy', async () => {
      const { data } = exact((await send('GET', '/api/v2/changes')).text) as { data: ChangeBody[] };
      const ids = data.flatMap(({ type, record }) => (type.startsWith('item.') ? [Number(record.id)] : []));
      const { id } = JSON.parse((await send('POST', '/api/v2/items', '{"name":"next","price":1}')).text);
      expect(id).toBe(Math.max(...ids) + 1);
      const last = Number(data.at(-1)?.seq);
      const next = JSON.parse((await send('GET', `/api/v2/changes?after=${last}`)).text);
      expect(next.data.map(({ seq }: { seq: number }) => seq)).toEqual([last + 1]);
      if (page === undefined) return;
      const first = JSON.parse(page);
      const second = await send('GET', `${firstPage}&cursor=${first.next_cursor}`);
      expect(second.status).toBe(200);
      expect(JSON.parse(second.text).data[0].id).toBe(first.data.at(-1).id + 1);
    });
  }

  test('accepts writes', async () => {
    const merge = { 'Content-Type': 'application/merge-patch+json', 'If-Match': '"1"' };
    const { data } = exact((await send('GET', '/api/v2/changes')).text) as { data: ChangeBody[] };
    const statuses = [
      await send('POST', '/api/items', '{"id":9007199254740995,"name":"new","price":-0.0}'),
      await send('POST', '/api/v2/users', '{"name":"new"}'),
      await send('PATCH', '/api/v2/items/5', '{"price":0.2}', merge),
      await send('DELETE', '/api/v2/items/6'),
      await send('DELETE', '/api/users/2'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([201, 201, 200, 204, 204]);
    expect((await send('GET', '/api/items')).text).toEndWith('{"id":9007199254740995,"name":"new","price":-0}]');
    expect((await send('GET', '/api/items/7')).text).toContain('"price":0.2');

    expectFollowed(await answersOf(server));
    await expectHeard();
    expect(listening.told.slice(data.length).map(({ event }) => event)).toEqual([
      'item.created',
      'user.created',
      'item.updated',
      'item.deleted',
      'user.deleted',
    ]);
  });

  test('keeps old and new idempotency keys', async () => {
    const key = { 'Idempotency-Key': 'of-today' };
    const first = await send('POST', '/api/v2/items', '{"name":"once","price":1}', key);
    const again = await send('POST', '/api/v2/items', '{"name":"once","price":1}', key);
    expect([first.status, first.headers.get('Idempotent-Replayed')]).toEqual([201, null]);
    expect([again.text, again.headers.get('Idempotent-Replayed')]).toEqual([first.text, 'true']);

    // The feed and the keys came with the same version.
    if (then['/api/v2/changes'] === undefined) return;
    const old = { 'Idempotency-Key': 'of-the-release' };
    const repeated = await send('POST', '/api/v2/items', '{"name":"keyed","price":2}', old);
    expect([repeated.headers.get('Idempotent-Replayed'), repeated.headers.get('Location')]).toEqual([
      'true',
      '/api/v2/items/10',
    ]);
  });

  test('keeps API keys, each with a unique name', async () => {
    const names = (await server.store.admin.apiKeys.list()).map(({ name, scope }) => [name, scope]);
    expect(names).toEqual(/^0\.[12]|-without-/.test(fixture) ? [] : [['reader', 'read']]);
    const key = { id: 'k', name: 'twice', digest: 'd', scope: 'read', createdAt: '' } as const;
    const rest = { collections: undefined, expiresAt: undefined, revokedAt: undefined, lastUsedAt: undefined };
    expect(await server.store.admin.apiKeys.add({ ...key, ...rest })).toBe(true);
    expect(await server.store.admin.apiKeys.add({ ...key, ...rest, id: 'l', digest: 'e' })).toBe(false);
  });

  if (fixture.endsWith('.db') && !existsSync(join(releases, `${fixture}-wal`))) {
    test('can be restored', async () => {
      const backup = join(folder, `backup-${fixture}`);
      copyFileSync(join(releases, fixture), backup);
      expect(await runRestore(join(folder, `restored-${fixture}`), backup)).toStartWith('Restored');
    });
  }

  if (fixture.endsWith('.db')) {
    test('can be backed up, and the copy can be served', async () => {
      const copy = join(folder, `copy-of-${fixture}`);
      expect(backup({ kind: 'sqlite', path: join(folder, fixture) }, copy, collections)).toContain('is sound');
      const restored = await start(`sqlite:${copy}`);
      expect(await answersOf(restored, lists)).toEqual(await answersOf(server, lists));
      await restored.stop();
    });
  }

  test('is the same after the next start', async () => {
    const before = await answersOf(server);
    listening.leave();
    await server.stop();
    server = await start(database);
    listening = await Listening.to(`${server.url}/api/v2/events?after=0`);
    expect(await answersOf(server)).toEqual(before);
    await expectHeard();
    expect((await send('POST', '/api/items', '{"id":1,"name":"after","price":1}')).status).toBe(201);
    await expectHeard();
  });
});

/** 0.3.0 had no unique index on names, so two concurrent `keys create` could both succeed. */
test.each(runnable.filter((name) => name.startsWith('0.3.0.')))(
  '%s: two API keys with the same name both remain',
  async (fixture) => {
    const database = await copyOf(fixture);
    const twin = "insert into api_keys select 'twin', name, 'twin', scope, null, '9999', null, null from api_keys";
    const sql = new SQL(database);
    await sql.unsafe(twin);
    await sql.close();
    const server = await start(database);
    expect((await server.store.admin.apiKeys.list()).map(({ name }) => name)).toEqual(['reader', 'reader-twin']);
    await server.stop();
  },
);

/** Never edit a released migration: databases that ran it would not change. Add a migration, and its digest here. */
test.each([
  [
    'sqlite',
    sqliteMigrations,
    [
      '2d0237fbfea96078',
      '24355d9a52dc83a0',
      'af3297559031f944',
      'f7388e7147dcb783',
      '82d6bcdad65fe565',
      '9cb616875117b07d',
      'd62038522166e259',
      '844e2b5b86746b2a',
      '9afda310423efa6f',
      '2a0bfe8ad05420b7',
    ],
  ],
  [
    'postgres',
    postgresMigrations,
    [
      '2d4d6b005e230c93',
      '49d33ae887adfd6d',
      'c4a94899022c2ae7',
      '2c2f4b7cbf25f6f8',
      'ea60ac5ef55580c6',
      '82d6bcdad65fe565',
      '9cb616875117b07d',
      '17cdb862524b1f02',
      '26e61dc355088a1b',
      '844e2b5b86746b2a',
      'b5c503243bf9725d',
      '2a0bfe8ad05420b7',
    ],
  ],
])('the released migrations of %s are unchanged', (_, migrations, released) => {
  const digests = migrations.map((steps) => Bun.SHA256.hash(JSON.stringify(steps), 'hex').slice(0, 16));
  expect(digests).toEqual(released);
});
