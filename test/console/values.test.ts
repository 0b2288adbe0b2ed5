/** A value looks the same wherever the console shows it, in Chromium: in a table, a history, Live, a summary, an import and a conflict. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { Api, workbench } from '../support/data/workbench.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { openConsole, violationsOn } from '../support/pages/console-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

/** Each field with its value, and what a person sees of it. */
const seen = {
  author: [1, '<span title="authors 1">Borges</span>'],
  state: ['published', '<span class="tag color-1">published</span>'],
  in_stock: [false, 'icon false'],
  price: ['1234.50', '1234.50'],
  pages: [9007199254740992, '9007199254740992'],
  tags: [['classic', 'short'], '<span class="tag">classic</span><span class="tag">short</span>'],
  published_on: ['2024-02-29', '2024-02-29'],
  seen_at: ['2026-11-15T08:00:00.120Z', '2026-11-15 08:00:00.120'],
  meta: [null, '<span title="no value">\u2013</span>'],
} as const;
const names = Object.keys(seen) as (keyof typeof seen)[];
const record = (more: object = {}) => ({
  ...Object.fromEntries(names.map((name) => [name, seen[name][0]])),
  title: 'One',
  ...more,
});
const shown = Object.fromEntries(names.map((name) => [name, seen[name][1]]));

/** What of a value counts: its words, its tags, its icon and what the pointer shows. */
async function lookOf(value: Locator): Promise<string> {
  const html = await value.innerHTML();
  return html
    .replaceAll(/<svg.*?<\/svg>/gs, 'icon ')
    .replaceAll(/<a [^>]*>|<\/a>/g, '')
    .replaceAll(/<span class="(?:mark yes|mark soft|soft|unseen)"( title="[^"]*")?>/g, (_, title = '') =>
      title === '' ? '' : `<span${title}>`,
    )
    .replaceAll(/(?<=icon )(\w+)(<\/span>)+/g, '$1');
}

async function looksOf(place: (name: string) => Locator, of: readonly string[] = names): Promise<object> {
  return Object.fromEntries(await Promise.all(of.map(async (name) => [name, await lookOf(place(name))])));
}
const some = (of: readonly string[]) => Object.fromEntries(of.map((name) => [name, shown[name]]));

describe.skipIf(browserPath === undefined).each(migratedEngines())('values, %s', (engine, newUrl) => {
  const violations = violationsOn(engine);
  let browser: Browser;
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    [browser, server] = await Promise.all([
      launch(),
      startServer({ database: await newUrl(), collections: workbench }),
    ]);
    api = new Api(server.url);
    // The title is the declared field, and not the first one.
    await api.add('authors', { code: 'B', name: 'Borges' });
    await api.add('authors', { code: 'C', name: 'Calvino' });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  const settled = (page: Page) => page.getByText('Borges').first().waitFor();

  test('in a table, a history, Live and a summary', async () => {
    const id = await api.add('books', { title: 'One', meta: { a: 1 } });
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/-/live');
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await api.send('PATCH', `books/${id}`, record());
    await settled(page);
    const changed = (name: string) =>
      page
        .locator('.live-field', { has: page.getByText(name, { exact: true }) })
        .locator('ins')
        .first();
    // An entry has room for so many.
    const first = names.slice(0, 5);
    expect(await looksOf(changed, first)).toEqual(some(first));

    await page.goto(`${server.url}/console/books?fields=${names.join()}`);
    await settled(page);
    const cell = (name: string) => page.locator(`tbody td:nth-child(${names.indexOf(name as keyof typeof seen) + 2})`);
    // A cell says on hover which nothing it is, as a whole.
    expect(await looksOf(cell)).toEqual(shown);

    await page.goto(`${server.url}/console/books/${id}`);
    await page.getByRole('tab', { name: 'History' }).click();
    const step = page.locator('.history li').first();
    await step.waitFor();
    await settled(page);
    const after = (name: string) =>
      step.locator('.diff div', { has: page.locator(`dt:text-is("${name}")`) }).locator('ins');
    expect(await looksOf(after)).toEqual(shown);
    // When it was is said as in a column of times.
    expect(await step.locator('time').innerText()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{3})?$/);

    const groups = ['author', 'state', 'in_stock', 'published_on'];
    await page.goto(`${server.url}/console/books/summary?group=${groups.join()}&measures=price.max,seen_at.max`);
    await page.locator('.summary-table').waitFor();
    await settled(page);
    const group = (name: string) => page.locator('.summary-table tbody tr > *').nth(groups.indexOf(name));
    expect(await looksOf(group, groups)).toEqual(some(groups));
    expect(await page.locator('.summary-table tbody tr').innerText()).toContain('2026-11-15 08:00:00.120');
    expect(await violations(page, 'dialog')).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test('in the preview of an import', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/-/import?collection=books');
    const buffer = Buffer.from(`${JSON.stringify(record())}\n`);
    await page
      .getByLabel('Choose a file')
      .setInputFiles({ name: 'b.ndjson', mimeType: 'application/x-ndjson', buffer });
    await settled(page);
    const columns = Object.keys(record());
    const cell = (name: string) =>
      page.locator('.import-preview tbody td').nth(columns.indexOf(name)).locator('.cell-text');
    expect(await looksOf(cell)).toEqual(shown);
    expect(await violations(page, 'dialog')).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test('in a conflict, which says which nothing it is, too', async () => {
    const id = await api.add('books', { title: 'One', meta: { a: 1 } });
    const { page, complaints, close } = await openConsole(browser, server.url, `/console/books/${id}`);
    const drawer = page.getByRole('complementary');
    await page.route('**/api/v2/events*', (route) => route.abort());
    await drawer.getByLabel('title', { exact: true }).fill('');
    await api.send('PATCH', `books/${id}`, record({ title: 'Two', tags: ['classic', 'short'] }));
    await page.keyboard.press('Control+s');
    await page.getByRole('dialog').waitFor();
    await settled(page);
    const line = (name: string) => page.locator('.conflict tbody tr', { has: page.locator(`th:text-is("${name}")`) });
    const theirs = (name: string) => line(name).locator('td').nth(1).locator('.conflict-value');
    expect(await looksOf(theirs)).toEqual(shown);
    const yours = page.locator('.conflict tbody tr').filter({ hasText: 'changed by both' }).locator('td').first();
    expect(await yours.innerText()).toContain('\u2013 (an empty text)');
    expect(await violations(page, 'dialog')).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });
});
