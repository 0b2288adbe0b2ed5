/** The tabs of a browser session: a new one is signed in like the others, and signing out leaves nothing behind. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { library } from '../support/data/library.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { keyFor, openConsole } from '../support/pages/console-page.ts';
import { importPage } from '../support/pages/import-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

/** An expression for the page: everything that the browser keeps for the console. */
const kept = `(async () => {
  const names = (await indexedDB.databases()).map(({ name }) => name);
  const counts = await Promise.all(names.map((name) => new Promise((resolve) => {
    const request = indexedDB.open(name);
    request.onsuccess = () => {
      const stores = [...request.result.objectStoreNames];
      const transaction = request.result.transaction(stores);
      const all = stores.map((store) => transaction.objectStore(store).count());
      transaction.oncomplete = () => {
        request.result.close();
        resolve(all.reduce((sum, { result }) => sum + result, 0));
      };
    };
  })));
  return [Object.keys(localStorage).length, Object.keys(sessionStorage).length, counts.reduce((sum, one) => sum + one, 0)];
})()`;

describe.skipIf(browserPath === undefined).each(migratedEngines())('tabs, %s', (_, newUrl) => {
  let browser: Browser;
  let server: TestServer;
  let key: string;
  const { fileOf, press, done } = importPage();
  beforeAll(async () => {
    [browser, server] = await Promise.all([
      launch(),
      startServer({ database: await newUrl(), collections: library, access: { auth: 'all' } }),
    ]);
    key = await keyFor(server, 'write');
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  const signOut = (page: Page) => page.getByRole('button', { name: 'Sign out' });
  const askKey = (page: Page) => page.getByLabel('API key or token');

  test('a new tab is signed in, signing out ends all of them, and the browser keeps nothing', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/publishers');
    await askKey(page).fill(key);
    await page.keyboard.press('Enter');
    await signOut(page).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${server.url}/console/-/import?collection=publishers`);
    await signOut(other).waitFor();
    // Another browser has none of it.
    const elsewhere = await openConsole(browser, server.url, '/console/publishers');
    await askKey(elsewhere.page).waitFor();
    await elsewhere.close();

    // Each kind of what is kept: a choice, a view, an import with refused rows.
    await page.getByRole('button', { name: 'Compact rows' }).click();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Name of the view').fill('All');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await other.getByLabel('Choose a file').setInputFiles(fileOf('p.csv', `name\nSur\n${'x'.repeat(101)}`));
    await press(other, 'Import without a check');
    await done(other, '1 record was added, 1 was refused.');
    expect(await other.evaluate(kept)).toEqual([2, 1, 2]);

    await signOut(page).click();
    for (const tab of [page, other]) {
      await askKey(tab).waitFor();
      expect(await tab.evaluate(kept)).toEqual([0, 0, 0]);
    }
    // A tab that is opened then finds nobody who is signed in.
    const third = await page.context().newPage();
    await third.goto(`${server.url}/console/publishers`);
    await askKey(third).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});
