/** The self-contained executable, started in an empty folder with nothing installed. */
import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/data/folder.ts';
import { root, startShelf } from '../support/servers/process.ts';
import { onAllThreads } from '../support/threads/thread-clients.ts';

const built = temporaryFolder();
const empty = temporaryFolder();

test('serves the API, the documentation pages and the console', async () => {
  const outfile = join(built, 'shelf');
  const build = Bun.spawnSync([process.execPath, join(root, 'scripts/build.ts'), outfile], { cwd: root });
  expect(build.stderr.toString()).toBe('');
  expect(build.exitCode).toBe(0);
  expect(readdirSync(built)).toEqual(['shelf']);

  const shelf = await startShelf({ command: [outfile], cwd: empty, args: ['--threads', '3'] });
  const expected = {
    '/': 'Shelf',
    '/api/items': 'Widget',
    '/openapi.json': '"openapi":"3.1.0"',
    '/docs': '/docs/swagger-ui-bundle.js',
    '/docs/swagger-ui-bundle.js': 'SwaggerUIBundle',
    '/docs/swagger-ui.css': '.swagger-ui',
    '/theme.css': '--accent',
    '/pages.css': '.card',
    '/console': '/console/-/console.js',
    '/console/-/console.js': '/api/v2/me',
    '/console/-/console.css': '.rail',
    '/redoc': '/redoc/redoc.standalone.js',
    '/redoc/redoc.standalone.js': 'openapi',
  };
  for (const [path, part] of Object.entries(expected)) {
    for (const { status, text } of await onAllThreads(shelf.url + path)) {
      expect({ path, status }).toEqual({ path, status: 200 });
      expect(text.includes(part)).toBe(true);
    }
  }
  // Writes, searches and large bodies each use their own thread.
  const body = `{"id":2,"name":"${'x'.repeat(100_000)}","price":1}`;
  expect((await fetch(`${shelf.url}/api/items`, { method: 'POST', body })).status).toBe(201);
  expect((await fetch(`${shelf.url}/api/v2/items?limit=1`)).status).toBe(200);
  expect(await shelf.stop()).toBe(0);
  expect(readdirSync(empty)).toEqual(['data']);
  expect(readdirSync(join(empty, 'data')).sort()).toEqual(['shelf.db', 'shelf.db-lock']);
});
