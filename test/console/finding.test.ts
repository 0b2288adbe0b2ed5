/** Finding things in the console, in Chromium, on every engine: the palette, filters with or, views, and the way to the table. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { declared } from '../support/data/library.ts';
import { Api, workbench } from '../support/data/workbench.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { openConsole, until, violationsOn } from '../support/pages/console-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

describe.skipIf(browserPath === undefined).each(migratedEngines())('%s', (engine, newUrl) => {
  const violations = violationsOn(engine);
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    const started = startServer({ database: await newUrl(), collections: workbench });
    [browser, server] = await Promise.all([launch(), started]);
    const api = new Api(server.url);
    await api.add('authors', { code: 'B', name: 'Borges' });
    await api.add('authors', { code: 'XQ-17', name: 'Calvino' });
    await api.add('books', { title: 'Ficciones', author: 1, price: '12.30', pages: 174, state: 'published' });
    await api.add('books', { title: 'Palomar', author: 2, price: '9.50' });
    await api.add('books', { title: 'El Aleph', author: 1, price: '100.00', pages: 16 });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const rows = (page: Page) => page.locator('tbody tr[aria-rowindex]');
  const shows = async (page: Page, titles: readonly string[]) => {
    for (const [at, title] of titles.entries())
      await rows(page).nth(at).locator('td:nth-child(3)').filter({ hasText: title }).waitFor();
    await rows(page).nth(titles.length).waitFor({ state: 'detached' });
  };
  const active = (page: Page) => page.evaluate('document.activeElement.id || document.activeElement.tagName');

  test('the newest come first, unless the address or a click says otherwise', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/books');
    await shows(page, ['El Aleph', 'Palomar', 'Ficciones']);
    const head = page.getByRole('columnheader', { name: 'id', exact: true });
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    await page.getByRole('button', { name: 'id', exact: true }).click();
    await page.waitForURL('**/console/books?sort=id');
    await shows(page, ['Ficciones', 'Palomar', 'El Aleph']);
    expect(complaints).toEqual([]);
    await close();
  });

  test('conditions of which one is enough, with a picker for a reference', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/books');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Field').selectOption('author');
    await page.getByLabel('Value', { exact: true }).fill('cALV');
    await page.getByRole('option', { name: 'Calvino 2' }).click();
    await page.getByRole('button', { name: 'Or', exact: true }).click();
    // A second picker has a list of its own.
    await page.getByLabel('Field').nth(1).selectOption('author');
    const lists = await page.getByRole('combobox', { name: 'Value' }).evaluateAll((all) => all.map(({ id }) => id));
    expect(new Set(lists).size).toBe(2);
    await page.getByLabel('Field').nth(1).selectOption('price');
    await page.getByLabel('Condition').nth(1).selectOption('gt');
    await page.getByLabel('Value', { exact: true }).nth(1).fill('50');
    expect(await violations(page, 'dialog')).toEqual([]);
    await page.getByRole('button', { name: 'Apply' }).click();
    await shows(page, ['El Aleph', 'Palomar']);
    const where = '{"any":[{"author":{"eq":2}},{"price":{"gt":"50"}}]}';
    expect(new URL(page.url()).searchParams.get('where')).toBe(where);
    const chip = page.getByRole('button', { name: 'author is Calvino or price is more than 50' });
    await chip.waitFor();
    await page.locator('.feed-light.on').waitFor();

    // It is changed as it was made, and another filter stands beside it.
    await chip.click();
    await page.getByLabel('Value', { exact: true }).nth(1).fill('500');
    await page.getByRole('button', { name: 'Apply' }).click();
    await shows(page, ['Palomar']);
    await page.getByRole('searchbox').fill('palo*');
    await page.getByRole('searchbox').press('Enter');
    await page.waitForURL('**words=palo*');
    await shows(page, ['Palomar']);
    await page.getByRole('button', { name: 'Remove the filter on author or price' }).click();
    await page.waitForURL((url) => url.search === '?words=palo*');
    expect(complaints).toEqual([]);
    await close();
  });

  test('one box finds collections, records, screens and actions', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, '/console');
    await page.getByRole('button', { name: 'Find Ctrl K' }).waitFor();
    const find = async (text: string, found: string | RegExp) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find' }).fill(text);
      await page.getByRole('option', { name: found, exact: true, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    // By a word of its title, by its id, and by a title that is declared.
    await find('aleph', 'El Aleph book 3');
    await page.waitForURL('**/console/books/3');
    await find('xq', 'Calvino author 2');
    await page.waitForURL('**/console/authors/2');
    await find('fic', 'Ficciones book 1');
    await page.waitForURL('**/console/books/1');
    await find('alvi', 'Calvino author 2');
    await page.waitForURL('**/console/authors/2');
    await page.getByRole('button', { name: 'Find Ctrl K' }).click();
    await page.getByRole('combobox', { name: 'Find' }).fill('2');
    await page.getByRole('option', { name: 'Palomar book 2' }).waitFor();
    expect(await violations(page, 'dialog')).toEqual([]);
    await page.keyboard.press('Escape');
    await find('loans', 'loans collection');
    await page.waitForURL('**/console/loans');
    await find('heal', 'Health screen');
    await page.waitForURL('**/console/-/health');
    await find('new book', 'New book action');
    await page.waitForURL('**/console/books/new');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find' }).fill('xyz');
    await page.getByText('Nothing is called “xyz”.').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  // Its server is in memory.
  if (engine === 'sqlite')
    test('records of each of many collections are found, and nothing is said to be missing before all have answered', async () => {
      const many = Array.from({ length: 30 }, (_, place) => `c${place}`);
      const fields = { name: { type: 'text', max: 50 } };
      const large = await startServer({
        collections: declared(Object.fromEntries(many.map((name) => [name, { singular: `one_${name}`, fields }]))),
      });
      await new Api(large.url).add('c29', { name: 'Ficciones' });
      const { page, complaints, close } = await openConsole(browser, large.url, '/console');
      await page.getByRole('button', { name: 'Find Ctrl K' }).click();
      const box = page.getByRole('combobox', { name: 'Find' });
      await box.fill('ficc');
      await page.getByRole('option', { name: 'Ficciones one_c29 1' }).waitFor();
      const held = Promise.withResolvers<void>();
      await page.route('**/api/v2/c7?*', async (route) => {
        await held.promise;
        await route.continue();
      });
      const others = page.waitForResponse('**/api/v2/c29?*');
      await box.fill('orlando');
      await others;
      await page.getByRole('status').getByText('Looking …').waitFor();
      held.resolve();
      await page.getByText('Nothing is called “orlando”.').waitFor();
      expect(complaints).toEqual([]);
      await close();
      await large.stop();
    });

  test('the keys of each screen', async () => {
    const screens: readonly (readonly [path: string, parts: readonly string[]])[] = [
      ['', ['Everywhere']],
      ['/books', ['The table', 'Everywhere']],
      ['/books/1', ['The record', 'The table', 'Everywhere']],
      ['/books/summary?group=state&measures=count', ['The summary', 'Everywhere']],
      ['/-/schema', ['The collections', 'Everywhere']],
      ['/-/schema?view=references', ['The picture', 'Everywhere']],
      ['/-/import', ['Everywhere']],
      ['/-/live', ['Everywhere']],
      ['/-/health', ['Everywhere']],
      ['/-/keys', ['Everywhere']],
      ['/-/nothing', ['Everywhere']],
    ];
    const { page, complaints, close } = await openConsole(browser, server.url, '/console');
    for (const [path, parts] of screens) {
      await page.evaluate(
        `history.pushState(null, '', '/console${path}'); dispatchEvent(new PopStateEvent('popstate'))`,
      );
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.keyboard.press('?');
      const dialog = page.getByRole('dialog', { name: 'Keys of this screen' });
      await dialog.waitFor();
      expect(await dialog.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual([...parts]);
      if (path === '/-/schema?view=references') expect(await violations(page, 'dialog')).toEqual([]);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
    expect(complaints).toEqual([]);
    await close();
  });

  test('the keys of a screen are listed, and one Tab from the top leads to the table', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/books');
    await shows(page, ['El Aleph', 'Palomar', 'Ficciones']);
    await page.keyboard.press('Tab');
    expect(await active(page)).toBe('table');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys of this screen' }).getByText('open the record').waitFor();
    expect(await violations(page, 'dialog')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    // There it is a letter.
    await page.keyboard.type('?');
    expect(await page.getByRole('searchbox').inputValue()).toBe('?');
    await page.keyboard.press('Escape');
    // Also past the toolbars of the browser.
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    await skip.focus();
    await page.keyboard.press('Enter');
    expect(await active(page)).toBe('table');
    expect(complaints).toEqual([]);
    await close();
  });

  test('the address has the columns and the density as they are chosen, and another browser shows the same', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/books?state=draft');
    await rows(page).nth(1).waitFor();
    await page.getByRole('button', { name: 'Choose columns' }).click();
    for (const name of ['author', 'state', 'in_stock', 'tags', 'published_on', 'seen_at', 'meta', 'updated_at'])
      await page.getByRole('checkbox', { name }).uncheck();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Compact rows' }).click();
    await page.waitForURL('**/console/books?state=draft&fields=id,title,price,pages&-density=comfortable');
    for (const density of ['compact', 'comfortable']) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find' }).fill('compact or');
      await page.keyboard.press('Enter');
      await page.waitForURL(`**&-density=${density}`);
    }
    const shown = async (at: Page) => (await at.getByRole('columnheader').allInnerTexts()).slice(1);
    const other = await openConsole(browser, server.url, new URL(page.url()).pathname + new URL(page.url()).search);
    await rows(other.page).nth(1).waitFor();
    expect(await shown(other.page)).toEqual(['id', 'title', 'price', 'pages']);
    await until(other.page, "document.querySelector('tbody tr[aria-rowindex]')?.offsetHeight === 38");
    // There the columns are those of a link, and the choice of the person stays.
    await other.page.getByRole('button', { name: 'Choose columns' }).click();
    await other.page.getByRole('checkbox', { name: 'pages' }).uncheck();
    await other.page.keyboard.press('Escape');
    await other.page.waitForURL('**fields=id,title,price&**');
    await other.page.getByRole('navigation').getByRole('link', { name: 'books' }).click();
    await other.page.getByRole('columnheader', { name: 'author' }).waitFor();
    await other.close();

    // Here they are remembered.
    await page.getByRole('navigation').getByRole('link', { name: 'books' }).click();
    await page.waitForURL('**/console/books');
    await shows(page, ['El Aleph', 'Palomar', 'Ficciones']);
    expect(await shown(page)).toEqual(['id', 'title', 'price', 'pages']);
    await until(page, "document.querySelector('tbody tr[aria-rowindex]')?.offsetHeight === 38");
    expect(complaints).toEqual([]);
    await close();
  });

  test('a view with a name has the filters, the order, the columns and the density', async () => {
    const path = '/console/books?state=draft&sort=price&fields=title,id,price';
    const { page, complaints, close } = await openConsole(browser, server.url, path);
    await rows(page).nth(1).waitFor();
    await page.getByRole('button', { name: 'Compact rows' }).click();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Name of the view').fill('Cheap drafts');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Cheap drafts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Compact rows' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'books' }).click();
    await shows(page, ['El Aleph', 'Palomar', 'Ficciones']);

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find' }).fill('cheap');
    await page.getByRole('option', { name: 'Cheap drafts (books) view' }).click();
    await page.waitForURL('**/console/books?state=draft&sort=price&fields=title,id,price&-density=comfortable');
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['', 'title', 'id', 'price']);
    await until(page, "document.querySelector('tbody tr[aria-rowindex]')?.offsetHeight === 38");
    await page.reload();
    await until(page, "document.querySelector('tbody tr[aria-rowindex]')?.offsetHeight === 38");
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('button', { name: 'Remove the view Cheap drafts' }).click();
    await page.getByRole('link', { name: 'Cheap drafts' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });
});
