/** How records look in the console, in Chromium, on every engine: titles, tags, columns, and forms that take what a person types. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { Api, workbench } from '../support/data/workbench.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { openConsole, selectLoaded, until, violationsOn } from '../support/pages/console-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

describe.skipIf(browserPath === undefined).each(migratedEngines())('%s', (engine, newUrl) => {
  const violations = violationsOn(engine);
  let browser: Browser;
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    const started = startServer({ database: await newUrl(), collections: workbench });
    [browser, server] = await Promise.all([launch(), started]);
    api = new Api(server.url);
    await api.add('authors', { code: 'B', name: 'Borges' });
    await api.add('authors', { code: 'C', name: 'Calvino' });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const rows = (page: Page) => page.locator('tbody tr[aria-rowindex]');
  const row = (page: Page, text: string) => rows(page).filter({ hasText: text });
  const drawer = (page: Page) => page.getByRole('complementary');
  const field = (page: Page, name: string) => drawer(page).getByLabel(name, { exact: true });
  const answer = async (path: string) => (await (await fetch(`${server.url}/api/v2/${path}`)).json()) as object;

  test('a reference is its title, choices and lists are tags, a boolean is a mark, and nothing is a dash', async () => {
    const seen = { seen_at: '2026-11-15T08:00:00Z', published_on: '2024-02-29' };
    await api.add('books', { title: 'Ficciones', author: 1, state: 'published', tags: ['classic', 'short'], ...seen });
    const path = '/console/books?fields=id,title,author,state,in_stock,tags,pages,published_on,seen_at';
    const { page, complaints, close } = await openConsole(browser, server.url, path);
    const cell = (title: string, column: number) => row(page, title).locator(`td:nth-child(${column})`);
    await row(page, 'Ficciones').waitFor();
    expect(await row(page, 'Ficciones').locator('td').allInnerTexts()).toEqual([
      '',
      '1',
      'Ficciones',
      'Borges',
      'published',
      'true',
      'classicshort',
      '\u2013',
      '2024-02-29',
      '2026-11-15 08:00:00',
    ]);
    // A form has the id behind the pointer, too.
    expect(await cell('Ficciones', 4).getByText('Borges').getAttribute('title')).toBe('authors 1');
    expect(await cell('Ficciones', 5).locator('.tag.color-1').count()).toBe(1);
    expect(await cell('Ficciones', 6).locator('svg').count()).toBe(1);
    expect(await cell('Ficciones', 7).locator('.tag').count()).toBe(2);
    expect(await cell('Ficciones', 8).getAttribute('title')).toBe('no value');
    // A record that appears has no page that brings the title.
    await page.locator('.feed-light.on').waitFor();
    await api.add('books', { title: 'Palomar', author: 2 });
    await cell('Palomar', 4).getByText('Calvino').waitFor();
    expect(await violations(page, 'dialog')).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a filter that is wider than the page goes on in a next line, so that no number in it is cut', async () => {
    const pages = Array.from({ length: 12 }, (_, n) => 9007199254740993n + BigInt(n)).join();
    const { page, complaints, close } = await openConsole(browser, server.url, `/console/books?pages[in]=${pages}`);
    await page.setViewportSize({ width: 360, height: 700 });
    await page.getByRole('button', { name: pages.replaceAll(',', ', ') }).waitFor();
    expect(
      await page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('.chip span'))",
      ),
    ).toBe(false);
    const { x = 0, width = 0 } = (await page.locator('.chip').boundingBox()) ?? {};
    expect(x + width).toBeLessThanOrEqual(360);
    expect(complaints).toEqual([]);
    await close();
  });

  test('columns are dragged to another place and width, id and title stay in sight, and no number is cut', async () => {
    await fetch(`${server.url}/api/v2/books`, {
      method: 'POST',
      body: '{"title":"Longest","pages":9223372036854775807}',
    });
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/books');
    await row(page, 'Longest').waitFor();
    const head = (name: string) => page.getByRole('columnheader', { name, exact: true });
    const widthOf = async (name: string) => Math.round((await head(name).boundingBox())?.width ?? 0);
    const drag = async (name: string, by: number) => {
      const box = await head(name).locator('.edge').boundingBox();
      const [x, y] = [(box?.x ?? 0) + 4, (box?.y ?? 0) + 5];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + by, y, { steps: 4 });
      await page.mouse.up();
    };
    const isCut = "[...document.querySelectorAll('td.number')].some((one) => one.scrollWidth > one.clientWidth)";
    expect(await page.evaluate(isCut)).toBe(false);
    const before = await widthOf('title');
    await drag('title', 80);
    expect(await widthOf('title')).toBe(before + 80);
    await drag('pages', -400);
    expect(await page.evaluate(isCut)).toBe(false);
    await head('state').dragTo(head('author'));
    const names = async () => (await page.getByRole('columnheader').allInnerTexts()).map((text) => text.trim());
    expect((await names()).slice(1, 5)).toEqual(['id', 'title', 'state', 'author']);

    // The same with the keyboard; the browser remembers it.
    await page.getByRole('button', { name: 'Choose columns' }).press('Enter');
    await page.getByRole('button', { name: 'Move price up' }).press('Enter');
    await page.getByLabel('Width of author').fill('300');
    // A change of the table does not take away what is typed.
    await fetch(`${server.url}/api/v2/books`, { method: 'POST', body: '{"title":"Meanwhile"}' });
    await row(page, 'Meanwhile').waitFor();
    await page.getByLabel('Width of author').press('Tab');
    expect(await violations(page, 'dialog')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.reload();
    await row(page, 'Longest').waitFor();
    expect((await names()).slice(1, 7)).toEqual(['id', 'title', 'state', 'author', 'price', 'in_stock']);
    expect([await widthOf('title'), await widthOf('author')]).toEqual([before + 80, 300]);

    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await page.locator('.grid').evaluate((grid) => grid.scrollTo({ left: 10_000 }));
      const grid = await page.locator('.grid').boundingBox();
      for (const name of ['id', 'title']) {
        const box = await head(name).boundingBox();
        expect(box?.x).toBeGreaterThanOrEqual(grid?.x ?? 0);
        expect(box?.x).toBeLessThan((grid?.x ?? 0) + (grid?.width ?? 0) / 2);
      }
    }
    expect(complaints).toEqual([]);
    await close();
  });

  test('opening a record scrolls the table to it', async () => {
    await api.addMany(
      'copies',
      Array.from({ length: 450 }, (_, place) => ({ label: `Copy ${place + 1}` })),
    );
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/copies/20');
    const isSeen = (text: string) =>
      until(
        page,
        `(() => { const grid = document.querySelector('.grid')?.getBoundingClientRect();
          const open = document.querySelector('tr.open')?.getBoundingClientRect();
          return document.querySelector('tr.open')?.innerText.includes('${text}') && open.top >= grid.top && open.bottom <= grid.bottom + 1; })()`,
      );
    await isSeen('Copy 20');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find' }).fill('copy 440');
    await page.getByRole('option', { name: 'Copy 440 copy 440' }).click();
    await isSeen('Copy 440');
    expect(complaints).toEqual([]);
    await close();
  });

  test('what refers to a record is listed, and keeps it from being deleted before that is promised', async () => {
    const [kept, free] = [await api.add('books', { title: 'Kept' }), await api.add('books', { title: 'Kept, too' })];
    await api.add('loans', { book: kept });
    await api.add('loans', { book: kept });
    const { page, complaints, close } = await openConsole(browser, server.url, `/console/books/${kept}?sort=id`);
    const line = drawer(page).getByRole('listitem').filter({ hasText: 'loans by book' });
    await line.getByText('2', { exact: true }).waitFor();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET' && !request.url().endsWith('?dry_run=true')) sent.push(request.url());
    });
    await drawer(page).getByRole('button', { name: 'Delete' }).click();
    const loan = (await api.count('loans')) - 1;
    const why = `The book ${kept} cannot be deleted. 2 records of loans refer to it by book, the first is ${loan}: delete or change them first.`;
    await page.locator('.notice.bad').getByText(why).waitFor();
    await line.getByRole('link').click();
    await page.waitForURL(`**/console/loans?book=${kept}`);
    await page.getByRole('button', { name: 'book is Kept', exact: true }).waitFor();
    await rows(page).nth(1).waitFor();

    await page.goto(`${server.url}/console/books?title[starts_with]=Kept&sort=id`);
    await row(page, 'Kept, too').waitFor();
    await page.getByLabel('Select all rows').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('alert').getByText(why).waitFor();
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete 2 books' });
    expect(await remove.getAttribute('aria-disabled')).toBe('true');
    expect(await violations(page, 'dialog')).toEqual([]);
    expect(sent).toEqual([]);
    expect(await api.count(`books?id[in]=${kept},${free}`)).toBe(2);
    expect(complaints).toEqual([]);
    await close();
  });

  test('all that match are selected on request, and deleted in steps', async () => {
    await api.addMany(
      'copies',
      Array.from({ length: 1205 }, (_, place) => ({ label: `Many ${place + 1}` })),
    );
    const path = '/console/copies?label[starts_with]=Many';
    const { page, complaints, close } = await openConsole(browser, server.url, path);
    await page.getByText('of 1,205').waitFor();
    await selectLoaded(page);
    await page.getByRole('button', { name: 'Select all 1,205' }).click();
    await page.getByText('1,205 selected', { exact: true }).waitFor();
    await page.clock.install();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete 1,205 copies' }).click();
    await page.getByText('1,205 copies are deleted in 6 seconds').waitFor();
    await page.clock.runFor(7000);
    await page.getByText('1,205 of 1,205 copies are deleted.').waitFor();
    expect(await api.count('copies?label[starts_with]=Many')).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test('all problems of a form are said at once', async () => {
    const { page, close } = await openConsole(browser, server.url, '/console/books/new');
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    await field(page, 'author').fill('Borg');
    await field(page, 'price').fill('1.234');
    await field(page, 'pages').fill('0');
    await field(page, 'published_on').fill('2026-02-30');
    await field(page, 'meta').fill('{"a": }');
    await page.keyboard.press('Control+s');
    for (const [name, text] of [
      ['title', 'is required'],
      ['author', 'must be chosen from the list, or be an id'],
      ['price', 'must be a decimal number with at most 2 places'],
      ['pages', 'must be at least 1'],
      ['published_on', 'must be a day, such as 2026-11-15'],
      ['meta', 'is not JSON'],
    ] as const)
      await page.locator(`#field-${name}-problem`, { hasText: text }).waitFor();
    expect(sent).toEqual([]);
    // What was typed is still there, and is no record.
    expect(await field(page, 'author').inputValue()).toBe('Borg');
    expect(await violations(page, 'dialog')).toEqual([]);
    await close();
  });

  test('days, times, decimal commas and semicolons are taken as people write them', async () => {
    const id = await api.add('books', { title: 'Written', seen_at: '2026-11-15T08:00:00.120Z' });
    const { page, complaints, close } = await openConsole(browser, server.url, `/console/books/${id}`);
    const use = (value: string) =>
      drawer(page)
        .getByRole('button', { name: `Use ${value}`, exact: true })
        .click();
    expect(await field(page, 'seen_at').inputValue()).toBe('2026-11-15 08:00:00.120');
    await field(page, 'seen_at').fill('2026-11-16 10:30 +02:00');
    await field(page, 'published_on').fill('29.2.2024');
    await use('2024-02-29');
    await field(page, 'price').fill('1.234,5');
    await use('1234.5');
    await field(page, 'pages').fill('1.234.567');
    await use('1234567');
    await page.getByRole('button', { name: 'Add an element to tags' }).click();
    await field(page, 'tags, element 1').fill('classic; short');
    await page.getByRole('button', { name: 'Split into 2' }).click();
    // The calendars of the browser say the same.
    for (const [name, value] of [
      ['seen_at', '2026-11-16T08:30'],
      ['published_on', '2024-02-29'],
    ])
      expect(await page.locator(`#field-${name} ~ input`).inputValue()).toBe(value ?? '');
    // An open calendar would get the next keys, as soon as it is open.
    await page.evaluate('HTMLInputElement.prototype.showPicker = function () { globalThis.opened = this.type; }');
    await page.getByRole('button', { name: 'Choose a time (UTC)' }).click();
    expect(await page.evaluate('globalThis.opened')).toBe('datetime-local');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved.').waitFor();
    expect(await answer(`books/${id}`)).toMatchObject({
      seen_at: '2026-11-16T08:30:00.000Z',
      published_on: '2024-02-29',
      price: '1234.50',
      pages: 1234567,
      tags: ['classic', 'short'],
    });
    expect(complaints).toEqual([]);
    await close();
  });

  test('a file as a spreadsheet writes it is converted on request', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/-/import?collection=books');
    const text =
      'title;price;pages;tags;published_on;seen_at\nFrom a sheet;1.234,50;1.234.567;"classic; short";29.2.2024;15.11.2026 8:00\n';
    const file = { name: 'sheet.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
    await page.getByLabel('Choose a file').setInputFiles(file);
    await page.getByText('1 of the first 1 rows would be refused: see the marks.').waitFor();
    await page.getByText('Written as in a spreadsheet: price 1.234,50; pages 1.234.567; tags classic; short').waitFor();
    await page.getByRole('button', { name: 'Convert', exact: true }).click();
    await page.getByText('Converted: price 1.234,50 to 1234.50').waitFor();
    expect(await violations(page, 'dialog')).toEqual([]);
    await page.getByRole('button', { name: 'Import without a check' }).press('Enter');
    await page.getByRole('status').getByText('1 record was added.', { exact: true }).waitFor();
    expect(await answer('books?title=From+a+sheet&fields=price,pages,tags,published_on,seen_at')).toMatchObject({
      data: [
        {
          ...{ price: '1234.50', pages: 1234567, tags: ['classic', 'short'] },
          ...{ published_on: '2024-02-29', seen_at: '2026-11-15T08:00:00.000Z' },
        },
      ],
    });
    expect(complaints).toEqual([]);
    await close();
  });
});
