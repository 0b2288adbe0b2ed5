/** "As code" in the console: the commands run, and the programs compile and run. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { typescriptOf } from '../../src/declarations/typescript.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { library } from '../support/data/library.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { openConsole } from '../support/pages/console-page.ts';
import { runCommand } from '../support/servers/command.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { root } from '../support/servers/process.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const compilerOptions = {
  target: 'ESNext',
  lib: ['ESNext', 'DOM', 'DOM.AsyncIterable'],
  module: 'Preserve',
  moduleDetection: 'force',
  moduleResolution: 'Bundler',
  allowImportingTsExtensions: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  paths: { 'shelf-client': [join(root, 'src/client/index.ts')] },
};

describe.skipIf(browserPath === undefined).each(migratedEngines())('as code, %s', (_, newUrl) => {
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([launch(), startServer({ database: await newUrl(), collections: library })]);
    const post = (path: string, body: string) => fetch(`${server.url}/api/v2/${path}`, { method: 'POST', body });
    await post('authors', '{"name":"Borges"}');
    await post(
      'books',
      `{"title":"It's \\"odd\\" $HOME","isbn":"9780000000000","price":"12.3","pages":9007199254740993,"author":1}`,
    );
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function codeOf(page: Page, button: number): Promise<{ curl: string; program: string }> {
    await page.getByRole('button', { name: 'As code' }).nth(button).click();
    const text = (name: string) => page.getByRole('region', { name }).locator('pre').innerText();
    const found = { curl: await text('As curl'), program: await text('As TypeScript') };
    await page.keyboard.press('Escape');
    return found;
  }

  test('of every screen', async () => {
    const found: Record<string, { curl: string; program: string }> = {};
    const { page, close } = await openConsole(browser, server.url, '/console');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    found.home = await codeOf(page, 0);
    const query =
      'pages=9007199254740993&price[gte]=9.5&title[contains]=odd&id[in]=1,2&meta[is]=null&in_stock=true&author=1&sort=-price,title&fields=id,title,pages';
    await page.goto(`${server.url}/console/books?${query}`);
    await page.getByRole('grid').waitFor();
    found.table = await codeOf(page, 0);
    const where = '{"any":[{"pages":9007199254740993},{"author.name":"Nobody"}]}';
    await page.goto(`${server.url}/console/books?where=${encodeURIComponent(where)}&fields=id,pages`);
    await page.getByRole('button', { name: 'pages is 9007199254740993 or author.name is Nobody' }).waitFor();
    found.where = await codeOf(page, 0);
    await page.getByLabel('Select record 1').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    found.deletion = await codeOf(page, 1);
    await page.keyboard.press('Escape');
    await page.goto(
      `${server.url}/console/books/summary?group=state,created_at.year&measures=count,pages.sum&pages[gte]=7&pages[gte]=9&in_stock=true&sort=-pages.sum,state`,
    );
    await page.locator('.summary-table').waitFor();
    found.summary = await codeOf(page, 0);
    await page.goto(`${server.url}/console/books/summary?having=${encodeURIComponent('{"count":{"gte":1}}')}`);
    await page.locator('.summary-table').waitFor();
    found.having = await codeOf(page, 0);
    await page.goto(`${server.url}/console/books/1`);
    const field = (name: string) => page.getByRole('complementary').getByLabel(name, { exact: true });
    await field('title').waitFor();
    found.read = await codeOf(page, 1);
    await field('title').fill("It's <b>another</b> `title`");
    await field('pages').fill('9007199254740995');
    await field('weight').fill('-0');
    await page.getByRole('button', { name: 'Add an element to tags' }).click();
    await field('tags, element 1').fill("a'b");
    found.update = await codeOf(page, 1);
    await page.getByRole('button', { name: 'Undo changes' }).click();
    await page.goto(`${server.url}/console/books/new`);
    await field('title').fill('Two');
    await field('isbn').fill('9780000000001');
    await field('price').fill('1');
    await field('author').fill('1');
    found.create = await codeOf(page, 1);
    await close();

    const folder = temporaryFolder();
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
    writeFileSync(join(folder, 'src/shelf.d.ts'), typescriptOf(library));
    for (const [name, { program }] of Object.entries(found)) writeFileSync(join(folder, `src/${name}.ts`), program);
    const compiled = await runCommand([join(root, 'node_modules/.bin/tsc'), '-p', folder]);
    expect(compiled.stdout + compiled.stderr).toBe('');

    const run = async (name: string) => {
      const { stdout, stderr } = await runCommand([process.execPath, join(folder, `src/${name}.ts`)], { cwd: folder });
      return stdout + stderr;
    };
    const shell = async (name: string) => (await runCommand(['sh', '-c', `${found[name]?.curl}`])).stdout;
    expect((await run('home')).split('\n')).toContain('books 1');
    expect(await run('table')).toContain('pages: 9007199254740993n');
    expect(await run('where')).toMatch(/data: \[\s*{\s*id: 1,/);
    expect(await shell('where')).toContain('{"id":1,"pages":9007199254740993}');
    expect(await run('summary')).toContain('"pages.sum": 9007199254740993n');
    expect(await shell('summary')).toContain('"count":1,"pages.sum":9007199254740993}],"groups":1}');
    expect(await run('having')).toContain('groups: 1');
    expect(await shell('having')).toBe('{"data":[{"count":1}],"groups":1}');
    expect(await run('read')).toContain('version: 1');
    expect(await shell('table')).toContain(`{"id":1,"title":"It's \\"odd\\" $HOME","pages":9007199254740993}`);
    expect(await shell('read')).toContain('"version":1');
    expect(await shell('update')).toContain(`"title":"It's <b>another</b> \`title\`"`);
    expect(await shell('read')).toContain('"pages":9007199254740995,"weight":-0,');
    // The version has changed since.
    expect(await run('update')).toContain('precondition_failed');
    expect((await run('create')).trim()).toBe('2');
    // The version has changed since, here too.
    expect(await shell('deletion')).toContain('"operation":0');
    expect(await run('deletion')).toContain('precondition-failed');
    expect(found.deletion?.curl).toContain(`{"op":"delete","collection":"books","id":1,"version":1}`);
    expect(found.create?.curl).toContain(`-d '{"title":"Two","isbn":"9780000000001","price":"1","author":1}'`);
    expect(found.update?.curl).toContain(`-H 'If-Match: "1"'`);
  });
});
