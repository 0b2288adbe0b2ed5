/** What a server does for items, it does for a collection that a file declares, without further code. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/data/folder.ts';
import { runShelf, startShelf } from '../support/servers/process.ts';

test('keys, metrics, start page, OpenAPI, exports, feed and backup have a declared collection', async () => {
  const cwd = temporaryFolder();
  const songs = { singular: 'song', fields: { title: 'text' } };
  writeFileSync(join(cwd, 'shelf.json'), JSON.stringify({ collections: { songs } }));
  const newKey = async (scope: string, ...more: string[]) => {
    const args = ['keys', 'create', '--name', scope, '--scope', scope, ...more];
    const { stdout, stderr, code } = await runShelf({ args, cwd });
    expect({ stderr, code }).toMatchObject({ code: 0 });
    return stdout.trim();
  };
  // A first start creates the database.
  await (await startShelf({ cwd })).stop();
  const read = await newKey('read', '--collections', 'songs');
  const write = await newKey('write', '--collections', 'songs');
  const admin = await newKey('admin');
  const shelf = await startShelf({ cwd, args: ['--auth', 'all', '--metrics', 'on'] });
  const ask = async (path: string, key = read, init: RequestInit = {}) => {
    const headers = { 'X-API-Key': key, ...(init.headers as Record<string, string>) };
    const answer = await fetch(shelf.url + path, { ...init, headers });
    return { status: answer.status, text: await answer.text() };
  };
  const body = '{"title":"Blackbird"}';
  expect((await ask('/api/v2/songs', read, { method: 'POST', body })).status).toBe(403);
  expect((await ask('/api/v2/songs', write, { method: 'POST', body })).status).toBe(201);
  expect((await ask('/api/v2/items', read)).status).toBe(403);

  expect((await ask('/metrics', admin)).text).toMatch(/route="\/api\/v2\/songs"/);
  expect((await ask('/', read, { headers: { Accept: 'text/html' } })).text).toContain('/api/v2/songs');
  const { paths } = JSON.parse((await ask('/openapi.json')).text) as { paths: object };
  expect(Object.keys(paths)).toContain('/api/v2/songs/{id}');
  expect((await ask('/api/v2/songs/export')).text).toMatch(/^id,title,version,.*\r\n1,Blackbird,1,/);
  const lines = await ask('/api/v2/songs/export', read, { headers: { Accept: 'application/x-ndjson' } });
  expect(JSON.parse(lines.text)).toMatchObject({ id: 1, title: 'Blackbird' });
  expect(JSON.parse((await ask('/api/v2/changes?collection=songs')).text)).toMatchObject({
    data: [{ type: 'song.created', record: { title: 'Blackbird' } }],
  });
  await shelf.stop();

  const { stdout } = await runShelf({ args: ['backup', 'copy.db'], cwd });
  expect(stdout).toBe('copy.db is sound, and has 1 items, 1 users and 1 songs.\n');
});
