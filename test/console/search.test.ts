/** The search box above a table, in Chromium: by words where a collection indexes them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { declared } from '../support/data/library.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { openConsole, violationsOn } from '../support/pages/console-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const collections = declared({
  books: { singular: 'book', search: ['title'], fields: { title: 'text', text: { type: 'text', search: true } } },
  authors: { singular: 'author', fields: { name: 'text', note: 'text' } },
  numbers: { singular: 'one_number', fields: { value: 'integer' } },
});

describe.skipIf(browserPath === undefined).each(migratedEngines())('%s', (engine, newUrl) => {
  const violations = violationsOn(engine);
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([launch(), startServer({ database: await newUrl(), collections })]);
    const post = (path: string, body: object) =>
      fetch(`${server.url}/api/v2/${path}`, { method: 'POST', body: JSON.stringify(body) });
    await post('books', { title: 'Labyrinths', text: 'by Jorge Luis Borges' });
    await post('books', { title: 'El Álef', text: 'Borges, too' });
    await post('books', { title: 'Rayuela', text: 'by Cortázar' });
    await post('authors', { name: 'Borges', note: 'a' });
    await post('authors', { name: 'Cortázar', note: 'Borges' });
    await post('numbers', { value: 1 });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const waitForRows = async (page: Page, count: number, text: string) => {
    await page.getByText(text).first().waitFor();
    await page.waitForFunction(`document.querySelectorAll('tbody tr[aria-rowindex]').length === ${count}`);
  };

  test('it searches the words of all searched fields, and says so', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/books');
    const box = page.getByRole('searchbox', { name: 'Search: Words in title, text' });
    expect(await box.getAttribute('placeholder')).toBe('Words in title, text');
    await waitForRows(page, 3, 'Rayuela');
    await box.fill('ALEF bor*');
    await box.press('Enter');
    await page.waitForURL('**/console/books?words=ALEF+bor*');
    await waitForRows(page, 1, 'El Álef');
    await page.getByRole('button', { name: 'words ALEF bor*' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'As code' }).click();
    await page.getByText("words: 'ALEF bor*'").waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove the filter on words' }).click();
    await waitForRows(page, 3, 'Rayuela');
    expect(await box.inputValue()).toBe('');
    await page.goBack();
    await waitForRows(page, 1, 'El Álef');
    expect(await box.inputValue()).toBe('ALEF bor*');
    // Another search replaces it, and an empty box ends it.
    await box.fill('cortazar');
    await box.press('Enter');
    await waitForRows(page, 1, 'Rayuela');
    expect(new URL(page.url()).search).toBe('?words=cortazar');
    await box.fill('');
    await page.waitForURL('**/console/books');
    await waitForRows(page, 3, 'Labyrinths');
    expect(complaints).toEqual([]);
    await close();
  });

  test('without an index of words it finds parts of the text that names a record; without a text there is none', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/authors');
    const box = page.getByRole('searchbox', { name: 'Search: Part of name' });
    await waitForRows(page, 2, 'Cortázar');
    await box.fill('oRG');
    await box.press('Enter');
    await page.waitForURL('**/console/authors?name[contains_ci]=oRG');
    await waitForRows(page, 1, 'Borges');
    await page.goto(`${server.url}/console/numbers`);
    await waitForRows(page, 1, 'value');
    expect(await page.getByRole('searchbox').count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });
});
