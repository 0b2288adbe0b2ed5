/** A table with filters follows the filtered feed, in Chromium, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { library } from '../support/data/library.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { openConsole } from '../support/pages/console-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const count = 400;

describe.skipIf(browserPath === undefined).each(migratedEngines())('%s', (_, newUrl) => {
  let browser: Browser;
  let server: TestServer;
  const api = async (method: string, path: string, record?: object): Promise<number> => {
    const answer = await fetch(`${server.url}/api/v2/${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(record === undefined ? {} : { body: JSON.stringify(record) }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return method === 'POST' ? ((await answer.json()) as { id: number }).id : 0;
  };
  let isbn = 9780000000000;
  const draft = (more: object) => ({ isbn: String(isbn++), price: '1', author: 1, ...more });

  beforeAll(async () => {
    [browser, server] = await Promise.all([launch(), startServer({ database: await newUrl(), collections: library })]);
    await api('POST', 'authors', { name: 'Borges' });
    const lines = Array.from({ length: count }, (_, n) =>
      JSON.stringify(draft({ title: `Book ${1000 + n}`, state: n % 2 === 0 ? 'published' : 'draft' })),
    );
    const headers = { 'Content-Type': 'application/x-ndjson' };
    await (await fetch(`${server.url}/api/v2/books/bulk`, { method: 'POST', headers, body: lines.join('\n') })).text();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const rows = (page: Page) => page.locator('tbody tr[aria-rowindex]');
  const row = (page: Page, text: string) => rows(page).filter({ hasText: text });
  /** The title of the first row below the head of the table, and where it is. */
  const firstSeen = (page: Page) =>
    page.locator('.grid').evaluate((grid) => {
      const top = grid.getBoundingClientRect().top + 32;
      const seen = [...grid.querySelectorAll('tbody tr[aria-rowindex]')].find(
        (one) => one.getBoundingClientRect().bottom > top,
      );
      return `${seen?.children[2]?.textContent} at ${Math.round((seen?.getBoundingClientRect().top ?? 0) - top)}`;
    });
  const open = async (query: string) => {
    const opened = await openConsole(browser, server.url, `/console/books${query}`);
    const asked: string[] = [];
    opened.page.on('request', (request) => {
      // The titles of authors are asked for by their ids.
      if (/\/books\?.*id\[in]=/.test(decodeURIComponent(request.url()))) asked.push(request.url());
    });
    await opened.page.locator('.feed-light.on').waitFor();
    return { ...opened, asked };
  };

  test('what enters, stays and leaves is shown in order, without a further request for it', async () => {
    const { page, complaints, asked, close } = await open('?state=published&title[starts_with]=Z&sort=title');
    await page.getByText('No books match these filters.').waitFor();
    const shown = async (titles: readonly string[]) => {
      for (const [at, title] of titles.entries())
        await rows(page).nth(at).locator('td:nth-child(3)').filter({ hasText: title }).waitFor();
      await rows(page).nth(titles.length).waitFor({ state: 'detached' });
    };
    const ids: number[] = [];
    for (const title of ['Z2', 'Z1', 'Y9']) ids.push(await api('POST', 'books', draft({ title, state: 'published' })));
    await shown(['Z1', 'Z2']);
    const [second, first, other] = ids;
    // By one commit: the last one is there, another one is not, and the first is behind it.
    await api('POST', 'transactions', {
      operations: [
        { op: 'update', collection: 'books', id: other, record: { title: 'Z3' } },
        { op: 'update', collection: 'books', id: first, record: { title: 'Z4' } },
        { op: 'update', collection: 'books', id: second, record: { state: 'draft' } },
      ],
    });
    await shown(['Z3', 'Z4']);
    // Those that come back before they have vanished stay.
    await api('PATCH', `books/${other}`, { state: 'draft' });
    await row(page, 'Z3').and(page.locator('.gone')).waitFor();
    await api('PATCH', `books/${other}`, { state: 'published', title: 'Z5' });
    await row(page, 'Z5').waitFor();
    await api('DELETE', `books/${first}`);
    await shown(['Z5']);
    await page.getByText('of 1', { exact: false }).waitFor();
    expect(asked).toEqual([]);
    expect(complaints).toEqual([]);
    for (const id of [second, other]) await api('DELETE', `books/${id}`);
    await close();
  });

  test('scroll position, selection and an open form stay', async () => {
    const { page, complaints, close } = await open('?state=published&sort=title');
    await row(page, 'Book 1000').waitFor();
    await page.locator('.grid').evaluate((grid) => grid.scrollBy(0, 1503));
    await row(page, 'Book 1120').getByRole('checkbox').check();
    await row(page, 'Book 1130').locator('td:nth-child(3)').click();
    const title = page.getByRole('complementary').getByLabel('title', { exact: true });
    await title.fill('My own title');
    // The keyboard is at the row of the record that is open.
    const active = () =>
      page
        .getByRole('grid')
        .evaluate(
          (grid) => grid.querySelector(`#${grid.getAttribute('aria-activedescendant')}`)?.children[2]?.textContent,
        );
    const before = await firstSeen(page);
    expect(before).toStartWith('Book 11');

    const first = await api('POST', 'books', draft({ title: 'A first book', state: 'published' }));
    await page.locator('.status').getByText('of 201').waitFor();
    expect(await firstSeen(page)).toBe(before);
    await api('PATCH', `books/${first}`, { state: 'draft' });
    await page.locator('.status').getByText('of 200').waitFor();
    await api('POST', 'books', draft({ title: 'Book 1120 and more', state: 'published' }));
    await row(page, 'Book 1120 and more').waitFor();
    expect(await firstSeen(page)).toBe(before);
    expect(await active()).toBe('Book 1130');
    expect(await row(page, 'Book 1120').first().getByRole('checkbox').isChecked()).toBe(true);
    await page.getByText('1 selected').waitFor();
    expect(await title.inputValue()).toBe('My own title');
    expect(complaints).toEqual([]);
    await close();
  });

  test('a form learns of changes of a record that is outside of the list', async () => {
    const id = await api('POST', 'books', draft({ title: 'Not in the list', state: 'draft' }));
    const { page, close } = await openConsole(browser, server.url, `/console/books/${id}?state=published`);
    const title = page.getByRole('complementary').getByLabel('title', { exact: true });
    await title.waitFor();
    await api('PATCH', `books/${id}`, { title: 'Changed elsewhere' });
    while ((await title.inputValue()) !== 'Changed elsewhere')
      await page.evaluate('new Promise(requestAnimationFrame)');
    await close();
  });

  test('a filter with a path is live, too', async () => {
    const { page, close } = await open('?author.name=Borges&title[starts_with]=Path');
    const id = await api('POST', 'books', draft({ title: 'Path 1' }));
    await row(page, 'Path 1').waitFor();
    await api('PATCH', `books/${id}`, { title: 'No longer' });
    await row(page, 'Path 1').waitFor({ state: 'detached' });
    await page.goto(
      `${server.url}/console/books?where=${encodeURIComponent('{"any":[{"author.name":"Borges"}]}')}&sort=-id`,
    );
    await page.locator('.feed-light.on').waitFor();
    await api('PATCH', `books/${id}`, { title: 'Path 2' });
    await row(page, 'Path 2').waitFor();
    await close();
  });
});
