/** The table of the console, in Chromium, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { library } from '../support/data/library.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { openConsole, violationsOn } from '../support/pages/console-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

describe.skipIf(browserPath === undefined).each(migratedEngines())('%s', (engine, newUrl) => {
  const violations = violationsOn(engine);
  let browser: Browser;
  let server: TestServer;
  let database: string;
  const api = async (method: string, path: string, body?: unknown) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const type = method === 'PATCH' ? { 'Content-Type': 'application/json' } : {};
    const answer = await fetch(`${server.url}/api/v2/${path}`, {
      method,
      headers: type,
      ...(body === undefined ? {} : { body: text }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.text();
  };
  const idOf = (text: string) => Number(JSON.parse(text).id);
  let isbn = 9780000000000;
  const book = async (more: Readonly<Record<string, unknown>> = {}) =>
    idOf(await api('POST', 'books', { title: 'A book', isbn: String(isbn++), price: '1', author: 1, ...more }));

  beforeAll(async () => {
    database = await newUrl();
    [browser, server] = await Promise.all([launch(), startServer({ database, collections: library })]);
    await api('POST', 'publishers', { name: 'Minotauro' });
    await api('POST', 'authors', { name: 'Borges' });
    await api('POST', 'authors', { name: '<img src=x onerror=alert(1)>' });
    await book({ title: 'Ficciones', price: '12.3', state: 'published', pages: 174 });
    await book({ title: '<script>alert(1)</script>', price: '9.5', author: 2, tags: ['javascript:alert(1)'] });
    await book({ title: 'El Aleph', price: '100', state: 'published', meta: { a: 1 } });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const rows = (page: Page) => page.locator('tbody tr[aria-rowindex]');
  /** Rows are drawn some time after the address has changed. */
  const waitForCells = async (page: Page, column: number, texts: readonly string[]) => {
    for (const [index, text] of texts.entries()) {
      const cell = rows(page).nth(index).locator(`td:nth-child(${column})`);
      await cell.filter({ hasText: new RegExp(`^\\s*${text}\\s*$`) }).waitFor();
    }
    await rows(page).nth(texts.length).waitFor({ state: 'detached' });
  };
  const row = (page: Page, text: string): Locator => rows(page).filter({ hasText: text });
  const column = { id: 2, title: 3, price: 7 };

  test('the address is the query, and the controls change the address', async () => {
    const { page, complaints, close } = await openConsole(
      browser,
      server.url,
      '/console/books?state=published&sort=-price',
    );
    await row(page, 'El Aleph').waitFor();
    await waitForCells(page, column.price, ['100.00', '12.30']);
    expect(await page.getByRole('columnheader', { name: 'price' }).getAttribute('aria-sort')).toBe('descending');
    await page.getByText('of 2').waitFor();

    await page.getByRole('button', { name: 'Remove the filter on state' }).click();
    await row(page, 'alert(1)').waitFor();
    expect(new URL(page.url()).search).toBe('?sort=-price');
    await page.getByRole('button', { name: 'title', exact: true }).click();
    await page.waitForURL('**/console/books?sort=title');
    await page.getByRole('button', { name: 'title', exact: true }).click();
    await page.waitForURL('**/console/books?sort=-title');

    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Field').selectOption('price');
    await page.getByLabel('Condition').selectOption('gte');
    await page.getByLabel('Value').fill('12');
    await page.keyboard.press('Enter');
    await page.getByText('price is at least 12').waitFor();
    expect(new URL(page.url()).search).toBe('?price[gte]=12&sort=-title');
    await page.getByText('of 2').waitFor();
    await waitForCells(page, column.title, ['Ficciones', 'El Aleph']);

    await page.goBack();
    await row(page, 'alert(1)').waitFor();
    expect(await page.getByText('price is at least 12').count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a count is not shown while it is lower than the rows that have come in', async () => {
    const { page, close } = await openConsole(browser, server.url, '/console/publishers');
    const status = page.locator('.status');
    await status.getByText('1\u20131 of 1').waitFor();
    const asked = Promise.withResolvers<void>();
    await page.route('**/publishers?*count=exact*', async (route) => {
      await asked.promise;
      await route.continue();
    });
    const added = idOf(await api('POST', 'publishers', { name: 'Sur' }));
    await row(page, 'Sur').waitFor();
    await status.getByText('1\u20132').waitFor();
    expect(await status.innerText()).not.toContain(' of ');
    asked.resolve();
    await status.getByText('1\u20132 of 2').waitFor();
    await close();
    await api('DELETE', `publishers/${added}`);
  });

  test('a part of a name in any case is typed right after Filter, and a miss says if case counts', async () => {
    const { page, close } = await openConsole(browser, server.url, '/console/books');
    await row(page, 'alert(1)').waitFor();
    const differ = page.getByText('Upper and lower case differ');
    const filter = async (text: string, operator?: string) => {
      await page.getByRole('button', { name: 'Filter', exact: true }).press('Enter');
      if (operator !== undefined) {
        await page.getByLabel('Condition').selectOption(operator);
        await page.getByLabel('Value').focus();
      }
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    };
    const remove = () => page.getByRole('button', { name: 'Remove the filter on title' }).click();

    await filter('fiCC');
    await page.getByText('title contains, any case fiCC').waitFor();
    expect(new URL(page.url()).search).toBe('?title[contains_ci]=fiCC');
    await waitForCells(page, column.title, ['Ficciones']);
    await remove();
    await row(page, 'alert(1)').waitFor();
    await filter('FICCIONES', 'eq_ci');
    await page.getByText('title is, any case FICCIONES').waitFor();
    await waitForCells(page, column.title, ['Ficciones']);
    await remove();
    await filter('fiCC', 'contains');
    await page.getByText('No records', { exact: true }).waitFor();
    await differ.waitFor();
    await remove();
    await row(page, 'alert(1)').waitFor();
    await filter('fixx');
    await page.getByText('No books match these filters.').waitFor();
    expect(await differ.count()).toBe(0);
    await close();
  });

  test('a wrong query is said, with what is right', async () => {
    const { page, close } = await openConsole(browser, server.url, '/console/books?colour=red');
    await page.getByText('Unknown query parameter colour').waitFor();
    await close();
  });

  test('stored markup is text, and references have their names', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/books?sort=id');
    const odd = row(page, 'alert(1)').first();
    await odd.waitFor();
    expect(await odd.innerText()).toContain('<script>alert(1)</script>');
    expect(await odd.innerText()).toContain('<img src=x onerror=alert(1)>');
    expect(await page.locator('script:not([src="/console/-/console.js"]), main img').count()).toBe(0);
    const reference = row(page, 'Ficciones').getByRole('link', { name: 'Borges', exact: true });
    expect(await reference.getAttribute('href')).toBe('/console/authors/1');
    expect(await reference.locator('span').getAttribute('title')).toBe('authors 1');
    expect(complaints).toEqual([]);
    await close();
  });

  test('columns and density are remembered', async () => {
    const { page, close } = await openConsole(browser, server.url, '/console/books');
    await row(page, 'Ficciones').waitFor();
    await page.getByRole('button', { name: 'Choose columns' }).click();
    await page.getByRole('checkbox', { name: 'isbn' }).uncheck();
    await page.getByRole('checkbox', { name: 'created_at' }).check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Compact rows' }).click();
    await page.reload();
    await row(page, 'Ficciones').waitFor();
    expect(await page.getByRole('columnheader', { name: 'isbn' }).count()).toBe(0);
    expect(await page.getByRole('columnheader', { name: 'created_at' }).count()).toBe(1);
    expect((await rows(page).first().boundingBox())?.height).toBe(38);
    await close();
  });

  test('at 1280 x 800 it shows at least twenty rows; a long list is scrolled to its end', async () => {
    const lines = Array.from({ length: 1500 }, (__, place) => `{"text":"Review ${place}","book":1}`);
    await fetch(`${server.url}/api/v2/reviews/bulk`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: lines.join('\n'),
    });
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/reviews?sort=id');
    await row(page, 'Review 0').first().waitFor();
    await page.getByText('of 1,500').waitFor();
    const seen = Number(/^1\u2013(\d+)/.exec(await page.locator('.status').innerText())?.[1]);
    expect(seen).toBeGreaterThanOrEqual(20);
    const frame = page.locator('.grid');
    while (!(await page.locator('.status').innerText()).includes('1,500 of 1,500'))
      await frame.evaluate((element) => element.scrollBy(0, 2000));
    await row(page, 'Review 1499').waitFor();
    expect(await rows(page).count()).toBeLessThan(60);
    expect(complaints).toEqual([]);
    await close();
  });

  test('records appear, change and vanish as it happens', async () => {
    const { page, complaints, close } = await openConsole(
      browser,
      server.url,
      '/console/books?state=published&sort=title',
    );
    await page.locator('.feed-light.on').waitFor();
    await row(page, 'Ficciones').waitFor();
    const id = await book({ title: 'Fervor', state: 'published' });
    await row(page, 'Fervor').waitFor();
    expect(await row(page, 'Fervor').getAttribute('class')).toContain('new');
    await waitForCells(page, column.title, ['El Aleph', 'Fervor', 'Ficciones']);
    await page.getByText('of 3').waitFor();

    await api('PATCH', `books/${id}`, { price: '77.7' });
    await row(page, '77.70').waitFor();
    expect(await row(page, '77.70').getAttribute('class')).toContain('changed');
    // It no longer matches the filter.
    await api('PATCH', `books/${id}`, { state: 'draft' });
    await row(page, 'Fervor').waitFor({ state: 'detached' });
    await api('PATCH', `books/${id}`, { state: 'published', title: 'Zahir' });
    await row(page, 'Zahir').waitFor();
    await waitForCells(page, column.title, ['El Aleph', 'Ficciones', 'Zahir']);
    await api('DELETE', `books/${id}`);
    await row(page, 'Zahir').waitFor({ state: 'detached' });
    await page.getByText('of 2').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a change through another instance appears, too', async () => {
    // An engine in memory has one instance only.
    const second = database.startsWith('postgres') ? await startServer({ database, collections: library }) : server;
    const { page, close } = await openConsole(browser, second.url, '/console/publishers');
    await page.locator('.feed-light.on').waitFor();
    const id = idOf(await api('POST', 'publishers', { name: 'Losada' }));
    await row(page, 'Losada').waitFor();
    await api('DELETE', `publishers/${id}`);
    await row(page, 'Losada').waitFor({ state: 'detached' });
    await close();
    if (second !== server) await second.stop();
  });

  test('a change between the list and the beginning of the feed is not missed', async () => {
    const { page, close } = await openConsole(browser, server.url, '/console');
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    await page.route('**/api/v2/events*', async (route) => {
      await opened;
      await route.continue();
    });
    await page.getByRole('navigation').getByRole('link', { name: 'authors' }).click();
    await row(page, 'Borges').waitFor();
    const id = idOf(await api('POST', 'authors', { name: 'In between' }));
    open();
    await row(page, 'In between').waitFor();
    await api('DELETE', `authors/${id}`);
    await close();
  });

  test('a lost feed is said, and what was missed appears', async () => {
    const { page, close } = await openConsole(browser, server.url, '/console/publishers');
    await page.locator('.feed-light.on').waitFor();
    await page.context().setOffline(true);
    await page.getByText('Not live').waitFor();
    const id = idOf(await api('POST', 'publishers', { name: 'Sur' }));
    await page.context().setOffline(false);
    await row(page, 'Sur').waitFor();
    await api('DELETE', `publishers/${id}`);
    await close();
  });

  test('the list is exported as it is shown', async () => {
    const { page, close } = await openConsole(
      browser,
      server.url,
      '/console/books?state=published&sort=-price&fields=title,price',
    );
    await row(page, 'El Aleph').waitFor();
    const saved: Record<string, string> = {};
    for (const format of ['CSV', 'NDJSON']) {
      await page.getByRole('button', { name: 'Export' }).click();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: format, exact: true }).click(),
      ]);
      saved[file.suggestedFilename()] = readFileSync(await file.path(), 'utf8');
    }
    expect(saved).toEqual({
      'books.csv': 'title,price\r\nEl Aleph,100.00\r\nFicciones,12.30\r\n',
      'books.ndjson': '{"title":"El Aleph","price":"100.00"}\n{"title":"Ficciones","price":"12.30"}\n',
    });
    await close();
  });

  test('the keyboard moves, selects and opens', async () => {
    const { page, close } = await openConsole(browser, server.url, '/console/books?sort=id');
    await row(page, 'Ficciones').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await page.getByText('1 selected').waitFor();
    expect(await rows(page).nth(1).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/books/1?sort=id');
    await close();
  });

  if (engine === 'sqlite')
    test('axe-core finds no violation', async () => {
      const { page, close } = await openConsole(browser, server.url, '/console/books?state=published&sort=-price');
      await row(page, 'Ficciones').waitFor();
      await page.locator('.feed-light.on').waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      expect(await violations(page, 'dialog')).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByLabel('Select all rows').check();
      for (const name of ['As code', 'Export', 'Choose columns', 'Views', 'Delete']) {
        await page.getByRole('button', { name, exact: true }).click();
        await page.getByRole('dialog').waitFor();
        expect({ name, found: await violations(page, 'dialog') }).toEqual({ name, found: [] });
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      await close();
    });

  // As many as the table leaves room for before the first page arrives: its length does not change then. The last test, because others expect
  // to see every publisher.
  test('forty records are counted as soon as they are there', async () => {
    const bulk = Array.from({ length: 40 }, (_, n) => `{"name":"Forty ${n + 1}"}`).join('\n');
    const headers = { 'Content-Type': 'application/x-ndjson' };
    expect((await fetch(`${server.url}/api/v2/publishers`, { method: 'POST', headers, body: bulk })).status).toBe(201);
    const { page, close } = await openConsole(browser, server.url, '/console/publishers?name[starts_with]=Forty');
    await page.getByText(/^1\u2013[1-9]\d* of 40$/).waitFor();
    await close();
  });
});
