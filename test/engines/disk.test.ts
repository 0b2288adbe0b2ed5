/** The answers of a server whose disk fails, or whose database file is removed or damaged. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { existsSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { sentence } from '../../src/domain/errors.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { type Shelf, startShelf } from '../support/servers/process.ts';
import { injectSyncs, strace } from '../support/servers/strace.ts';
import { connections } from '../support/threads/thread-clients.ts';

const folder = temporaryFolder();
let made = 0;
const newFile = () => join(folder, `${made++}.db`);
const serve = (path: string, ...args: string[]) => startShelf({ args: ['--database', `sqlite:${path}`, ...args] });

const create = (shelf: Shelf, id: number) =>
  fetch(`${shelf.url}/api/items`, { method: 'POST', body: `{"id":${id},"name":"n","price":1}` });
const exists = async (shelf: Shelf, path: string) => (await fetch(shelf.url + path)).ok;
const detailOf = async (answer: Response) => ((await answer.json()) as { detail: string }).detail;

describe.skipIf(strace === undefined)('a sync that fails', () => {
  test('once is answered with storage_unavailable, and no restart finds the write', async () => {
    const path = newFile();
    const shelf = await serve(path);
    const disk = await injectSyncs(shelf.pid, 'error=EIO:when=1');
    const answer = await create(shelf, 7);
    expect(answer.status).toBe(503);
    expect(await detailOf(answer)).toBe(sentence('storage_unavailable'));
    await disk.detach();
    expect((await create(shelf, 8)).status).toBe(201);
    await shelf.stop('SIGKILL');
    const again = await serve(path);
    expect(await exists(again, '/api/items/7')).toBe(false);
    expect(await exists(again, '/api/items/8')).toBe(true);
    await again.stop();
  });

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'permanently is answered with outcome_unknown, and after %s only earlier writes are found',
    async (signal) => {
      const path = newFile();
      const shelf = await serve(path);
      expect((await create(shelf, 6)).status).toBe(201);
      const disk = await injectSyncs(shelf.pid, 'error=EIO');
      const first = await create(shelf, 7);
      expect(first.status).toBe(503);
      expect(first.headers.get('Retry-After')).toBeNull();
      expect(await detailOf(first)).toBe(sentence('outcome_unknown'));
      // From here on no write is tried until the disk works, so none of them can be stored.
      const others = [
        await create(shelf, 8),
        await fetch(`${shelf.url}/api/users/1`, { method: 'DELETE' }),
        await fetch(`${shelf.url}/api/v2/items`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-ndjson' },
          body: '{"external_id":9,"name":"n","price":1}\n'.repeat(3),
        }),
      ];
      for (const answer of others) {
        expect(answer.status).toBe(503);
        expect(await detailOf(answer)).toBe(sentence('storage_unavailable'));
      }
      expect(await exists(shelf, '/api/items/6')).toBe(true);
      await shelf.stop(signal);
      await disk.detach();
      const again = await serve(path);
      expect(await exists(again, '/api/items/6')).toBe(true);
      expect(await exists(again, '/api/items/8')).toBe(false);
      expect(await exists(again, '/api/items/9')).toBe(false);
      expect(await exists(again, '/api/users/1')).toBe(true);
      await again.stop();
    },
  );

  test('temporarily needs no restart: writes succeed when the disk works again', async () => {
    const path = newFile();
    const shelf = await serve(path);
    const disk = await injectSyncs(shelf.pid, 'error=EIO');
    expect((await create(shelf, 7)).status).toBe(503);
    expect((await create(shelf, 8)).status).toBe(503);
    await disk.detach();
    expect((await create(shelf, 9)).status).toBe(201);
    await shelf.stop('SIGKILL');
    const again = await serve(path);
    const ids = JSON.parse(await (await fetch(`${again.url}/api/items`)).text()).map(({ id }: { id: number }) => id);
    expect(ids).toEqual([1, 9]);
    await again.stop();
  });
});

test('after the database file is removed, writes are refused until it is back', async () => {
  const path = newFile();
  const shelf = await serve(path);
  expect((await create(shelf, 7)).status).toBe(201);
  for (const name of [path, `${path}-wal`]) {
    renameSync(name, `${name}.away`);
    // The server detects a removed -wal within a few milliseconds, the database file at once.
    if (name === path) expect((await create(shelf, 8)).status).toBe(503);
    else while ((await create(shelf, 8)).status === 201);
    const second = await create(shelf, 9);
    expect(second.status).toBe(503);
    expect(await detailOf(second)).toBe(sentence('storage_unavailable'));
    const { message } = await shelf.line(({ event }) => event === 'storage');
    expect(message).toBe(
      `${name} was removed or replaced while it was served: writes are refused until it is back or Shelf is restarted.`,
    );
    expect((await fetch(`${shelf.url}/readyz`)).status).toBe(503);
    expect(await exists(shelf, '/api/items/7')).toBe(true);
    renameSync(`${name}.away`, name);
    expect((await create(shelf, 10)).status).toBe(201);
    expect((await fetch(`${shelf.url}/readyz`)).status).toBe(200);
  }
  rmSync(path);
  expect((await create(shelf, 11)).status).toBe(503);
  await shelf.stop();
});

test('a list from a removed file is answered with 503, and no new file is created', async () => {
  const path = newFile();
  const shelf = await serve(path, '--cache', '0');
  rmSync(path);
  expect((await fetch(`${shelf.url}/api/items`)).status).toBe(503);
  expect(existsSync(path)).toBe(false);
  await shelf.stop();
});

/** A file whose page of items is empty. */
async function damagedFile(): Promise<string> {
  const path = newFile();
  const before = await serve(path);
  await create(before, 7);
  await before.stop();
  const db = new Database(path);
  const { rootpage } = db
    .prepare<{ rootpage: number }, []>("select rootpage from sqlite_schema where name = 'items'")
    .get() ?? {
    rootpage: 0,
  };
  const { page_size: size } = db.prepare<{ page_size: number }, []>('pragma page_size').get() ?? { page_size: 0 };
  db.close(true);
  const file = openSync(path, 'r+');
  writeSync(file, new Uint8Array(size), 0, size, (rootpage - 1) * size);
  return path;
}

