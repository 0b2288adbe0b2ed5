/** The package: packed by npm, installed in an empty folder on a machine with only Node, and used from an application. */
import { describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withoutRootSettings } from '../../scripts/npm-ci.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { libraryFile } from '../support/data/library.ts';
import { barePath } from '../support/servers/bare-path.ts';
import { runCommand } from '../support/servers/command.ts';
import { root, startShelf } from '../support/servers/process.ts';
import { onAllThreads } from '../support/threads/thread-clients.ts';

const folder = temporaryFolder();
const app = join(folder, 'app');
const path = barePath(folder);
const env = { ...withoutRootSettings(process.env), PATH: path };

let packedBytes = 0;

/** The reason why the package cannot be installed here; undefined if it is. */
async function installed(): Promise<string | undefined> {
  const packed = await runCommand(['npm', 'pack', '--pack-destination', folder, '--loglevel=error'], { cwd: root });
  if (packed.code !== 0) throw new Error(packed.stderr);
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  packedBytes = statSync(join(folder, tarball)).size;
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }');
  const install = ['npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, stderr } = await runCommand([...install, join(folder, tarball)], { cwd: app, env });
  return code === 0 ? undefined : `npm could not install it: ${stderr.trim().split('\n')[0]}`;
}

const missing = await installed();
if (missing !== undefined) {
  if (process.env.CI) throw new Error(`the package is not installed (${missing}), and in CI no test may be skipped`);
  process.stderr.write(`\n!!! SKIPPED: the package was not tested, because ${missing}.\n`);
}

/** Megabytes on disk. */
async function sizeOf(path: string): Promise<number> {
  const { stdout } = await runCommand(['du', '-sk', path]);
  return Number.parseInt(stdout, 10) / 1024;
}

const source = `import { createClient, ShelfError } from 'shelf/client';
import type { Shelf } from './shelf.d.ts';

declare const process: { readonly argv: readonly string[] };

const shelf = createClient<Shelf>({ url: process.argv[2] ?? '' });
const author = await shelf.authors.create({ name: 'Borges' });
const isbn = \`978000000000\${author.id}\`;
const book = await shelf.books.create({ title: 'Ficciones', isbn, price: '12.3', author: author.id, pages: 9007199254740993n });
const { data } = await shelf.books.list({ where: { isbn }, fields: ['title', 'pages'], expand: ['author'] });
const stale = await shelf.books.update({ id: book.id, version: 7 }, { title: 'x' }).catch((error: unknown) => error);
const found = data.map(({ title, pages, expanded }) => \`\${title} \${pages} \${expanded.author?.name}\`);
console.log(found.join(), stale instanceof ShelfError ? stale.code : stale);
`;

test('the package has the size that the README names', () => {
  const said = /makes a package of ([\d.]+) MB/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1];
  process.stdout.write(`packed: ${(packedBytes / 1e6).toFixed(2)} MB\n`);
  expect(Math.abs(packedBytes / 1e6 - Number(said))).toBeLessThan(0.15);
});

describe.skipIf(missing !== undefined)('the installed package', () => {
  test('has only the runtime as a dependency, and is small besides', async () => {
    const modules = join(app, 'node_modules');
    expect(
      readdirSync(modules)
        .filter((name) => !name.startsWith('.'))
        .sort(),
    ).toEqual(['@oven', 'bun', 'shelf']);
    const [all, runtime] = [
      await sizeOf(modules),
      (await sizeOf(join(modules, '@oven'))) + (await sizeOf(join(modules, 'bun'))),
    ];
    process.stdout.write(`installed: ${all.toFixed(1)} MB, of which the runtime ${runtime.toFixed(1)} MB\n`);
    expect(all - runtime).toBeLessThan(10);
  });

  test('serves, prints types, and its client compiles and runs on Node and on Bun', async () => {
    writeFileSync(join(app, 'shelf.json'), JSON.stringify({ collections: libraryFile }));
    const shelf = await startShelf({ command: ['npx', 'shelf'], args: ['--threads', '3'], cwd: app, env });
    try {
      // Pages, threads and the folder of the database.
      for (const [path, part] of [
        ['/docs/swagger-ui-bundle.js', 'SwaggerUIBundle'],
        ['/redoc/redoc.standalone.js', 'openapi'],
        ['/console', '<'],
        ['/', 'Shelf'],
      ] as const) {
        for (const { status, text } of await onAllThreads(shelf.url + path)) {
          expect({ path, status }).toEqual({ path, status: 200 });
          expect(text.includes(part)).toBe(true);
        }
      }
      const body = `{"name":"${'x'.repeat(100_000)}","price":1}`;
      expect((await fetch(`${shelf.url}/api/v2/items`, { method: 'POST', body })).status).toBe(201);
      expect((await fetch(`${shelf.url}/api/v2/items?name[contains]=x`)).status).toBe(200);

      const types = await runCommand(['npx', 'shelf', 'types', '--url', shelf.url], { cwd: app, env });
      expect(types.code).toBe(0);
      expect((await runCommand(['npx', 'shelf', 'types'], { cwd: app, env })).stdout).toBe(types.stdout);
      writeFileSync(join(app, 'shelf.d.ts'), types.stdout);
      writeFileSync(join(app, 'app.ts'), source);
      const options = [
        '--strict',
        '--target',
        'es2022',
        '--module',
        'nodenext',
        '--types',
        '',
        '--skipLibCheck',
        'false',
      ];
      const compiled = await runCommand([join(root, 'node_modules/.bin/tsc'), ...options, 'app.ts'], { cwd: app });
      expect(compiled).toEqual({ stdout: '', stderr: '', code: 0 });
      for (const runtime of ['node', process.execPath]) {
        const { stdout, stderr } = await runCommand([runtime, 'app.js', shelf.url], { cwd: app });
        expect({ stdout, stderr }).toEqual({
          stdout: 'Ficciones 9007199254740993 Borges precondition_failed\n',
          stderr: '',
        });
      }
    } finally {
      // npx ends with a code of its own; the server ends, and closes its database.
      await shelf.stop();
    }
    expect(readdirSync(join(app, 'data')).sort()).toEqual(['shelf.db', 'shelf.db-lock']);
  }, 120_000);

  test('runs no code of a bunfig.toml in the folder where it is started', async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'bunfig.toml'), 'preload = ["./evil.ts"]');
    writeFileSync(join(other, 'evil.ts'), 'process.stdout.write("evil");');
    const command = [join(app, 'node_modules/.bin/shelf'), '--version'];
    const { stdout, code } = await runCommand(command, { cwd: other, env });
    expect(stdout).toStartWith('shelf ');
    expect(code).toBe(0);
  });
});
