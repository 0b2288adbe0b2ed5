/** The frame of the console: how it is served, signing in, and accessibility. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { consoleRoutes } from '../../src/http/site/console.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { keyFor, openConsole, violationsOn } from '../support/pages/console-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

describe('served', () => {
  test('with a policy that allows nothing inline and no other host', async () => {
    const server = await startServer();
    const response = await fetch(`${server.url}/console/items?price[gte]=1`);
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    const text = await response.text();
    expect(text).not.toMatch(/<style|<script>|style=|onload/);
    expect(await (await fetch(`${server.url}/`, { headers: { Accept: 'text/html' } })).text()).toContain('/console');
    await server.stop();
  });

  test('with a frame that is there before the script, or says that it needs one', async () => {
    const server = await startServer();
    const text = await (await fetch(`${server.url}/console`)).text();
    expect(text).toMatch(/<div id="console"><div class="frame">.*Shelf.*<noscript>The console needs JavaScript/s);
    await server.stop();
  });

  test('compressed, in less than 120 KB; what few screens need is loaded with them', async () => {
    const server = await startServer();
    const text = await (await fetch(`${server.url}/console`)).text();
    const scripts = [...text.matchAll(/(?:src|modulepreload" href)="([^"]+\.js)"/g)].map(([, path]) => path ?? '');
    expect(scripts.length).toBeGreaterThan(1);
    let bytes = 0;
    let sources = '';
    for (const path of scripts) {
      const sent = await fetch(server.url + path, { headers: { 'Accept-Encoding': 'zstd' }, decompress: false });
      expect(sent.headers.get('content-encoding')).toBe('zstd');
      bytes += (await sent.arrayBuffer()).byteLength;
      sources += await (await fetch(server.url + path)).text();
    }
    expect(bytes).toBeLessThan(120_000);
    const [, screen = ''] = /import\("\.\/(parts\/screen-\w+\.js)"\)/.exec(sources) ?? [];
    expect(sources).not.toContain('What this will do');
    expect(await (await fetch(`${server.url}/console/-/${screen}`)).text()).toContain('What this will do');
    // Making a format takes longer than drawing the first screen.
    expect(sources).not.toContain('new Intl.');
    const [, plots = ''] = /import\("\.\/(parts\/uPlot[\w.-]+\.js)"\)/.exec(sources) ?? [];
    expect(await (await fetch(`${server.url}/console/-/${plots}`)).text()).toContain('new Intl.NumberFormat');
    expect((await fetch(`${server.url}/console/-/parts/screen-of-an-older-version.js`)).status).toBe(404);
    await server.stop();
  });

  test('not at all with --console off', async () => {
    const server = await startServer({ server: { console: false } });
    for (const path of ['/console', '/console/items', '/console/-/console.js'])
      expect((await fetch(server.url + path)).status).toBe(404);
    expect(await (await fetch(`${server.url}/`, { headers: { Accept: 'text/html' } })).text()).not.toContain(
      '/console',
    );
    await server.stop();
  });

  test('by one build. A failed one is the failure of the requests that wait for it, and the next request builds again', async () => {
    let builds = 0;
    const routes = consoleRoutes(undefined, async () => {
      if (++builds === 1) throw new Error('Cannot bundle the console: x');
      return { script: '', oauth: '', style: '', parts: { 'screen.js': '' } };
    });
    const call = { request: {}, argument: 'screen.js' } as never;
    const handled = () => Promise.allSettled(routes.map((route) => Promise.try(route.handle, call)));
    for (const outcome of await handled())
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'Cannot bundle the console: x' } });
    expect(builds).toBe(1);
    for (let n = 0; n < 2; n++)
      for (const outcome of await handled())
        expect(outcome).toMatchObject({ status: 'fulfilled', value: { status: 200 } });
    expect(builds).toBe(2);
  });
});

describe.skipIf(browserPath === undefined).each(migratedEngines())('in Chromium, %s', (engine, newUrl) => {
  const violations = violationsOn(engine);
  let browser: Browser;
  let open: TestServer;
  let locked: TestServer;
  let key: string;
  beforeAll(async () => {
    [browser, open, locked] = await Promise.all([
      launch(),
      startServer({ database: await newUrl() }),
      startServer({ database: await newUrl(), access: { auth: 'all' } }),
    ]);
    key = await keyFor(locked, 'read');
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([open, locked].map((server) => server?.stop()));
  });

  test('without --auth it opens at once, and links load no page', async () => {
    const { page, complaints, close } = await openConsole(browser, open.url, '/console');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.evaluate('window.stays = true');
    await page.getByRole('navigation').getByRole('link', { name: 'items' }).click();
    expect(new URL(page.url()).pathname).toBe('/console/items');
    await page.goBack();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(await page.evaluate('window.stays')).toBe(true);
    expect(complaints).toEqual([]);
    await close();
  });

  test('its requests use neither the cache of the browser nor its cookies', async () => {
    const { page, close } = await openConsole(browser, open.url, '/console');
    await page.context().addCookies([{ name: 'other', value: 'program', url: open.url }]);
    const asked = page.waitForRequest((request) => request.url().includes('/api/v2/items'));
    await page.getByRole('navigation').getByRole('link', { name: 'items' }).click();
    const headers = await (await asked).allHeaders();
    expect([headers['cache-control'], headers.cookie]).toEqual(['no-cache', undefined]);
    await close();
  });

  test('home has the counts, the writes of the last hour, and commands', async () => {
    const { page, complaints, close } = await openConsole(browser, open.url, '/console');
    const items = page.getByRole('listitem').filter({ hasText: 'name, price' });
    await items.getByText('1', { exact: true }).waitFor();
    await page.getByText('The service is ready.').waitFor();
    await page.getByRole('img', { name: /^Writes in each minute of the last hour, \d+ in all/ }).waitFor();
    const latency = page.getByText('99% of answers within').locator('..').getByRole('link', { name: 'Health' });
    expect(await latency.getAttribute('href')).toBe('/console/-/health');
    await page.getByText(`curl ${open.url}/api/v2/items -d '{"name":"...","price":1.5}'`).waitFor();
    await page.getByRole('heading', { name: 'Add a record to items' }).waitFor();
    await page.getByText('shelf init').waitFor();
    await page.getByRole('button', { name: 'As code' }).click();
    const code = page.getByRole('dialog');
    await code.getByText(`curl '${open.url}/api/v2/users?count=exact&limit=1&fields=id'`).waitFor();
    await code.getByText("console.log('users', await shelf.users.count());").waitFor();
    await page.keyboard.press('Escape');
    await code.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  test('with --docs admin it asks for a key, and links to no documentation', async () => {
    const hidden = await startServer({
      database: await newUrl(),
      server: { docs: 'admin' },
      access: { auth: 'write' },
    });
    const { page, complaints, close } = await openConsole(browser, hidden.url, '/console');
    const field = page.getByLabel('API key or token');
    await field.waitFor();
    expect(await page.getByRole('button', { name: 'Go on without a key' }).count()).toBe(0);
    expect(await page.getByText('not valid').count()).toBe(0);
    await field.fill(await keyFor(hidden, 'read'));
    await page.keyboard.press('Enter');
    await page.getByText('Key key-read, scope read').waitFor();
    expect(await page.getByRole('link', { name: 'Documentation' }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
    await hidden.stop();
  });

  test('with --auth all it asks for a key, keeps it in the tab, and forgets it', async () => {
    const { page, complaints, close } = await openConsole(browser, locked.url, '/console');
    const field = page.getByLabel('API key or token');
    for (const wrong of ['shelf_wrong', 'no key at all']) {
      await field.fill(wrong);
      await page.keyboard.press('Enter');
      await page.getByText('This key is not valid').waitFor();
      expect(await page.getByRole('button', { name: 'Go on without a key' }).count()).toBe(0);
      await page.reload();
    }
    await field.fill(key);
    await page.keyboard.press('Enter');
    await page.getByText('Key key-read, scope read').waitFor();
    await page.getByText('The figures of the last hour are not shown. The key key-read has the scope read').waitFor();
    expect(await page.evaluate('localStorage.length')).toBe(0);
    await page.reload();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await field.waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test('an address that cannot be decoded is not found', async () => {
    const { page, complaints, close } = await openConsole(browser, open.url, '/console/%ff');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.getByRole('link', { name: 'Home' }).first().click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('nothing is shown before both answers, and no answer waits for the other', async () => {
    const { page, close } = await openConsole(browser, open.url, '/console');
    const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
    await page.route('**/api/v2/me', async (route) => {
      await allowed;
      await route.continue();
    });
    const collections = page.waitForResponse('**/api/v2');
    await page.reload({ waitUntil: 'commit' });
    await collections;
    await page.locator('main[aria-busy]').waitFor();
    expect(await page.getByRole('heading').count()).toBe(0);
    allow();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(await page.locator('main').count()).toBe(1);
    await close();
  });

  test('what a screen asks for again and again is not asked for while it waits for an answer', async () => {
    const { page, close } = await openConsole(browser, open.url, '/console');
    // This page has asked, before the next one is counted.
    await page.getByText('The service is ready.').waitFor();
    await page.clock.install();
    let asked = 0;
    const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
    await page.route('**/readyz', async (route) => {
      asked++;
      await allowed;
      await route.continue();
    });
    await page.reload();
    await page.getByRole('listitem').filter({ hasText: 'name, price' }).getByText('1', { exact: true }).waitFor();
    for (let n = 0; n < 3; n++) {
      const others = page.waitForResponse('**/api/v2/items?count=exact**');
      await page.clock.runFor(60_000);
      await others;
    }
    expect(asked).toBe(1);
    allow();
    await page.getByText('The service is ready.').waitFor();
    await close();
  });

  test('a server that has stopped is reported, and tried again', async () => {
    const { page, close } = await openConsole(browser, open.url, '/console');
    await page.route('**/api/v2/me', (route) => route.abort());
    await page.reload();
    await page.getByText('The server does not answer').waitFor();
    await page.unroute('**/api/v2/me');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await close();
  });

  test('every screen shows the data', async () => {
    const server = await startServer({ database: await newUrl(), access: { auth: 'all' } });
    const admin = await keyFor(server, 'admin');
    const { page, complaints, close } = await openConsole(browser, server.url, '/console', { key: admin });
    const screen = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
    await page.getByText('The service is ready.').waitFor();
    await screen('items');
    await page.getByRole('grid').getByText('Widget').click();
    expect(await page.getByRole('complementary').getByLabel('name', { exact: true }).inputValue()).toBe('Widget');
    await screen('Keys');
    await page.getByRole('main').getByText('key-admin').first().waitFor();
    await screen('Health');
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    await screen('Live');
    await page.getByRole('heading', { name: 'Live' }).waitFor();
    await screen('Import');
    await page.getByRole('heading', { name: 'Import' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
    await server.stop();
  });

  if (engine === 'sqlite')
    describe('axe-core finds no violation, light and dark, wide and narrow', () => {
      test.each([
        ['home', () => open, '/console', 'Home'],
        ['sign-in', () => locked, '/console', 'Sign in to Shelf'],
        ['missing', () => open, '/console/nothing', 'Not found'],
      ] as const)('%s', async (_, server, path, heading) => {
        const { page, close } = await openConsole(browser, server().url, path);
        await page.getByRole('heading', { name: heading }).waitFor();
        expect(await violations(page)).toEqual([]);
        await close();
      });
    });
});
