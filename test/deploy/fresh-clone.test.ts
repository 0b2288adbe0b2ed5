/** A fresh checkout on a machine with only Node and npm: one command installs what is missing and serves. */
import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/data/folder.ts';
import { cloneTo } from '../support/servers/clone.ts';
import { runCommand } from '../support/servers/command.ts';
import { barePath } from '../support/servers/network/bare-path.ts';
import { startShelf } from '../support/servers/process.ts';

const folder = temporaryFolder();

test('npm start installs, serves, and stops on a signal to npm', async () => {
  const clone = join(folder, 'clone');
  cloneTo(clone);
  const env = { PATH: barePath(folder) };
  const start = { command: ['npm', 'start', '--'], cwd: clone, env };

  const first = await startShelf(start);
  expect((await fetch(`${first.url}/api/items`)).status).toBe(200);
  const made = await fetch(`${first.url}/api/users`, { method: 'POST', body: '{"id":2,"name":"kept"}' });
  expect(made.status).toBe(201);
  expect(await first.stop()).toBe(0);
  expect(await first.errors()).toContain('installing dependencies');
  expect(existsSync(join(clone, 'data', 'shelf.db'))).toBe(true);

  const second = await startShelf(start);
  expect(await (await fetch(`${second.url}/api/users/2`)).text()).toBe('{"id":2,"name":"kept"}');
  expect(await second.stop('SIGINT')).toBe(0);
  expect(await second.errors()).not.toContain('installing');

  // If npm runs install scripts, Bun's install script moves the binary there.
  const [platform = ''] = readdirSync(join(clone, 'node_modules/@oven'));
  renameSync(join(clone, 'node_modules/@oven', platform, 'bin/bun'), join(clone, 'node_modules/bun/bin/bun.exe'));
  const third = await startShelf(start);
  expect((await fetch(`${third.url}/healthz`)).status).toBe(200);
  expect(await third.stop()).toBe(0);
}, 180_000);

test('the modules of another checkout are used, and never installed', async () => {
  const clone = join(folder, 'linked');
  cloneTo(clone);
  const modules = join(folder, 'modules');
  mkdirSync(modules);
  symlinkSync(modules, join(clone, 'node_modules'));
  const { stderr, code } = await runCommand(['node', join(clone, 'scripts/run.mjs'), '--version'], { cwd: clone });
  expect(stderr).not.toContain('installing');
  expect(code).toBe(1);
  expect(readdirSync(modules)).toEqual([]);
});
