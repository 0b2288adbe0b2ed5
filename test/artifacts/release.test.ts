/**
 * The files of a release: made twice with the same bytes, and run in fresh folders. `npm test` makes those of this machine; `npm run
 * release` makes all, and sets RELEASED to their folder.
 */
import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { changedPages } from '../../scripts/release/sign-macos.ts';
import { hostTarget, targets } from '../../scripts/release/targets.ts';
import { systemTool } from '../../scripts/tools/system-tool.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { runCommand } from '../support/servers/command.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { startShelf } from '../support/servers/process.ts';
import { onAllThreads } from '../support/threads/thread-clients.ts';
import { filesOf, make } from './made.ts';
import { released, version } from './released.ts';
import { inImage, mayMount, type UnpackedImage, unpackImage } from './unpacked-image.ts';

const folder = temporaryFolder();
const made = released ?? (await make(folder, 'one'));
const files = filesOf(made);
const textOf = (name: string) => Buffer.from(files.get(name) ?? []).toString();

test.skipIf(released !== undefined)(
  'two builds of one commit have the same bytes',
  async () => {
    const again = filesOf(await make(folder, 'another'));
    expect([...again.keys()].sort()).toEqual([...files.keys()].sort());
    expect([...files].filter(([name, bytes]) => !again.get(name)?.equals(bytes)).map(([name]) => name)).toEqual([]);
  },
  600_000,
);

test('SHA256SUMS has every file with its digest', () => {
  const sums = textOf('SHA256SUMS').trim().split('\n');
  expect(sums.map((line) => line.slice(66)).sort()).toEqual(
    [...files.keys()].filter((name) => name !== 'SHA256SUMS').sort(),
  );
  for (const line of sums) {
    const digest = new Bun.CryptoHasher('sha256').update(files.get(line.slice(66)) ?? '').digest('hex');
    expect(line.slice(0, 64)).toBe(digest);
  }
});

test.skipIf(systemTool('sha256sum') === undefined)(
  'sha256sum accepts SHA256SUMS, and not a file that has changed',
  async () => {
    const command = [systemTool('sha256sum') ?? '', '--check', '--strict', '--quiet', 'SHA256SUMS'];
    expect(await runCommand(command, { cwd: made })).toEqual({ stdout: '', stderr: '', code: 0 });
    const changed = join(folder, 'changed');
    mkdirSync(changed);
    const name = `create-shelf-${version}.tgz`;
    writeFileSync(join(changed, name), Buffer.concat([files.get(name) ?? Buffer.from([]), Buffer.from([0])]));
    writeFileSync(join(changed, 'SHA256SUMS'), textOf('SHA256SUMS').replace(/^.* {2}(?!create).*\n/gm, ''));
    expect((await runCommand(command, { cwd: changed })).stdout).toBe(`${name}: FAILED\n`);
  },
);

const helm = systemTool('helm');
test.skipIf(helm === undefined)(
  'helm renders the packed chart',
  async () => {
    const chart = join(made, `shelf-chart-${version}.tgz`);
    const { stdout, stderr, code } = await runCommand(
      [helm ?? '', 'template', 'ours', chart, '--kube-version', '1.31.0'],
      { cwd: folder },
    );
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toContain(`:${version}`);
  },
  60_000,
);

test('the SBOMs name what is inside, with versions and licenses', () => {
  type Component = { name: string; version: string; licenses?: object[]; components?: Component[] };
  const read = (name: string) => JSON.parse(textOf(name)) as { components: Component[] };
  const { components } = read(`shelf-${version}.cdx.json`);
  // Of the server, of the console, and a dependency of a dependency.
  const names = components.map(({ name }) => name);
  for (const name of ['typebox', 'swagger-ui-dist', 'preact', '@preact/signals-core', 'bun'])
    expect(names).toContain(name);
  expect(names).not.toContain('typescript');
  for (const one of components) expect(one.licenses?.length).toBe(1);
  expect(components.find(({ name }) => name === 'bun')?.components?.map(({ name }) => name)).toContain('sqlite');
  expect(read(`shelf-${version}-image.cdx.json`).components.map(({ name }) => name)).toEqual([...names, 'libc6']);
});

