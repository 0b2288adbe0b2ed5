/** The start page, and stored text in every page, in a real browser. test/openapi/docs-pages.test.ts visits Swagger UI and Redoc. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { items } from '../../src/collections/items.ts';
import { browserPath, launch, type Watched, watch } from '../support/pages/browser.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

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
      await page.waitForURL(`${server.url}/docs`, { waitUntil: 'commit' });
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

  test('Swagger UI has the collection, and with --auth asks for a key and sends it', async () => {
    // One, because each operation takes long to render.
    const guarded = await startServer({ collections: [items], access: { auth: 'all' } });
    const grant = { kind: 'create', name: 'docs', scope: 'read', collections: undefined, lastsMs: undefined } as const;
    const [key = ''] = (await runKeys(guarded.store.admin.apiKeys, grant, new Date(), [items])).output.split('\n');
    const { page, foreign } = await watch(browser, guarded.url);
    await page.goto(`${guarded.url}/docs`);
    await page.waitForSelector('.opblock');
    const listed = await page.$$eval('.opblock-summary-path', (paths) => paths.map(({ textContent }) => textContent));
    const plain = listed.map((path) => path?.replaceAll('\u200b', ''));
    expect(plain).toEqual(expect.arrayContaining(['/api/items', '/api/items/{item_id}', '/api/v2/items/{id}']));
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

  test.each(['/api/items', '/api/items/666', '/api/v2/items'])(
    'markup in %s that is opened as a page is text',
    (path) =>
      visit(path, async ({ page }) => {
        expect(await page.innerText('body')).toContain('onerror');
        expect(await page.$$('img')).toEqual([]);
      }),
  );

  test('markup in the address of a page that does not exist is text', async () => {
    const { page, foreign } = await watch(browser, server.url);
    await page.goto(`${server.url}/${encodeURIComponent(attack)}`);
    expect(await page.$$('img')).toEqual([]);
    expect(await page.title()).not.toBe('pwned');
    expect(foreign).toEqual([]);
    await page.close();
  });
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
