/** A file becomes a new collection, in Chromium, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { browserPath, launch } from '../support/pages/browser.ts';
import { keyFor, openConsole, violationsOn } from '../support/pages/console-page.ts';
import { importPage } from '../support/pages/import-page.ts';
import { lastingEngines } from '../support/servers/engines.ts';
import { type Live, startLive } from '../support/servers/live.ts';

const { path, fileOf, press } = importPage();
const row = (page: Page, column: string) =>
  page
    .getByRole('list', { name: 'Fields' })
    .locator('li')
    .filter({ has: page.getByLabel(`Field of ${column}`) });

describe.skipIf(browserPath === undefined).each(lastingEngines())('a new collection, %s', (engine, newUrl) => {
  const violations = violationsOn(engine);
  let browser: Browser;
  let server: Live;
  beforeAll(async () => {
    const started = startLive({ text: '{\n  // Empty.\n}\n', database: await newUrl() });
    [browser, server] = await Promise.all([launch(), started]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  const all = async (at: string) =>
    ((await (await fetch(`${server.url}/api/v2/${at}`)).json()) as { data: object[] }).data;

  test('on an empty Shelf: looked at, changed, and made with one button', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, '/console');
    await page.getByRole('heading', { name: 'Begin with your records' }).waitFor();
    expect(await violations(page, 'page')).toEqual([]);
    const rows = Array.from({ length: 12 }, (_, n) => [
      ...[978 + n, `Book ${n}`, `${n}.50`, n === 3 ? '' : 9007199254740993n, n % 3 === 0 ? 'lent' : 'free', 'x'],
    ]);
    const csv = `ISBN,Title,Price,Pages,State,Note\n${rows.map((cells) => cells.join()).join('\n')}\n`;
    await page.getByLabel('Choose a file').setInputFiles(fileOf('My books.csv', csv));
    await page.getByRole('heading', { name: '12 records in My books.csv' }).waitFor();
    await row(page, 'ISBN').getByText('12 texts of at most 3 characters, on line 2; all different').waitFor();
    await row(page, 'Pages').getByText('11 integers; 1 empty, the first on line 5').waitFor();
    await row(page, 'State').getByText('one of free, lent').waitFor();
    expect(await row(page, 'Title').getByRole('list').innerText()).toContain('Book 1');
    expect(await violations(page)).toEqual([]);

    await page.getByLabel('Collection', { exact: true }).fill('users');
    await page.getByText('There is a collection "users" already: choose another name.').waitFor();
    await page.getByLabel('Collection', { exact: true }).fill('books');
    await page.getByLabel('One record is a').fill('book');
    await page.getByLabel('Field of Title').fill('Name');
    await row(page, 'Title').getByRole('alert').getByText('must have only lower-case letters').waitFor();
    await page.getByLabel('Field of Title').fill('name');
    await page.getByLabel('Type of isbn').selectOption('integer');
    await page.getByRole('button', { name: 'Options of state' }).press('Enter');
    await row(page, 'State').getByLabel('Default').fill('free');
    await page.getByRole('button', { name: 'Leave Note out' }).press('Enter');
    await row(page, 'State').getByText('default free').waitFor();
    expect(await violations(page, 'dialog')).toEqual([]);
    await press(page, 'Create books and import 12 records');

    await page.getByRole('heading', { name: 'books', exact: true }).waitFor();
    await page.locator('tbody tr').filter({ hasText: 'Book 7' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/books');
    expect(await all('books?fields=isbn,name,price,pages,state&limit=1&id=4')).toEqual([
      { isbn: 981, name: 'Book 3', price: '3.50', pages: null, state: 'lent' },
    ]);
    expect(await (await fetch(`${server.url}/api/v2/books/1`)).text()).toContain('"pages":9007199254740993,');
    expect(server.onDisk()).toContain('{\n  // Empty.\n  "collections": {\n    "books": {\n      "singular": "book",');
    expect(server.onDisk()).toContain(
      '        // State: 2 different texts: 8 × free, 4 × lent.\n        "state": { "type": "choice", "of": ["free", "lent"], "default": "free" }\n',
    );
    expect(complaints).toEqual([]);
    await close();
  });

  test('a JSON list beside other collections, while somebody else changes the file', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, `${path}?collection=books`);
    await page.getByLabel('Into').selectOption('a new collection');
    const list =
      '[\n {"id": 7, "name": "Borges", "tags": ["a"]},\n {"id": 8, "name": "Woolf", "born": "1882-01-25"}\n]';
    await page.getByLabel('Choose a file').setInputFiles(fileOf('authors.json', list));
    await row(page, 'id').getByText('all different').waitFor();
    expect(await page.getByLabel('Field of id').inputValue()).toBe('original_id');
    await row(page, 'born')
      .getByText(/^1 date; 1 empty/)
      .waitFor();
    const theirs = server.onDisk().replace('"singular": "book"', '"singular": "volume"');
    const headers = { 'If-Match': '*' };
    const sent = { method: 'PUT', headers, body: JSON.stringify({ text: theirs }) };
    expect((await fetch(`${server.url}/api/v2/settings`, sent)).status).toBe(200);
    await press(page, 'Create authors and import 2 records');
    await page.locator('tbody tr').filter({ hasText: 'Woolf' }).waitFor();
    expect(await all('authors?fields=original_id,name,tags,born')).toEqual([
      { original_id: 7, name: 'Borges', tags: ['a'], born: null },
      { original_id: 8, name: 'Woolf', tags: null, born: '1882-01-25' },
    ]);
    expect(server.onDisk()).toContain('"singular": "volume"');
    expect(complaints).toEqual([]);
    await close();
  });

  test('rows that do not fit what was changed are listed, and files that cannot be read give the reason', async () => {
    const { page, close } = await openConsole(browser, server.url, `${path}?new=true`);
    await page.getByLabel('Choose a file').setInputFiles(fileOf('wrong.csv', 'a,a\n1,2\n'));
    await page.getByRole('alert').getByText('wrong.csv, line 1: two columns are called "a".').waitFor();
    await press(page, 'Choose another file');
    await page.getByLabel('Choose a file').setInputFiles(fileOf('loans.csv', 'day\n2026-01-01\nsoon\n'));
    await page.getByLabel('Type of day').selectOption('date');
    await press(page, 'Create loans and import 2 records');
    await page.getByRole('status').getByText('1 record was added, 1 was refused.').waitFor();
    await page.getByText('Line 3').waitFor();
    await page.getByRole('link', { name: 'Show loans' }).waitFor();
    await close();
  });

  // Its server is in memory.
  if (engine === 'sqlite')
    test('a file that cannot be changed here is copied, and a key without the scope admin is offered nothing new', async () => {
      const closed = await startLive({ text: '{}\n', server: { consoleSchema: false }, access: { auth: 'write' } });
      const writer = await keyFor(closed, 'write');
      const admin = await keyFor(closed, 'admin');
      const other = await openConsole(browser, closed.url, path, { key: writer });
      await other.page.getByLabel('Into').waitFor();
      expect(await other.page.getByRole('option', { name: 'a new collection' }).count()).toBe(0);
      await other.close();
      const { page, close } = await openConsole(browser, closed.url, `${path}?new=true`, { key: admin });
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByLabel('Choose a file').setInputFiles(fileOf('new.csv', 'a\n1\n'));
      await page.getByText('The file cannot be changed here: --console-schema is off.').first().waitFor();
      await press(page, 'Copy the file');
      await page.getByText('Copied.').waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toContain('"a": "integer"');
      await close();
      await closed.stop();
    });
});