/** Unpacked as somebody would who has downloaded it. */
async function unpacked(name: string): Promise<string> {
  const place = join(folder, `run-${name}`);
  mkdirSync(place);
  const archive = join(made, `shelf-${version}-${name}.tar.gz`);
  expect((await runCommand(['tar', '-xzf', archive], { cwd: place })).code).toBe(0);
  const program = join(place, `shelf-${version}-${name}`);
  expect(readdirSync(program).sort()).toEqual(['LICENSE', 'THIRD-PARTY-LICENSES', 'shelf']);
  const licenses = readFileSync(join(program, 'THIRD-PARTY-LICENSES'), 'utf8');
  for (const part of ['# typebox ', '# @preact/signals-core ', 'JavaScriptCore']) expect(licenses).toContain(part);
  return join(program, 'shelf');
}

test(`the executable for ${hostTarget?.name} serves the API, the documentation pages and the console`, async () => {
  const program = await unpacked(hostTarget?.name ?? '');
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const shelf = await startShelf({ command: [program], cwd: empty, args: ['--threads', '3'] });
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

const imageFile = join(made, `shelf-${version}-image.tar`);
const image = join(folder, 'image');
const images: readonly UnpackedImage[] = mayMount && existsSync(imageFile) ? await unpackImage(imageFile, image) : [];

const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
const ours = images.find((one) => one.architecture === architecture);
test.skipIf(ours === undefined)(
  'the image serves as nobody from a root that it cannot write to, and is healthy',
  async () => {
    if (ours === undefined) return;
    const { config } = ours.about;
    expect(config.User).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    const port = String(freePort());
    const env = { PATH: process.env.PATH ?? '', HOME: '/' };
    const start = (...args: readonly string[]) =>
      startShelf({ command: inImage(ours, config.Entrypoint), args: ['--port', port, ...args], env });
    const first = await start();
    const made = await fetch(`${first.url}/api/items`, { method: 'POST', body: '{"id":2,"name":"kept","price":1}' });
    expect(made.status).toBe(201);
    const healthy = () => runCommand(inImage(ours, [...config.Healthcheck.Test.slice(1), '--port', port]), { env });
    expect(await healthy()).toMatchObject({ code: 0, stderr: '' });
    expect(await first.stop()).toBe(0);
    expect(await first.errors()).toBe('');
    expect((await healthy()).code).toBe(1);

    const { uid, gid, mode } = statSync(join(ours.root, 'data/shelf.db'));
    expect([`${uid}:${gid}`, (mode & 0o777).toString(8)]).toEqual([config.User, '600']);
    // Nothing but the volume has changed, and the database is opened again.
    const again = await start();
    expect(await (await fetch(`${again.url}/api/items/2`)).text()).toContain('kept');
    expect(await again.stop()).toBe(0);
    const outside = await start('--database', 'sqlite:/shelf.db').catch(String);
    expect(outside).toMatch(/shelf\.db/);
  },
);

for (const { name } of targets) {
  if (released === undefined || !name.startsWith('macos')) continue;
  test(`the executable for ${name} has a signature that fits`, async () => {
    expect(changedPages(readFileSync(await unpacked(name)))).toBe(0);
  }, 60_000);
}

/** Why an executable does not run here; undefined if an emulator with the libraries of the image does it. */
function whyNotRun(name: string): string | undefined {
  if (name.startsWith('macos')) return 'it needs macOS';
  if (name.endsWith('musl')) return 'there is no musl here';
  if (!images.some((one) => `linux-${one.architecture}` === name)) return 'only root can unpack its libraries';
  return systemTool('qemu-aarch64-static') === undefined ? 'qemu-user-static is not installed' : undefined;
}

for (const { name } of targets) {
  if (name === hostTarget?.name || released === undefined) continue;
  const reason = whyNotRun(name);
  const title = reason === undefined ? 'serves in an emulator' : `was not run: ${reason}`;
  test.skipIf(reason !== undefined)(
    `the executable for ${name} ${title}`,
    async () => {
      const libraries = images.find((one) => `linux-${one.architecture}` === name)?.root ?? '';
      const command = [systemTool('qemu-aarch64-static') ?? '', '-L', libraries, await unpacked(name)];
      const shelf = await startShelf({ command, cwd: folder, args: ['--database', 'memory:'] });
      expect(await (await fetch(`${shelf.url}/api/items`)).text()).toContain('Widget');
      expect(await shelf.stop()).toBe(0);
    },
    600_000,
  );
}
