/** The console's screen of API keys, in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { browserPath, launch } from '../support/pages/browser.ts';
import { keyFor, openConsole, violationsOn } from '../support/pages/console-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const path = '/console/-/keys';

describe.skipIf(browserPath === undefined).each(migratedEngines())('keys, %s', (engine, newUrl) => {
  const violations = violationsOn(engine);
  let browser: Browser;
  let locked: TestServer;
  let admin: string;
  beforeAll(async () => {
    [browser, locked] = await Promise.all([
      launch(),
      startServer({ database: await newUrl(), access: { auth: 'write' } }),
    ]);
    admin = await keyFor(locked, 'admin');
  });
  afterAll(async () => {
    await browser?.close();
    await locked?.stop();
  });

  const me = async (key: string) =>
    (await fetch(`${locked.url}/api/v2/me`, { headers: { Authorization: `Bearer ${key}` } })).json();

  test('a key is made with the keyboard, shown once, used, and revoked after a question', async () => {
    const { page, complaints, close } = await openConsole(browser, locked.url, path, { key: admin });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const keys = page.getByRole('list', { name: 'Active keys' });
    await keys.getByText('key-admin').waitFor();
    expect(await violations(page)).toEqual([]);

    await page.getByRole('button', { name: 'New key' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New key' });
    await page.keyboard.type('key-admin');
    await page.keyboard.press('Enter');
    // Neither a key for everything nor one for nothing comes from a choice that was forgotten.
    const note = dialog.locator('#new-key-collections-note');
    await note.getByText('Choose the collections.').waitFor();
    await dialog.getByLabel('Only these').check();
    await note.getByText('Choose at least one collection.').waitFor();
    await dialog.getByRole('button', { name: 'Create the key' }).press('Enter');
    expect(await note.innerText()).toBe('Choose at least one collection.');
    await dialog.getByLabel('All collections, also later ones').check();
    await dialog.getByRole('button', { name: 'Create the key' }).press('Enter');
    // Beside the field, from the pointer of the server.
    await dialog.locator('#new-key-name-note').getByText('is taken').waitFor();
    expect(await dialog.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
    expect(await violations(page)).toEqual([]);

    await dialog.getByLabel('Name').focus();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('shop');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await note.getByText('It changes these only. Reading needs no key on this server.').waitFor();
    await dialog.getByRole('button', { name: 'As code' }).click();
    const code = page.getByRole('dialog', { name: 'As code' });
    await code.getByText(`-d '{"name":"shop","scope":"write","collections":["items"]}'`).waitFor();
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Create the key' }).press('Enter');

    const shown = page.getByRole('dialog', { name: 'The key shop' });
    await shown.getByRole('button', { name: 'Copy: Key' }).click();
    await page.getByText('Copied.').waitFor();
    const secret = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(await shown.getByText(secret, { exact: true }).count()).toBe(1);
    expect(await me(secret)).toEqual({ auth: 'write', name: 'shop', scope: 'write', collections: ['items'] });
    expect(await violations(page)).toEqual([]);
    await shown.getByRole('button', { name: 'Done' }).click();
    expect(await page.getByText(secret).count()).toBe(0);
    const shop = keys.getByRole('listitem').filter({ hasText: 'shop' });
    await shop.getByText('write: items').waitFor();
    const own = keys.getByRole('listitem').filter({ hasText: 'this one' });
    expect(await own.locator('b').allTextContents()).toEqual(['key-admin']);

    await page.getByRole('button', { name: 'Revoke shop' }).click();
    const question = page.getByRole('dialog', { name: 'Revoke shop?' });
    await question.getByRole('button', { name: 'Keep it' }).press('Enter');
    await question.waitFor({ state: 'detached' });
    expect(await me(secret)).toMatchObject({ name: 'shop' });
    await page.getByRole('button', { name: 'Revoke shop' }).click();
    await question.getByRole('button', { name: 'Revoke the key' }).press('Enter');
    await shop.waitFor({ state: 'detached' });
    expect(await me(secret)).toMatchObject({ status: 401 });
    await page.getByText('1 revoked or expired').click();
    await page.getByRole('list', { name: 'Revoked and expired keys' }).getByText('shop').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a key that reads sees why it may not', async () => {
    const key = await keyFor(locked, 'read');
    const { page, complaints, close } = await openConsole(browser, locked.url, path, { key });
    const why = 'The key key-read has the scope read. This needs the scope admin.';
    await page.getByText(`Keys are not shown. ${why}`).waitFor();
    const make = page.getByRole('button', { name: 'New key' });
    expect(await make.getAttribute('aria-disabled')).toBe('true');
    await make.press('Enter');
    await page.getByRole('status').getByText(why).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  // Its server is in memory.
  if (engine === 'sqlite')
    test('where reading needs a key, one for some collections sees only their records and changes', async () => {
      const server = await startServer({ access: { auth: 'all' } });
      const key = await keyFor(server, 'admin');
      const { page, complaints, close } = await openConsole(browser, server.url, path, { key });
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByLabel('Only these').check();
      await page.getByText('It sees the records and the changes of these only').waitFor();
      expect(complaints).toEqual([]);
      await close();
      await server.stop();
    });

  // Its server is in memory.
  if (engine === 'sqlite')
    test('without --auth it says why there are none, and what to do', async () => {
      const server = await startServer();
      const { page, complaints, close } = await openConsole(browser, server.url, path);
      await page.getByText('it asks for no keys, so it does not administer them').waitFor();
      await page.getByText('shelf keys create --name admin --scope admin').waitFor();
      expect(await violations(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await close();
      await server.stop();
    });
});
