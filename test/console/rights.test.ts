/** What a key may not do in the console: it is shown, refused with the reason, and never sent. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { browserPath, launch } from '../support/pages/browser.ts';
import { keyFor, openConsole } from '../support/pages/console-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

describe.skipIf(browserPath === undefined).each(migratedEngines())('rights, %s', (_, newUrl) => {
  let browser: Browser;
  let all: TestServer;
  let write: TestServer;
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    [browser, all, write] = await Promise.all([
      launch(),
      startServer({ database: await newUrl(), access: { auth: 'all' } }),
      startServer({ database: await newUrl(), access: { auth: 'write' } }),
    ]);
    for (const scope of ['read', 'write'] as const) keys[scope] = await keyFor(all, scope);
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([all, write].map((server) => server?.stop()));
  });

  /** Presses everything on the screen that would write, and returns the requests that were sent. */
  async function pressAll(page: Page): Promise<string[]> {
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`);
    });
    await page.getByLabel('Select record 1').check();
    for (const button of await page.locator('button[aria-disabled="true"]').all()) await button.press('Enter');
    await page.keyboard.press('Control+s');
    return sent;
  }

  type Case = readonly [name: string, server: () => TestServer, key: () => string | undefined, reason: string];
  test.each<Case>([
    ['a key that may only read', () => all, () => keys.read, 'The key key-read has the scope read.'],
    ['no key, with --auth write', () => write, () => undefined, 'Sign in with a key of scope write to do this.'],
  ])('%s', async (_, server, key, reason) => {
    const own = key();
    const look = own === undefined ? {} : { key: own };
    const { page, complaints, close } = await openConsole(browser, server().url, '/console/items/1', look);
    await page.getByLabel('name', { exact: true }).waitFor();
    await page.locator('.banner').getByText(reason).waitFor();
    expect(await page.locator('.drawer :is(input, textarea, select):enabled').count()).toBe(0);
    expect(await pressAll(page)).toEqual([]);
    const refused = await page.locator('button[aria-disabled="true"]').allInnerTexts();
    for (const name of ['New item', 'Delete', 'Save']) expect(refused.some((text) => text.includes(name))).toBe(true);
    expect(refused.every((text) => text.includes(reason))).toBe(true);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a key that may write saves, and the history names it', async () => {
    const { page, complaints, close } = await openConsole(browser, all.url, '/console/items/1', {
      key: keys.write ?? '',
    });
    await page.getByLabel('name', { exact: true }).fill('Gadget');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved.').waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.locator('.history li').filter({ hasText: 'by key-write' }).getByText('Gadget').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a key that is revoked leads to the sign-in', async () => {
    const key = await keyFor(all, 'admin');
    const { page, close } = await openConsole(browser, all.url, '/console/items', { key });
    await page.getByText('Widget').or(page.getByText('Gadget')).first().waitFor();
    const found = (await all.store.admin.apiKeys.list()).find(({ name }) => name === 'key-admin');
    await all.store.admin.apiKeys.revoke(found?.id ?? '', new Date().toISOString());
    await page.getByRole('button', { name: 'price', exact: true }).click();
    await page.getByText('The key is no longer valid').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await close();
  });
});
