/** Pages from other origins, in a real browser. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { runKeys } from '../../src/cli/commands/keys.ts';
import { collections } from '../../src/collections/registry.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

/** Uses the API from a page, and returns the parts of the answers that the page can read. */
async function use(url: string, key: string) {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  try {
    const made = await fetch(`${url}/api/v2/items`, {
      method: 'POST',
      headers,
      body: '{"name":"from afar","price":1}',
    });
    const place = made.headers.get('Location') ?? '';
    const changed = await fetch(url + place, {
      method: 'PATCH',
      headers: { ...headers, 'If-Match': made.headers.get('ETag') ?? '' },
      body: '{"price":2}',
    });
    const missing = await fetch(`${url}/api/items/404`, { headers });
    return {
      made: made.status,
      changed: changed.status,
      missing: missing.status,
      limit: made.headers.get('RateLimit'),
    };
  } catch (error) {
    return String(error);
  }
}

describe.skipIf(browserPath === undefined)('in Chromium', () => {
  let browser: Browser;
  let here: Bun.Server<undefined>;
  let page: Page;
  const servers: TestServer[] = [];
  beforeAll(async () => {
    const html = { headers: { 'Content-Type': 'text/html' } };
    here = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('<title>elsewhere</title>', html) });
    browser = await launch();
    page = await browser.newPage();
    await page.goto(here.url.origin);
  });
  afterAll(async () => {
    await browser?.close();
    await here.stop(true);
    for (const server of servers) await server.stop();
  });

  async function serve(origins: readonly string[] | undefined): Promise<{ url: string; key: string }> {
    const rateLimit = { value: { count: 1000, seconds: 1 } };
    const server = await startServer({ access: { auth: 'all', cors: { value: origins }, rateLimit } });
    servers.push(server);
    const grant = { kind: 'create', name: 'page', scope: 'write', collections: undefined, lastsMs: undefined } as const;
    const key = (await runKeys(server.store.admin.apiKeys, grant, new Date(), collections)).output.trimEnd();
    return { url: server.url, key };
  }
  const run = ({ url, key }: { url: string; key: string }) =>
    page.evaluate(`(${use})(${JSON.stringify(url)}, ${JSON.stringify(key)})`);

  test.each([
    ['the origin is named', () => ['https://other.example.com', here.url.origin]],
    ['every origin is allowed', () => ['*']],
  ])('a page can use the API if %s', async (_, origins) => {
    expect(await run(await serve(origins()))).toEqual({
      made: 201,
      changed: 200,
      missing: 404,
      limit: expect.stringContaining('"default";r='),
    });
  });

  test.each([
    ['no origin is named', () => undefined],
    ['only another origin is named', () => ['https://other.example.com']],
  ])('a page cannot use the API if %s', async (_, origins) => {
    expect(await run(await serve(origins()))).toBe('TypeError: Failed to fetch');
  });

  test('a page receives the live feed with EventSource', async () => {
    const server = await startServer({ access: { cors: { value: [here.url.origin] } } });
    servers.push(server);
    await page.evaluate(`
      window.heard = [];
      window.source = new EventSource(${JSON.stringify(`${server.url}/api/v2/events`)});
      window.source.addEventListener('item.created', (event) => heard.push(event.lastEventId));
      new Promise((resolve) => window.source.addEventListener('open', resolve));`);
    for (let n = 0; n < 3; n++) {
      await fetch(`${server.url}/api/v2/items`, { method: 'POST', body: '{"name":"x","price":1}' });
    }
    await page.waitForFunction('heard.length === 3');
    expect(await page.evaluate('heard')).toEqual(['3', '4', '5']);
    await page.evaluate('source.close()');
  });
});
