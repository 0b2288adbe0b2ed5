/**
 * The image of deploy/Dockerfile without a Docker engine: the steps of its last stage run in a folder that acts as the
 * image. The base has only the programs that the steps call, copied from this machine.
 */
import { expect, test } from 'bun:test';
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemTool } from '../../scripts/tools/system-tool.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { root, startShelf } from '../support/servers/process.ts';

type Step = { readonly name: string; readonly rest: string };

function lastStage(): Step[] {
  const text = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8').replace(/^#.*\n/gm, '');
  const stage = text.slice(text.lastIndexOf('FROM '));
  return [...stage.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name = '', rest = '']) => ({ name, rest }));
}

/** A program and the libraries that it loads. */
function install(image: string, program: string, place: string): void {
  const { stdout } = Bun.spawnSync(['ldd', program]);
  const libraries = [...stdout.toString().matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
  for (const [from, to] of [[program, place] as const, ...libraries.map((path) => [path, path] as const)]) {
    mkdirSync(dirname(join(image, to)), { recursive: true });
    copyFileSync(from, join(image, to));
  }
}

/** A command that runs in the image, with /proc and /dev mounted there; the mounts are not visible outside. */
function inside(image: string, user: string, folder: string, command: readonly string[]): string[] {
  const mounts = ['proc', 'dev'].map((name) => `mount --rbind /${name} ${image}/${name}`).join(' && ');
  const enter = `${mounts} && cd / && exec chroot --userspec=${user} ${image} /bin/sh -c 'cd ${folder} && exec "$@"' sh "$@"`;
  return ['unshare', '--mount', 'sh', '-c', enter, 'sh', ...command];
}

/** What the first stage builds. */
function buildShelf(): string {
  const built = join(temporaryFolder(), 'shelf');
  const { exitCode } = Bun.spawnSync([process.execPath, join(root, 'scripts/build.ts'), built], { cwd: root });
  expect(exitCode).toBe(0);
  return built;
}

const mayMount =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  Bun.spawnSync(['unshare', '--mount', 'true'], { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0;

test.skipIf(!mayMount)('the user of the image creates the default database and opens it again', async () => {
  const image = join(temporaryFolder(), 'image');
  for (const name of ['proc', 'dev', 'usr/bin', 'bin']) mkdirSync(join(image, name), { recursive: true });
  for (const name of ['sh', 'install']) install(image, systemTool(name) ?? '', `/bin/${name}`);

  let user = '0:0';
  let folder = '/';
  let entry: string[] = [];
  for (const { name, rest } of lastStage()) {
    if (name === 'COPY') {
      const [from, , to = ''] = rest.split(' ');
      expect(from).toBe('--from=build');
      install(image, process.env.TESTED_SHELF ?? buildShelf(), to);
    } else if (name === 'RUN') {
      const { exitCode, stderr } = Bun.spawnSync(inside(image, user, folder, ['/bin/sh', '-c', rest]));
      expect({ rest, exitCode, stderr: stderr.toString() }).toEqual({ rest, exitCode: 0, stderr: '' });
    } else if (name === 'USER') user = rest;
    else if (name === 'WORKDIR') folder = rest;
    else if (name === 'VOLUME') expect(existsSync(join(image, rest))).toBe(true);
    else if (name === 'ENTRYPOINT') entry = JSON.parse(rest) as string[];
    else expect(['FROM', 'EXPOSE', 'HEALTHCHECK']).toContain(name);
  }
  expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);

  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
  const start = () => startShelf({ command: inside(image, user, folder, entry), env });
  const first = await start();
  const made = await fetch(`${first.url}/api/items`, { method: 'POST', body: '{"id":2,"name":"kept","price":1}' });
  expect(made.status).toBe(201);
  expect(await first.stop()).toBe(0);
  expect(await first.errors()).toBe('');

  const { uid, gid, mode } = statSync(join(image, 'data/shelf.db'));
  expect([`${uid}:${gid}`, (mode & 0o777).toString(8)]).toEqual([user, '600']);
  // As a file that is mounted there.
  copyFileSync(join(root, 'deploy/shelf.json'), join(image, 'shelf.json'));
  const again = await start();
  expect((await fetch(`${again.url}/api/v2/books`)).status).toBe(200);
  expect(await (await fetch(`${again.url}/api/items/2`)).text()).toContain('kept');
  expect(await again.stop()).toBe(0);
});
