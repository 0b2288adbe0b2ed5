/** Roles in the console, in Chromium: keys with a role, and what a role sees. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import type { AccessDeclaration } from '../../src/domain/access/declaration.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { keyFor, openConsole, violationsOn } from '../support/pages/console-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const rules: AccessDeclaration = {
  roles: { member: { from: { claim: 'member_id' } }, visitor: { from: 'anybody' } },
  collections: {
    items: {
      member: {
        read: { where: { price: { lte: '$caller.member_id' } } },
        create: { set: { price: '$caller.member_id' } },
      },
      visitor: { read: { fields: ['name'] } },
    },
  },
};

describe.skipIf(browserPath === undefined).each(migratedEngines())('roles, %s', (engine, newUrl) => {
  const violations = violationsOn(engine);
  let browser: Browser;
  let server: TestServer;
  let admin: string;
  beforeAll(async () => {
    [browser, server] = await Promise.all([
      launch(),
      startServer({ database: await newUrl(), access: { auth: 'all' }, rules }),
    ]);
    admin = await keyFor(server, 'admin');
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const me = async (key: string) =>
    (await (await fetch(`${server.url}/api/v2/me`, { headers: { Authorization: `Bearer ${key}` } })).json()) as object;

  test('an administrator sees as a role, and makes a key with it', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/-/keys', { key: admin });
    await page.getByLabel('See as this role').selectOption('member');
    const rights = page.getByRole('region', { name: 'What the role member may do' });
    await rights.getByText('{"price":{"lte":"$caller.member_id"}}').waitFor();
    await page.getByLabel('member_id').fill('7');
    await rights.getByText('{"price":{"lte":7}}').waitFor();
    await rights.getByText('external_id, name, price=7').waitFor();
    expect(await violations(page)).toEqual([]);

    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog', { name: 'New key' });
    await dialog.getByLabel('Name').fill('app');
    await dialog.getByLabel('role member').check();
    expect(await dialog.getByText('Only these').count()).toBe(0);
    await dialog.getByLabel('member_id').fill('8');
    await dialog.getByText('{"price":{"lte":8}}').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    const shown = page.getByRole('dialog', { name: 'The key app' });
    const secret = await shown.locator('pre').first().innerText();
    expect(await me(secret.trim())).toMatchObject({ role: 'member', claims: { member_id: 8 } });
    await shown.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('list', { name: 'Active keys' }).getByText('member member_id=8').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a member is offered what the role may do, and nothing else', async () => {
    const made = await fetch(`${server.url}/api/v2/keys`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${admin}` },
      body: JSON.stringify({ name: 'ada', role: 'member', claims: { member_id: 3 } }),
    });
    const { key } = (await made.json()) as { key: string };
    const { page, complaints, close } = await openConsole(browser, server.url, '/console/items', { key });
    page.setDefaultTimeout(15_000);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(request.method());
    });
    await page.getByRole('button', { name: 'New item' }).click();
    await page.getByLabel('name', { exact: true }).fill('Lamp');
    await page.keyboard.press('Control+s');
    await page.getByText('Lamp').first().waitFor();
    expect(sent).toEqual(['POST']);
    const shown = await fetch(`${server.url}/api/v2/items?name=Lamp`, { headers: { Authorization: `Bearer ${key}` } });
    const { data } = (await shown.json()) as { data: readonly { id: number; price: number }[] };
    expect(data.map(({ price }) => price)).toEqual([3]);

    await page.goto(`${server.url}/console/items/${data[0]?.id}`);
    await page.getByLabel('name', { exact: true }).waitFor();
    await page.locator('.banner').getByText('the role member, which may not').waitFor();
    expect(await page.locator('.drawer :is(input, textarea, select):enabled').count()).toBe(0);
    const refused = await page.locator('button[aria-disabled="true"]').allInnerTexts();
    // An import is not a transaction of a role.
    for (const change of ['delete', 'update', 'import'])
      expect(refused.join()).toContain(`The key ada has the role member, which may not ${change} records of items.`);
    for (const button of await page.locator('button[aria-disabled="true"]').all()) await button.press('Enter');
    expect(sent).toEqual(['POST']);
    expect(await page.getByRole('link', { name: 'users' }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });
});
