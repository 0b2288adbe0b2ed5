/** The pages as a user sees them, in a real browser. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { runKeys } from '../src/cli/keys.ts';
import { collections } from '../src/collections/registry.ts';
import { browserPath, launch, type Watched, watch } from './browser.ts';
import { startServer, type TestServer } from './server.ts';

const attack = '<img src=x onerror="document.title=\'pwned\';alert(1)">';

describe.skipIf(browserPath === undefined)('in Chromium', () => {
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    browser = await launch();
    const body = JSON.stringify({ id: 666, name: attack, price: 1 });
    expect((await fetch(`${server.url}/api/items`, { method: 'POST', body })).status).toBe(201);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function visit(path: string, look: (watched: Watched) => Promise<void>): Promise<void> {
    const watched = await watch(browser, server.url);
    try {
      await watched.page.goto(server.url + path);
      await look(watched);
      expect(watched.foreign).toEqual([]);
      expect(watched.complaints).toEqual([]);
      expect(await watched.page.title()).not.toBe('pwned');
    } finally {
      await watched.page.close();
    }
  }

  test('the start page shows the collections and a curl command, and links to the documentation', () =>
    visit('/', async ({ page }) => {
      const text = await page.innerText('main');
      const lines = [`curl ${server.url}/api/v2/items -d`, `curl ${server.url}/api/items -d`];
      for (const part of ['Shelf', 'items', 'users', ...lines]) expect(text).toContain(part);
      expect(await page.innerText('.card:has(a[href="/api/items"]):has(a[href="/api/v2/items"]) .count')).toBe('2');
      await page.click('a[href="/docs"]');
      await page.waitForSelector('.opblock');
      expect(page.url()).toBe(`${server.url}/docs`);
    }));

  test('the curl commands of the start page work unchanged', () =>
    visit('/', async ({ page }) => {
      const lines = await page.locator('pre').allInnerTexts();
      expect(lines.length).toBe(2);
      for (const line of lines) {
        const [, url = '', body = ''] = /^curl (\S+) -d '(.*)'$/.exec(line) ?? [];
        const response = await fetch(url, { method: 'POST', body });
        expect(response.status).toBe(201);
        expect((await response.json()) as object).toMatchObject(JSON.parse(body));
      }
    }));

  test('Swagger UI lists every operation', () =>
    visit('/docs', async ({ page }) => {
      await page.waitForSelector('.opblock');
      const listed = await page.$$eval('.opblock', (blocks) =>
        blocks.map((block) => {
          const part = (name: string) => block.querySelector(`.opblock-summary-${name}`)?.textContent ?? '';
          return `${part('method')} ${part('path')}`.replaceAll('\u200b', '');
        }),
      );
      expect(listed).toContain('GET /api/items');
      expect(listed).toContain('POST /api/items');
      expect(listed).toContain('GET /api/items/{item_id}');
      expect(listed).toContain('DELETE /api/users/{id}');
      expect(listed).toContain('GET /healthz');
    }));

  test('"Try it out" creates an item and shows the 201', () =>
    visit('/docs', async ({ page }) => {
      await page.click('#operations-items-createItem .opblock-summary');
      const operation = page.locator('#operations-items-createItem');
      await operation.locator('textarea').fill('{"id": 4242, "name": "From the page", "price": 1.5}');
      await operation.locator('button.execute').click();
      const live = operation.locator('.live-responses-table .response');
      await live.waitFor();
      expect(await live.locator('.response-col_status').innerText()).toStartWith('201');
      expect(await live.innerText()).toContain('From the page');
      const stored = await fetch(`${server.url}/api/items/4242`);
      expect((await stored.json()) as object).toEqual({ id: 4242, name: 'From the page', price: 1.5 });
    }));

  test('with --auth, "Try it out" asks for a key and sends it', async () => {
    const guarded = await startServer({ access: { auth: 'all' } });
    const grant = { kind: 'create', name: 'docs', scope: 'read', collections: undefined, lastsMs: undefined } as const;
    const [key = ''] = (await runKeys(guarded.store.apiKeys, grant, new Date(), collections)).output.split('\n');
    const { page, foreign } = await watch(browser, guarded.url);
    await page.goto(`${guarded.url}/docs`);
    await page.click('button.authorize');
    await page.fill('.auth-container input >> nth=0', key);
    await page.click('.auth-btn-wrapper button.authorize >> nth=0');
    await page.click('.auth-btn-wrapper button.btn-done >> nth=0');
    await page.click('#operations-items-listItems .opblock-summary');
    await page.click('#operations-items-listItems button.execute');
    await page.waitForSelector('#operations-items-listItems .live-responses-table .response .response-col_status');
    expect(
      await page.innerText('#operations-items-listItems .live-responses-table .response .response-col_status'),
    ).toContain('200');
    expect(foreign).toEqual([]);
    await page.close();
    await guarded.stop();
  });

  test('a stored name that is a script is shown as text and never runs', () =>
    visit('/docs', async ({ page }) => {
      await page.click('#operations-items-listItems .opblock-summary');
      const operation = page.locator('#operations-items-listItems');
      await operation.locator('button.execute').click();
      await operation.locator('.live-responses-table .response').waitFor();
      expect(await operation.innerText()).toContain('onerror');
      expect(await page.$$('img[src="x"]')).toEqual([]);
    }));

  test('markup in a list that is opened as a page is shown as text', () =>
    visit('/api/items', async ({ page }) => {
      expect(await page.innerText('body')).toContain('onerror');
      expect(await page.$$('img')).toEqual([]);
    }));

  test('Redoc lists every operation', () =>
    visit('/redoc', async ({ page }) => {
      // Redoc renders the lower parts only when they are scrolled to.
      for (const path of ['/api/items/{item_id}', '/api/users/{id}']) {
        await page.getByText(path, { exact: true }).first().waitFor({ state: 'attached' });
      }
      await page.getByText('Show', { exact: false }).first().click();
      await page.getByText('Add one item at the end of the collection').first().waitFor();
      for (const [group, path] of [
        ['v2 users', '/api/v2/users/{id}'],
        ['v1', '/api/v1/users'],
        ['service', '/api/v2/figures'],
      ] as const) {
        await page.getByText(group, { exact: true }).first().click();
        await page.getByText(path, { exact: true }).first().waitFor({ state: 'attached' });
      }
    }));
});

describe('the Content-Security-Policy of every page', () => {
  test.each(['/', '/docs', '/redoc'])('%s allows no other host and no inline script', async (path) => {
    const server = await startServer();
    const { headers } = await fetch(server.url + path, { headers: { Accept: 'text/html' } });
    const policy = headers.get('Content-Security-Policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/https?:|\*/);
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    await server.stop();
  });

  test.each(['a$(id)b', "a'b", 'a&b', 'a"><script>alert(1)</script>'])('a Host of %s is not repeated', async (host) => {
    // Every Host is served, as behind a proxy.
    const server = await startServer({ access: { trustedProxy: { value: [] } } });
    const html = await (await fetch(server.url, { headers: { Accept: 'text/html', Host: host } })).text();
    expect(html).toContain(host.includes('<') ? 'its Host is not a name or an address' : '<title>Shelf</title>');
    expect(html).not.toContain(host);
    expect(html).not.toContain(host.slice(1));
    await server.stop();
  });
});
