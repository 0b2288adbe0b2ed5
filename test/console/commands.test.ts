/** Every command that the console shows works as it is: on a server with a file, a database, a port and a certificate of its own. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { temporaryFolder } from '../support/data/folder.ts';
import { libraryFile } from '../support/data/library.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { openConsole } from '../support/pages/console-page.ts';
import { runCommand } from '../support/servers/command.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { TlsFolder } from '../support/servers/network/tls.ts';
import { command, root, startShelf } from '../support/servers/process.ts';

/** From a checkout, or from the folder of the executable. */
const [first = ''] = command;
const cwd = command.length > 1 ? root : dirname(first);
const { PATH, HOME } = process.env;

async function run(line: string): Promise<string> {
  const { stdout, stderr, code } = await runCommand(['sh', '-c', line], { cwd, env: { PATH, HOME } });
  expect({ line, stderr: code === 0 ? '' : stderr, code }).toEqual({ line, stderr: '', code: 0 });
  return stdout;
}

const snippet = (page: Page, name: string) => page.getByRole('region', { name }).locator('pre').innerText();

/** The commands of a snippet, without its comments. */
const lines = (text: string) => text.split('\n').filter((line) => !line.startsWith('#'));

async function asCode(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'As code' }).first().click();
  const text = await snippet(page, name);
  await page.keyboard.press('Escape');
  return text;
}

test.skipIf(browserPath === undefined).each(migratedEngines())(
  'with a file, a certificate of its own authority, and settings in variables, on %s',
  async (_, newUrl) => {
    const [folder, database] = [temporaryFolder(), await newUrl()];
    const config = join(folder, 'the library.json');
    writeFileSync(config, JSON.stringify({ collections: libraryFile }));
    const tls = new TlsFolder(folder);
    const env = { DATABASE_URL: database, SHELF_CACHE: '32MiB', NODE_EXTRA_CA_CERTS: tls.authorityFile };
    const args = ['--config', config, '--auth', 'off', ...tls.args];
    const [browser, shelf] = await Promise.all([launch(), startShelf({ args, env, cwd })]);
    const { page, complaints, close } = await openConsole(browser, shelf.url, '/console');
    expect(await run(await snippet(page, 'Add a record to publishers'))).toContain('"id":1');
    const types = await snippet(page, 'Write a program against these collections');
    expect(types).toEndWith(' > shelf.d.ts');
    expect(await run(types.replace(' > shelf.d.ts', ''))).toContain('publishers');

    // Programs are run as they say themselves.
    const program = join(folder, 'program.mjs');
    await page.goto(`${shelf.url}/console/publishers?where=${encodeURIComponent('{"id":{"gte":1}}')}`);
    await page.getByRole('grid').waitFor();
    writeFileSync(program, await asCode(page, 'As TypeScript'));
    const [, setting = ''] = /^\/\/ Run it with (\S+): /.exec(await Bun.file(program).text()) ?? [];
    expect(await run(`${setting} '${process.execPath}' ${program}`)).toContain('data');
    expect(await run(await asCode(page, 'As curl'))).toContain('"id":1');

    await page.goto(`${shelf.url}/console/-/import?collection=publishers`);
    await page.getByLabel('Choose a file').setInputFiles({
      ...{ name: 'new publishers.csv', mimeType: 'text/csv' },
      buffer: Buffer.from('name\nSur\n'),
    });
    await page.getByRole('button', { name: 'Import without a check' }).waitFor();
    const imports = lines(await asCode(page, 'As curl')).filter((line) => line !== '');
    expect(imports.length).toBe(2);
    const file = join(folder, 'new publishers.csv');
    for (const [place, line] of imports.entries()) {
      writeFileSync(file, `name\nSur ${place}\n`);
      await run(line.replace('new publishers.csv', file));
    }
    expect(await run(`curl -s --cacert ${tls.authorityFile} '${shelf.url}/api/v2/publishers?count=exact'`)).toContain(
      '"total":3',
    );

    await page.goto(`${shelf.url}/console/-/keys`);
    const [create = '', start = ''] = lines(await snippet(page, 'Make a first key'));
    const key = (await run(create)).trim();
    expect(complaints).toEqual([]);
    await close();
    await browser.close();
    expect(await shelf.stop()).toBe(0);

    // The same server, which asks for keys.
    const again = await startShelf({ command: ['sh', '-c', `exec ${start} --log json`], cwd });
    const answer = (more: object) =>
      fetch(`${again.url}/api/v2/publishers`, { method: 'POST', body: '{}', ...more, ...tls.trust() });
    expect((await answer({})).status).toBe(401);
    expect((await answer({ headers: { Authorization: `Bearer ${key}` } })).status).toBe(400);
    expect(start).toContain('--cache 32MiB');
    await again.stop();
  },
);

test.skipIf(browserPath === undefined)(
  'without a file: a first one, and another start',
  async () => {
    const folder = temporaryFolder();
    const [browser, shelf] = await Promise.all([
      launch(),
      startShelf({ args: ['--database', 'memory:', '--auth', 'off'], cwd: folder }),
    ]);
    const { page, close } = await openConsole(browser, shelf.url, '/console');
    const [init = '', start = ''] = lines(await snippet(page, 'Declare collections of your own'));
    await close();
    await browser.close();
    await shelf.stop();
    // The commands of a checkout work in its own folder, whose file is not that of a test.
    const file = join(folder, 'shelf.json');
    await run(`${init} ${file}`);
    const again = await startShelf({ command: ['sh', '-c', `exec ${start.replace('shelf.json', file)}`], cwd });
    expect(again.output()).toContain(file);
    expect(start).toContain('--database memory:');
    await again.stop();
  },
  120_000,
);