test('with a damaged file the server is not ready and refuses writes', async () => {
  const shelf = await serve(await damagedFile());
  const list = await fetch(`${shelf.url}/api/items`);
  expect(list.status).toBe(503);
  expect(list.headers.get('Retry-After')).toBe('1');
  expect(await detailOf(list)).toBe('The database is damaged: restore it from a backup.');
  const ready = await fetch(`${shelf.url}/readyz`);
  expect(ready.status).toBe(503);
  expect(await detailOf(ready)).toContain('damaged');
  expect((await create(shelf, 8)).status).toBe(503);
  expect((await fetch(`${shelf.url}/healthz`)).status).toBe(200);
  const { message } = await shelf.line(({ event }) => event === 'storage');
  expect(message).toMatch(/^The database is damaged \(.+\): writes are refused; restore a backup\.$/);
  await shelf.stop();
});

test('damage that one serving thread has found is known to all, and logged once', async () => {
  const shelf = await serve(await damagedFile(), '--threads', '3');
  const clients = connections(shelf.url, 24);
  const user = (id: number) => `{"id":${id},"name":"n"}`;
  const added = await Promise.all(clients.map((client, id) => client.ask('POST', '/api/users', user(id + 10))));
  expect(new Set(added.map(({ status }) => status))).toEqual(new Set([201]));
  expect((await clients[0]?.ask('GET', '/api/items'))?.status).toBe(503);
  const refused = async (method: string, path: string, body?: string) => {
    const answers = await Promise.all(clients.map((client) => client.ask(method, path, body)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  };
  await refused('POST', '/api/users', user(7));
  await refused('GET', '/readyz');
  await refused('GET', '/api/items');
  for (const client of clients) client.close();
  await shelf.stop();
  expect(shelf.output().match(/"event":"storage"/g)).toHaveLength(1);
});

test('a slow reader of a list from the file does not block the reset of the WAL, and gets the whole list', async () => {
  const path = newFile();
  const shelf = await serve(path, '--cache', '0', '--metrics', 'on');
  const body = `{"id":5,"name":"${'x'.repeat(900_000)}","price":1}`;
  const add = () => fetch(`${shelf.url}/api/items`, { method: 'POST', body });
  // More than the socket buffers hold.
  for (let n = 0; n < 24; n++) expect((await add()).status).toBe(201);
  const list = await fetch(`${shelf.url}/api/items`);
  const reader = list.body?.getReader();
  let taken = 0;
  const takeUpTo = async (bytes: number) => {
    while (taken < bytes) taken += (await reader?.read())?.value?.length ?? bytes;
  };
  await takeUpTo(1);
  const wal = () => statSync(`${path}-wal`).size / 1024 / 1024;
  let most = 0;
  for (let n = 0; n < 100; n++) {
    expect((await add()).status).toBe(201);
    most = Math.max(most, wal());
    // A reader that takes nothing for 30 seconds would be disconnected.
    await takeUpTo(n * 100_000);
  }
  // Without a reset the WAL would have 180 MB: 100 records of 900 KB, each stored again as a change.
  expect(most).toBeLessThan(120);
  const metrics = await (await fetch(`${shelf.url}/metrics`)).text();
  expect(metrics).toContain(`\nshelf_wal_bytes ${statSync(`${path}-wal`).size}\n`);
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) taken += part.value.length;
  expect(taken).toBe(39 + 24 * (body.length + 1));
  await shelf.stop();
}, 120_000);
