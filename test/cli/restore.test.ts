/** A database restored from a copy reuses no number, and followers of the lost history must resync. */
import { describe, expect, test } from 'bun:test';
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { farJump } from '../../src/domain/feed/feed-history.ts';
import { lock } from '../../src/storage/sqlite/file/lock.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { Listening } from '../support/servers/network/listening.ts';
import { runShelf, type Shelf, startShelf } from '../support/servers/process.ts';

const folder = temporaryFolder();
let made = 0;
const newPath = () => join(folder, `${made++}.db`);
const databaseOf = (path: string) => ['--database', `sqlite:${path}`];
const serve = (path: string) => startShelf({ args: [...databaseOf(path), '--log', 'off'] });

type Item = { id: number; version: number; name: string };

async function send(shelf: Shelf, method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  return fetch(`${shelf.url}/api/v2${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
const item = async (answer: Promise<Response>) => (await (await answer).json()) as Item;
const add = (shelf: Shelf, name: string) => item(send(shelf, 'POST', '/items', { name, price: 1 }));
const rename = (shelf: Shelf, id: number, name: string) => item(send(shelf, 'PATCH', `/items/${id}`, { name }));

type Copy = (path: string, copy: string) => Promise<void>;
const copies: readonly [string, 'live' | 'stopped', Copy][] = [
  [
    'shelf backup',
    'live',
    async (path, copy) => expect((await runShelf({ args: ['backup', copy, ...databaseOf(path)] })).code).toBe(0),
  ],
  ['cp of a stopped server', 'stopped', async (path, copy) => cpSync(path, copy)],
  [
    'cp of the files of a running server',
    'live',
    async (path, copy) => {
      cpSync(path, copy);
      cpSync(`${path}-wal`, `${copy}-wal`);
    },
  ],
];

/** Replaces the database with a copy, as the documentation says. */
function restore(path: string, copy: string): void {
  for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
  cpSync(copy, path);
  if (!existsSync(`${copy}-wal`)) return;
  cpSync(`${copy}-wal`, `${path}-wal`);
  rmSync(`${path}-lock`);
}

describe.each(copies)('restored from %s', (_, moment, copyTo) => {
  test.each(['SIGTERM', 'SIGKILL'] as const)('after %s', async (signal) => {
    const [path, copy] = [newPath(), newPath()];
    let shelf = await serve(path);
    const kept = await add(shelf, 'kept');
    const paged = (await (await send(shelf, 'GET', '/items?limit=1')).json()) as { next_cursor: string };
    if (moment === 'stopped') await shelf.stop();
    await copyTo(path, copy);
    if (moment === 'stopped') shelf = await serve(path);
    // The restore loses these changes.
    for (const name of ['a', 'b', 'c']) await add(shelf, name);
    const changed = await rename(shelf, kept.id, 'lost');
    expect(changed.version).toBe(2);
    const { last } = (await (await send(shelf, 'GET', '/changes')).json()) as { last: number };
    await shelf.stop(signal);

    restore(path, copy);
    const restored = await serve(path);
    const before = (await (await send(restored, 'GET', '/changes')).json()) as {
      data: { seq: number }[];
      last: number;
    };
    const common = before.data.at(-1)?.seq ?? 0;
    expect(common).toBe(last - 4);
    // A follower of the lost history must resync; one that is no further than the copy continues.
    for (const lost of [common + 1, last, last + 2]) {
      const answer = await send(restored, 'GET', `/changes?after=${lost}`);
      expect(answer.status).toBe(410);
      const next = Number(/after=(\d+)/.exec(((await answer.json()) as { detail: string }).detail)?.[1]);
      expect(next).toBeGreaterThan(last);
      const listening = await Listening.to(`${restored.url}/api/v2/events`, { 'Last-Event-ID': String(lost) });
      await listening.until(() => listening.told.length > 0);
      expect(listening.told).toEqual([{ id: String(next), event: 'resync', data: `{"after":${next}}` }]);
      listening.leave();
    }
    expect((await send(restored, 'GET', `/changes?after=${common}`)).status).toBe(200);
    // No id, change number or version of the lost history is reused.
    const added = await add(restored, 'new');
    expect(added.id).toBeGreaterThan(kept.id + 3);
    const renamed = await rename(restored, kept.id, 'new');
    expect(renamed.version).toBeGreaterThan(changed.version);
    const stale = await send(restored, 'PATCH', `/items/${kept.id}`, { name: 'x' }, { 'If-Match': '"2"' });
    expect(stale.status).toBe(412);
    const pull = async (after: number) =>
      ((await (await send(restored, 'GET', `/changes?after=${after}`)).json()) as { data: { seq: number }[] }).data;
    const data = await pull(common);
    expect(await pull(before.last)).toEqual(data);
    for (const { seq } of data) expect(seq).toBeGreaterThan(last);
    expect(data.length).toBe(2);
    const cursor = await send(restored, 'GET', `/items?limit=1&cursor=${paged.next_cursor}`);
    expect(cursor.status).toBe(400);
    // The file no longer counts as a copy: the next start changes nothing.
    await restored.stop(signal);
    const again = await serve(path);
    expect((await add(again, 'next')).id).toBe(added.id + 1);
    expect((await send(again, 'GET', `/changes?after=${data.at(-1)?.seq}`)).status).toBe(200);
    await again.stop();
  });
});

test('after a clean stop, numbers continue right after those of the lost history', async () => {
  const [path, copy] = [newPath(), newPath()];
  const shelf = await serve(path);
  await copies[0]?.[2](path, copy);
  for (let n = 0; n < 5; n++) await add(shelf, 'lost');
  await shelf.stop();
  restore(path, copy);
  const restored = await serve(path);
  expect((await add(restored, 'new')).id).toBeLessThan(20);
  await restored.stop('SIGKILL');
  restore(path, copy);
  const far = await serve(path);
  expect((await add(far, 'new')).id).toBeGreaterThan(farJump);
  await far.stop();
});

test('a backup that is restored several times reuses no number', async () => {
  const [path, copy] = [newPath(), newPath()];
  const shelf = await serve(path);
  await copies[0]?.[2](path, copy);
  await shelf.stop('SIGKILL');
  const ids: number[] = [];
  for (let time = 0; time < 3; time++) {
    restore(path, copy);
    const restored = await serve(path);
    ids.push((await add(restored, 'a')).id, (await add(restored, 'b')).id);
    await restored.stop('SIGKILL');
  }
  expect(new Set(ids).size).toBe(6);
  expect(ids).toEqual([...ids].sort((one, other) => one - other));
});

test('a copy of the whole folder is recognized as a copy', async () => {
  const [here, there] = [join(folder, 'whole'), join(folder, 'whole-copy')];
  const path = join(here, 'shelf.db');
  const shelf = await serve(path);
  await shelf.stop();
  cpSync(here, there, { recursive: true });
  const again = await serve(path);
  const lost = [await add(again, 'a'), await add(again, 'b')].map(({ id }) => id);
  await again.stop();
  rmSync(here, { recursive: true });
  cpSync(there, here, { recursive: true });
  const restored = await serve(path);
  expect((await add(restored, 'c')).id).toBeGreaterThan(Math.max(...lost));
  await restored.stop();
});

test('a copy that is started twice in its own place begins one new epoch', async () => {
  const [path, copy] = [newPath(), newPath()];
  const shelf = await serve(path);
  await copies[0]?.[2](path, copy);
  await shelf.stop();
  const first = await serve(copy);
  const { id } = await add(first, 'a');
  await first.stop();
  const second = await serve(copy);
  expect((await add(second, 'b')).id).toBe(id + 1);
  await second.stop();
});

test('a start on a copy that was killed halfway is completed by the next start', async () => {
  const [path, copy] = [newPath(), newPath()];
  const shelf = await serve(path);
  await copies[0]?.[2](path, copy);
  await shelf.stop('SIGKILL');
  restore(path, copy);
  // The state after a kill before anything was written to the journal.
  const held = lock(path);
  if (held === 'taken' || held.note === undefined) throw new Error('there is no note of the last run');
  held.write({ ...held.note, marks: [7], opening: true });
  held.release();
  writeFileSync(`${path}-journal`, new Uint8Array(512));
  const restored = await serve(path);
  expect((await add(restored, 'new')).id).toBeGreaterThan(farJump);
  await restored.stop();
});

describe('a database with mismatched files is refused with one line and not changed', () => {
  const refused = async (path: string) => {
    const { code, stdout, stderr } = await runShelf({ args: [...databaseOf(path), '--port', '0'] });
    expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 });
    return stderr;
  };

  test('a WAL of the previous file', async () => {
    const [path, copy] = [newPath(), newPath()];
    const shelf = await serve(path);
    await copies[0]?.[2](path, copy);
    await add(shelf, 'only in the log');
    await shelf.stop('SIGKILL');
    cpSync(copy, path);
    expect(await refused(path)).toContain(`${path}-wal belongs to the previous file`);
    for (const end of ['-wal', '-shm']) rmSync(path + end);
    await (await serve(path)).stop();
  });

  test('a leftover journal', async () => {
    const path = newPath();
    await (await serve(path)).stop();
    writeFileSync(`${path}-journal`, 'x');
    expect(await refused(path)).toContain(`${path}-journal is left over`);
  });

  test('a WAL without its database', async () => {
    const path = newPath();
    const shelf = await serve(path);
    await add(shelf, 'a');
    await shelf.stop('SIGKILL');
    writeFileSync(path, '');
    expect(await refused(path)).toContain(`${path} is empty, but ${path}-wal is not`);
  });
});
