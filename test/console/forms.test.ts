/** Forms and pickers of the console, in Chromium: what is chosen, what is typed and kept, and what is said about it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { Api, workbench } from '../support/data/workbench.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { openConsole, selectLoaded, violationsOn } from '../support/pages/console-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

describe.skipIf(browserPath === undefined).each(migratedEngines())('forms, %s', (engine, newUrl) => {
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
    await api.add('authors', { code: 'B', name: 'Borges' });
    await api.add('authors', { code: 'N', name: '' });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  const drawer = (page: Page) => page.getByRole('complementary');
  const field = (page: Page, name: string) => drawer(page).getByLabel(name, { exact: true });

  test('a time is chosen from a picker', async () => {
    const id = await api.add('books', { title: 'Timed' });
    const { page, complaints, close } = await openConsole(browser, server.url, `/console/books/${id}`);
    const picker = page.locator('#field-seen_at ~ input');
    expect(await picker.getAttribute('type')).toBe('datetime-local');
    await picker.fill('2026-11-17T09:15:30');
    expect(await field(page, 'seen_at').inputValue()).toBe('2026-11-17 09:15:30');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved.').waitFor();
    const saved = await (await fetch(`${server.url}/api/v2/books/${id}`)).json();
    expect(saved).toMatchObject({ seen_at: '2026-11-17T09:15:30.000Z' });

    // A filter has the same one.
    await page.goto(`${server.url}/console/books`);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Field').selectOption('seen_at');
    await page.locator('.moment-input input[type=datetime-local]').fill('2026-11-17T09:15:30');
    expect(await page.getByLabel('Value', { exact: true }).inputValue()).toBe('2026-11-17 09:15:30');
    expect(complaints).toEqual([]);
    await close();
  });

  test('what was typed for a reference stays until a record is chosen', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/books/new');
    await field(page, 'author').fill('bOR');
    await page.getByRole('option', { name: 'Borges 1' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await field(page, 'author').inputValue()).toBe('bOR');
    await field(page, 'title').click();
    expect(await field(page, 'author').inputValue()).toBe('bOR');
    await field(page, 'author').fill('borx');
    await drawer(page).getByText('No match: none of authors is called “borx”.').waitFor();
    await page.keyboard.press('Enter');
    expect(await field(page, 'author').inputValue()).toBe('borx');
    await field(page, 'author').fill('BORGES');
    await page.getByRole('option', { name: 'Borges 1' }).click();
    expect(await drawer(page).getByText('Borges').getAttribute('title')).toBe('authors 1');
    expect(complaints).toEqual([]);
    await close();
  });

  test('a record without a title is named by its id, and one that is not there is said to be none', async () => {
    const id = await api.add('books', { title: 'By nobody', author: 2 });
    const { page, complaints, close } = await openConsole(browser, server.url, `/console/books/${id}`);
    const link = drawer(page).locator('.picked a');
    const none = drawer(page).getByText('is no such record');
    await link.waitFor();
    await field(page, 'author').press('Backspace');
    await field(page, 'author').fill('999');
    await field(page, 'title').click();
    await none.waitFor();
    await page.getByRole('button', { name: 'Undo changes' }).click();
    await link.getByText('2', { exact: true }).waitFor();
    expect(await none.count()).toBe(0);
    await field(page, 'author').press('Backspace');
    await field(page, 'author').fill('author');
    await page.getByText('No match').waitFor();
    await field(page, 'author').fill('2');
    await page.getByRole('option', { name: 'author 2 2' }).click();
    await page.goto(`${server.url}/console/books?author=999`);
    await page.getByRole('button', { name: 'author is 999', exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('all that match are selected with progress, which can be stopped', async () => {
    const labels = Array.from({ length: 2300 }, (_, place) => ({ label: `Many ${place + 1}` }));
    await api.addMany('copies', labels);
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/copies');
    await page.getByText('of 2,300').waitFor();
    await selectLoaded(page);
    // The second page waits until the progress was seen.
    let goOn = () => {};
    const seen = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let pages = 0;
    await page.route('**/api/v2/copies?*limit=1000*', async (route) => {
      if (++pages === 2) await seen;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Select all 2,300' }).click();
    await page.getByRole('status').getByText('Selecting 1,000 of 2,300').waitFor();
    expect(await violations(page, 'dialog')).toEqual([]);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('250 selected: all that are loaded').waitFor();
    goOn();
    await page.getByRole('button', { name: 'Select all 2,300' }).click();
    await page.getByText('2,300 selected', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});
