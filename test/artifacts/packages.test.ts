/** The npm packages: installed by name in empty folders on a machine with only Node, and used from an application. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packages } from '../../scripts/packages.ts';
import { withoutRootSettings } from '../../scripts/tools/npm-ci.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { libraryFile } from '../support/data/library.ts';
import { runCommand } from '../support/servers/command.ts';
import { barePath } from '../support/servers/network/bare-path.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { root, startShelf } from '../support/servers/process.ts';
import { onAllThreads } from '../support/threads/thread-clients.ts';
import { npmRegistry } from './registry.ts';
import { released, version } from './released.ts';

const folder = temporaryFolder();
const app = join(folder, 'app');
const path = barePath(folder);

async function makePackages(): Promise<string> {
  const made = join(folder, 'made');
  mkdirSync(made);
  for (const { file, bytes } of await packages(1_700_000_000)) writeFileSync(join(made, file), bytes);
  return made;
}

const made = released ?? (await makePackages());
const usual = (await runCommand(['npm', 'config', 'get', 'registry'], { cwd: folder })).stdout.trim();
const registry = npmRegistry(made, usual.endsWith('/') ? usual : `${usual}/`);
afterAll(() => registry.stop());
const env = { ...withoutRootSettings(process.env), PATH: path, npm_config_registry: registry.url };

/** The reason why npm cannot install packages in a new folder; undefined if it has. */
async function install(place: string, ...names: readonly string[]): Promise<string | undefined> {
  mkdirSync(place);
  writeFileSync(join(place, 'package.json'), '{ "name": "app", "private": true, "type": "module" }');
  const command = ['npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, stderr } = await runCommand([...command, ...names], { cwd: place, env });
  return code === 0 ? undefined : `npm could not install it: ${stderr.trim().split('\n')[0]}`;
}

const missing = await install(app, 'shelf-server', 'shelf-client');
if (missing !== undefined) {
  if (process.env.CI) throw new Error(`the packages are not installed (${missing}), and in CI no test may be skipped`);
  process.stderr.write(`\n!!! SKIPPED: the packages were not tested, because ${missing}.\n`);
}

const installedIn = (place: string) =>
  readdirSync(join(place, 'node_modules'))
    .filter((name) => !name.startsWith('.'))
    .sort();

/** Megabytes on disk. */
async function sizeOf(path: string): Promise<number> {
  const { stdout } = await runCommand(['du', '-sk', path]);
  return Number.parseInt(stdout, 10) / 1024;
}

const source = `import { createClient, ShelfError } from 'shelf-client';
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

test('shelf-server has the size that docs/install.md names', () => {
  const said = /`shelf-server` is ([\d.]+) MB/.exec(readFileSync(join(root, 'docs/install.md'), 'utf8'))?.[1];
  const { size } = statSync(join(made, `shelf-server-${version}.tgz`));
  expect(Math.abs(size / 1e6 - Number(said))).toBeLessThan(0.15);
});

describe.skipIf(missing !== undefined)('the installed packages', () => {
  test('have only the runtime as a dependency, and are small besides', async () => {
    const modules = join(app, 'node_modules');
    expect(installedIn(app)).toEqual(['@oven', 'bun', 'shelf-client', 'shelf-server']);
    const [all, runtime] = [
      await sizeOf(modules),
      (await sizeOf(join(modules, '@oven'))) + (await sizeOf(join(modules, 'bun'))),
    ];
    expect(all - runtime).toBeLessThan(10);
  });

  test('the client is installed alone', async () => {
    const front = join(folder, 'front');
    expect(await install(front, 'shelf-client')).toBeUndefined();
    expect(installedIn(front)).toEqual(['shelf-client']);
    expect(await sizeOf(join(front, 'node_modules'))).toBeLessThan(0.5);
  });

  test('npm create shelf makes a folder, installs the server and starts it', async () => {
    const port = String(freePort());
    // A group of its own, as that of a terminal.
    const child = Bun.spawn(['npm', 'create', '--yes', 'shelf', 'my library'], {
      cwd: folder,
      env: { ...env, PORT: port, npm_config_prefer_offline: 'true' },
      stdout: 'pipe',
      stderr: 'pipe',
      detached: true,
    });
    let output = '';
    for await (const part of child.stdout) {
      output += Buffer.from(part);
      if (output.includes('/docs')) break;
    }
    try {
      expect(output).toContain(`:${port}`);
      expect((await fetch(`http://127.0.0.1:${port}/api/v2/books`)).status).toBe(200);
    } finally {
      process.kill(-child.pid, 'SIGINT');
      await child.exited;
    }
    const place = join(folder, 'my library');
    const { name, dependencies } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
    expect({ name, dependencies }).toEqual({ name: 'my-library', dependencies: { 'shelf-server': `^${version}` } });
    for (const file of ['.gitignore', 'README.md', 'shelf.json', 'data']) expect(readdirSync(place)).toContain(file);
    // Nothing that is there is overwritten.
    const again = await runCommand(['npm', 'create', '--yes', 'shelf', 'my library'], { cwd: folder, env });
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('my library is not empty');
  }, 120_000);

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

  test('npx shelf-server runs the command, although it is called shelf', async () => {
    const command = ['npx', '--yes', 'shelf-server', '--version'];
    const { stdout, code } = await runCommand(command, { cwd: app, env });
    expect(stdout).toStartWith(`shelf ${version} `);
    expect(code).toBe(0);
  });

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
