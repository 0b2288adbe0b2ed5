/** The summary of a collection in the console, in Chromium, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { library } from '../support/data/library.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { openConsole, violationsOn } from '../support/pages/console-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const path = '/console/books/summary';

describe.skipIf(browserPath === undefined).each(migratedEngines())('%s', (engine, newUrl) => {
  const violations = violationsOn(engine);
  let browser: Browser;
  let server: TestServer;
  const add = async (collection: string, lines: readonly string[]) => {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const body = lines.join('\n');
    const answer = await fetch(`${server.url}/api/v2/${collection}/bulk`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
  };

  beforeAll(async () => {
    [browser, server] = await Promise.all([launch(), startServer({ database: await newUrl(), collections: library })]);
    await add('authors', ['{"name":"Borges"}', '{"name":"Woolf"}']);
    const most = '9223372036854775807';
    const books = [
      `"state":"published","price":"10.10","pages":${most},"published_on":"1944-01-01","author":1`,
      `"state":"published","price":"20.20","pages":${most},"published_on":"1944-12-31","author":1`,
      '"state":"published","price":"5","published_on":"2020-12-31","author":2,"seen_at":"2026-06-30T23:59:59.999Z"',
      '"state":"draft","price":"0.01","published_on":"2021-01-03","author":2,"seen_at":"2026-06-30T22:00:00Z"',
      '"state":"draft","price":"0.02","author":1',
    ];
    await add(
      'books',
      books.map((book, n) => `{"title":"Book, ${n} & more","isbn":"${9780000000000 + n}",${book}}`),
    );
    await add(
      'publishers',
      Array.from({ length: 150 }, (_, n) => `{"name":"Publisher ${n}"}`),
    );
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const search = (page: Page) => decodeURIComponent(new URL(page.url()).search);
  const lines = (page: Page) =>
    page
      .locator('.summary-table tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent?.trim()).join(' | ')));
  const waitForLines = async (page: Page, expected: readonly string[]) => {
    const rows = page.locator('.summary-table tbody tr');
    await rows.nth(expected.length).waitFor({ state: 'detached' });
    while ((await lines(page)).join('\n') !== expected.join('\n'))
      await page.evaluate('new Promise(requestAnimationFrame)');
    expect(await lines(page)).toEqual([...expected]);
  };
  const choose = async (page: Page, what: 'group' | 'measure', name: string) => {
    await page.getByRole('button', { name: `Add a ${what}` }).click();
    await page.getByLabel(`Name of the ${what}`).selectOption(name);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
  };

  test('groups, measures, filters and order are in the address, and a reload shows the same', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/books?price[gte]=0.02');
    await page.getByRole('button', { name: 'Summary' }).click();
    await waitForLines(page, ['draft | 1', 'published | 3']);
    expect(search(page)).toBe('?group=state&measures=count&price[gte]=0.02');

    await choose(page, 'group', 'published_on.year');
    await choose(page, 'measure', 'price.sum');
    await choose(page, 'measure', 'pages.sum');
    await page.getByRole('button', { name: 'Remove the measure count' }).click();
    const rows = [
      'draft | \u2013 | 0.02 | \u2013',
      'published | 1944 | 30.30 | 18446744073709551614',
      'published | 2020 | 5.00 | \u2013',
    ] as const;
    await waitForLines(page, rows);
    await page.getByRole('button', { name: 'price.sum', exact: true }).click();
    await waitForLines(page, [rows[0], rows[2], rows[1]]);
    await page.getByRole('button', { name: 'price.sum', exact: true }).click();
    await waitForLines(page, [rows[1], rows[2], rows[0]]);
    expect(search(page)).toBe(
      '?group=state,published_on.year&measures=price.sum,pages.sum&price[gte]=0.02&sort=-price.sum',
    );
    expect(await page.getByRole('columnheader', { name: 'price.sum' }).getAttribute('aria-sort')).toBe('descending');
    await page.getByRole('status').getByText('3 groups').waitFor();
    await page.reload();
    await waitForLines(page, [rows[1], rows[2], rows[0]]);

    // What no longer is a column cannot be sorted by.
    await page.getByRole('button', { name: 'Remove the measure price.sum' }).click();
    await waitForLines(page, [
      'draft | \u2013 | \u2013',
      'published | 1944 | 18446744073709551614',
      'published | 2020 | \u2013',
    ]);
    await page.getByRole('button', { name: 'Remove the filter on price' }).click();
    await page.getByRole('status').getByText('4 groups').waitFor();
    expect(search(page)).toBe('?group=state,published_on.year&measures=pages.sum');
    await page.goBack();
    await page.getByRole('status').getByText('3 groups').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a row leads to its records, also of null and of parts of days and times', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, path);
    const leads = async (query: string, row: string, address: string, count: number) => {
      await page.goto(`${server.url}${path}?${query}`);
      await page.locator('.summary-table tbody tr').filter({ hasText: row }).getByRole('link').click();
      await page.waitForURL((url) => decodeURIComponent(url.search) === address);
      await page.locator('.status').getByText(`of ${count}`).waitFor();
    };
    await leads('', 'all', '', 5);
    await leads('group=state&price[lt]=0.02', 'draft', '?price[lt]=0.02&state=draft', 1);
    await leads('group=published_on', '\u2013', '?published_on[is]=null', 1);
    await leads('group=published_on.year', '1944', '?published_on[gte]=1944-01-01&published_on[lte]=1944-12-31', 2);
    await leads('group=published_on.week', '2020-W53', '?published_on[gte]=2020-12-28&published_on[lte]=2021-01-03', 2);
    await leads('group=published_on.quarter&state=draft', '\u2013', '?state=draft&published_on[is]=null', 1);
    await leads(
      'group=seen_at.hour',
      '2026-06-30T23',
      '?seen_at[gte]=2026-06-30T23:00:00.000Z&seen_at[lte]=2026-06-30T23:59:59.999Z',
      1,
    );
    await leads('group=title', 'Book, 3 & more', '?title=Book,+3+&+more', 1);
    await leads('group=author,in_stock&having={"count":{"gt":2}}', 'Borges', '?author=1&in_stock=true', 3);
    await page.getByRole('link', { name: 'Borges', exact: true }).first().waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('bars begin at 0, and references have names', async () => {
    const { page, close } = await openConsole(browser, server.url, `${path}?group=author&measures=price.sum,title.min`);
    await waitForLines(page, ['Borges | 30.32 | Book, 0 & more', 'Woolf | 5.01 | Book, 2 & more']);
    const widths = await page
      .locator('.measure-bar')
      .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
    expect(widths).toHaveLength(2);
    expect((widths[1] ?? 0) / (widths[0] ?? 0)).toBeCloseTo(5.01 / 30.32, 2);
    await page.locator('.measure-bar').nth(1).click();
    await page.waitForURL('**/console/books?author=2');
    await page.locator('.status').getByText('of 2').waitFor();
    await close();
  });

  test('the URL that is copied is a request that works', async () => {
    const { page, close } = await openConsole(
      browser,
      server.url,
      `${path}?group=state&measures=price.sum&sort=-state`,
    );
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.summary-table').waitFor();
    await page.getByRole('button', { name: 'Copy URL' }).click();
    await page.getByText('Copied.').waitFor();
    const url = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(await (await fetch(url)).text()).toBe(
      '{"data":[{"state":"published","price.sum":"35.30"},{"state":"draft","price.sum":"0.03"}],"groups":2}',
    );
    await close();
  });

  test('many groups are shown in two steps', async () => {
    const { page, close } = await openConsole(browser, server.url, '/console/publishers/summary?group=name');
    await page.getByText('100 of 150 groups').waitFor();
    await page.getByRole('button', { name: 'Show up to 1,000' }).click();
    await page.getByText('150 groups', { exact: true }).waitFor();
    expect(search(page)).toBe('?group=name&measures=count&limit=1000');
    expect(await page.locator('.summary-table tbody tr').count()).toBe(150);
    await close();
  });

  test('a wrong query is said, and so is a summary without groups', async () => {
    const { page, close } = await openConsole(browser, server.url, `${path}?group=colour`);
    await page.getByRole('alert').getByText('group has "colour"').waitFor();
    await page.getByRole('button', { name: 'Remove the group colour' }).click();
    await waitForLines(page, ['all | 5']);
    await page.goto(`${server.url}${path}?group=state&price[gt]=1000`);
    await page.getByText('There are no groups.').waitFor();
    await close();
  });

  test('the keyboard is enough', async () => {
    const { page, close } = await openConsole(browser, server.url, `${path}?group=state`);
    const active = () => page.evaluate('document.activeElement?.ariaLabel ?? document.activeElement?.textContent');
    await page.getByRole('button', { name: 'Add a measure' }).press('Enter');
    expect(await active()).toBe('Name of the measure');
    await page.keyboard.type('price.sum');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('columnheader', { name: 'price.sum' }).waitFor();
    expect(await active()).toBe('Add a measure');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    expect(await active()).toBe('Add a measure');
    await page.getByRole('link', { name: 'published' }).press('Enter');
    await page.waitForURL('**/console/books?state=published');
    await close();
  });

  if (engine === 'sqlite')
    test('axe-core finds no violation', async () => {
      const all =
        'group=state,author,published_on.year&measures=count,price.sum,price.avg,title.min&sort=-count&price[gt]=0';
      const { page, close } = await openConsole(browser, server.url, `${path}?${all}`);
      await page.getByRole('link', { name: 'published' }).first().waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Add a group' }).click();
      expect(await violations(page, 'dialog')).toEqual([]);
      await close();
    });
});
