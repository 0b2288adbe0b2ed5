/** The console's live feed, in Chromium, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { collections } from '../../src/collections/registry.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { keyFor, openConsole, violationsOn } from '../support/pages/console-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const path = '/console/-/live';

describe.skipIf(browserPath === undefined).each(migratedEngines())('live, %s', (engine, newUrl) => {
  const violations = violationsOn(engine);
  let browser: Browser;
  let server: TestServer;
  let writer: string;
  beforeAll(async () => {
    const started = startServer({ database: await newUrl(), access: { auth: 'write' } });
    [browser, server] = await Promise.all([launch(), started]);
    writer = await keyFor(server, 'write');
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function send(method: string, at: string, body = ''): Promise<number> {
    const headers = { Authorization: `Bearer ${writer}`, 'Content-Type': 'application/json' };
    const response = await fetch(`${server.url}/api/v2/${at}`, { method, headers, ...(body === '' ? {} : { body }) });
    if (!response.ok) throw new Error(await response.text());
    return method === 'POST' ? ((await response.json()) as { id: number }).id : 0;
  }

  test('changes appear with who made them, and can be filtered and paused with the keyboard', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, path);
    const changes = page.getByRole('list', { name: 'Changes, the newest first' }).getByRole('listitem');
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await page.getByText('The next change appears here').waitFor();
    expect(await violations(page)).toEqual([]);

    const id = await send(
      'POST',
      'items',
      '{"external_id":9007199254740993,"name":"<img src=x onerror=alert(1)>","price":-0}',
    );
    await send('PATCH', `items/${id}`, '{"price":0.1}');
    const user = await send('POST', 'users', '{"name":"Grace"}');
    await send('DELETE', `items/${id}`);
    await changes.filter({ hasText: 'deleted' }).waitFor();
    expect(
      await changes.evaluateAll((all) =>
        all.map((one) => one.textContent?.replace(/^\d{4}-\S+ \d\d:\d\d:\d\d(\.\d{3})?/, '')),
      ),
    ).toEqual([
      `deleteditem ${id}by key-writeexternal_id 9007199254740993name <img src=x onerror=alert(1)>price 0.1`,
      `createduser ${user}by key-writeexternal_id ${user}name Grace`,
      // What it was, and what it is.
      `updateditem ${id}by key-writeprice -0 \u2192 0.1`,
      `createditem ${id}by key-writeexternal_id 9007199254740993name <img src=x onerror=alert(1)>price -0`,
    ]);
    expect(
      new URL((await page.getByRole('link', { name: `user ${user}` }).getAttribute('href')) ?? '', server.url).pathname,
    ).toBe(`/console/users/${user}`);
    expect(await violations(page)).toEqual([]);

    await page.getByRole('checkbox', { name: 'deleted' }).press('Space');
    await page.getByLabel('Collection').selectOption('users');
    expect(new URL(page.url()).search).toBe('?collection=users&type=created,updated');
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await send('POST', 'items', '{"name":"n","price":1}');
    await send('DELETE', `users/${user}`);
    const ada = await send('POST', 'users', '{"name":"Ada"}');
    await changes.filter({ hasText: 'Ada' }).waitFor();
    expect(await changes.count()).toBe(1);

    await page.getByRole('button', { name: 'Pause' }).press('Enter');
    await send('PATCH', `users/${ada}`, '{"name":"Ada L."}');
    await page.getByText('1 change since you came; 1 more wait').waitFor();
    expect(await changes.count()).toBe(1);
    await page.getByRole('button', { name: 'Go on' }).press('Enter');
    await changes.filter({ hasText: 'Ada L.' }).waitFor();

    await page.getByRole('button', { name: 'As code' }).click();
    await page.getByText(`curl -N '${server.url}/api/v2/events?collection=users' | grep -A 1 -E`).waitFor();
    await page.getByText("if (change.type === 'user.created' || change.type === 'user.updated')").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('however many changes arrive, the newest are shown', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, `${path}?collection=items`);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    const lines = Array.from({ length: 500 }, (_, n) => `{"name":"item ${n}","price":1}`).join('\n');
    const headers = { Authorization: `Bearer ${writer}`, 'Content-Type': 'application/x-ndjson' };
    await (await fetch(`${server.url}/api/v2/items/bulk`, { method: 'POST', headers, body: lines })).text();
    await page.getByText('500 changes since you came, the newest 200 are shown').waitFor();
    const changes = page.getByRole('list', { name: 'Changes, the newest first' }).getByRole('listitem');
    expect(await changes.count()).toBe(200);
    expect(await changes.first().textContent()).toContain('item 499');
    expect(complaints).toEqual([]);
    await close();
  });

  test('a hidden page rests, also when the network comes back, and misses nothing', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, path);
    const isHidden = (value: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${value}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    let connections = 0;
    page.on('request', (request) => {
      if (request.url().includes('/api/v2/events')) connections++;
    });
    await isHidden(true);
    await page.evaluate(`dispatchEvent(new Event('offline'))`);
    await page.getByRole('status').getByText('Paused while the page is hidden').waitFor();
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await send('POST', 'users', '{"name":"Unseen"}');
    await page.getByRole('status').getByText('Paused while the page is hidden').waitFor();
    expect(connections).toBe(0);
    await isHidden(false);
    await page.getByRole('listitem').filter({ hasText: 'Unseen' }).waitFor();
    expect(connections).toBe(1);
    expect(complaints).toEqual([]);
    await close();
  });

  // Its server is in memory.
  if (engine === 'sqlite')
    test('a key of one collection follows that one', async () => {
      const order = {
        kind: 'create',
        name: 'users-only',
        scope: 'read',
        collections: ['users'],
        lastsMs: undefined,
      } as const;
      const locked = await startServer({ access: { auth: 'all' } });
      const key = (await runKeys(locked.store.admin.apiKeys, order, new Date(), collections)).output.trimEnd();
      const { page, complaints, close } = await openConsole(browser, locked.url, path, { key });
      await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
      expect(await page.getByLabel('Collection').getByRole('option').allTextContents()).toEqual(['users']);
      expect(complaints).toEqual([]);
      await close();
      await locked.stop();
    });
});
