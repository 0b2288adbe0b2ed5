/** `shelf types`, run as a command: of a file, and of a running server. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { typescriptOf } from '../../src/declarations/typescript.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { library, libraryFile } from '../support/data/library.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { runShelf } from '../support/servers/process.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const folder = temporaryFolder();
const file = join(folder, 'library.json');
let server: TestServer;
let key: string;
beforeAll(async () => {
  writeFileSync(file, JSON.stringify({ collections: libraryFile }));
  server = await startServer({ collections: library, access: { auth: 'all' } });
  const order = {
    kind: 'create',
    name: 'types',
    scope: 'read',
    collections: ['books', 'authors'],
    lastsMs: undefined,
  } as const;
  key = (await runKeys(server.store.admin.apiKeys, order, new Date(), library)).output.trim();
});
afterAll(() => server.stop());

const types = (args: readonly string[], env = {}) => runShelf({ args: ['types', ...args], cwd: folder, env });

test('prints the types of a file, and touches nothing', async () => {
  const { stdout, stderr, code } = await types(['--config', file]);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout).toBe(typescriptOf(library));
  expect(readdirSync(folder)).toEqual(['library.json']);
});

test('prints the types of the collections of a server that the key may read', async () => {
  const { stdout, stderr, code } = await types(['--url', `${server.url}/`], { SHELF_KEY: key });
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const readable = library.filter(({ name }) => ['authors', 'books'].includes(name));
  expect(stdout).toBe(typescriptOf(readable));
  // A reference to a collection that the key may not read cannot be expanded.
  expect(stdout).toContain(
    "sort: 'id' | 'name' | 'born' | 'publisher' | 'version' | 'created_at' | 'updated_at';\n    numeric: never;\n    days: 'born';\n    times: 'created_at' | 'updated_at';\n    unique: never;\n    references: object;",
  );
});

test('says in one line what is wrong with a server', async () => {
  const site = Bun.serve({ port: 0, fetch: () => new Response('<h1>Hello</h1>') });
  const newer = Bun.serve({
    port: 0,
    fetch: () =>
      Response.json({
        collections: [{ name: 'notes', declaration: { singular: 'note', fields: { a: { type: 'map' } } } }],
      }),
  });
  const hostile = Bun.serve({
    port: 0,
    fetch: () =>
      Response.json({
        collections: [
          { name: 'notes', declaration: { singular: "n'; } alert(1); //", fields: { a: { type: 'text' } } } },
        ],
      }),
  });
  const port = freePort();
  for (const [url, message, expected] of [
    [server.url, `${server.url}/api/v2 answers 401: set SHELF_KEY to a key that may read the collections.`, 1],
    [`http://127.0.0.1:${port}`, `Cannot reach http://127.0.0.1:${port}/api/v2 (`, 1],
    [site.url.href, `${site.url}api/v2 answers 200 and no list of collections: give the address of a Shelf server.`, 1],
    [
      newer.url.href,
      `This Shelf cannot read the collection notes at ${newer.url}api/v2 (there is no field type map in this version of Shelf): update it.`,
      1,
    ],
    [
      hostile.url.href,
      `${hostile.url}api/v2 has a declaration that no Shelf has (notes.singular: must have only lower-case letters`,
      1,
    ],
    [
      'localhost:8000',
      '--url must be the address of a server, such as http://127.0.0.1:8000, not "localhost:8000".',
      2,
    ],
  ] as const) {
    const { stdout, stderr, code } = await types(['--url', url]);
    expect(stderr).toStartWith(`shelf: ${message}`);
    expect(stderr.trim().split('\n').length).toBe(1);
    expect({ stdout, code }).toEqual({ stdout: '', code: expected });
  }
  await site.stop(true);
  await newer.stop(true);
  await hostile.stop(true);
});
