/** The commands that the console shows: each works as it is, on a server that was started with a file, a database and a port of its own. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { temporaryFolder } from '../support/data/folder.ts';
import { libraryFile } from '../support/data/library.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { openConsole } from '../support/pages/console-page.ts';
import { runCommand } from '../support/servers/command.ts';
import { command, root, startShelf } from '../support/servers/process.ts';

/** From a checkout, or from the folder of the executable. */
const [first = ''] = command;
const cwd = command.length > 1 ? root : dirname(first);

test.skipIf(browserPath === undefined)('commands and requests', async () => {
  const folder = temporaryFolder();
  const [config, database] = [join(folder, 'library.json'), `sqlite:${join(folder, 'own.db')}`];
  writeFileSync(config, JSON.stringify({ collections: libraryFile }));
  const [browser, shelf] = await Promise.all([
    launch(),
    startShelf({ args: ['--config', config, '--database', database, '--auth', 'off'] }),
  ]);
  const snippet = (page: Page, name: string) => page.getByRole('region', { name }).locator('pre').innerText();
  const { PATH, HOME } = process.env;
  const run = async (line: string) => {
    const { stdout, stderr, code } = await runCommand(['sh', '-c', line], { cwd, env: { PATH, HOME } });
    expect({ line, stderr: code === 0 ? '' : stderr, code }).toEqual({ line, stderr: '', code: 0 });
    return stdout;
  };
  const { page, complaints, close } = await openConsole(browser, shelf.url, '/console');
  expect(await run(await snippet(page, 'Add a record to publishers'))).toContain('"id":1');
  const types = await snippet(page, 'Write a program against these collections');
  expect(types).toEndWith(' > shelf.d.ts');
  expect(await run(types.replace(' > shelf.d.ts', ''))).toContain('publishers');

  await page.goto(`${shelf.url}/console/-/keys`);
  const [create = '', , start] = (await snippet(page, 'Make a first key')).split('\n');
  expect(create).toContain(`keys create --name admin --scope admin --config ${config} --database ${database}`);
  expect((await run(create)).trim()).not.toBe('');
  expect(start).toEndWith(`--config ${config} --database ${database} --port 0 --auth write`);

  await page.goto(`${shelf.url}/console/-/import?collection=publishers`);
  await page.getByRole('button', { name: 'As code' }).click();
  expect(await snippet(page, 'As curl')).toContain(`${create.split(' keys ')[0]} import`);
  expect(complaints).toEqual([]);
  await close();
  await browser.close();
  expect(await shelf.stop()).toBe(0);
});
