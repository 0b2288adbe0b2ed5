/** Attacks by web pages on a server on the user's machine: DNS rebinding, and writes from other origins. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import type { Options } from '../../src/cli/serve/serve.ts';
import { parseHosts } from '../../src/cli/settings/values.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { type ServerOptions, startServer, type TestServer } from '../support/servers/server.ts';

const servers: TestServer[] = [];
async function serve(options: ServerOptions = {}): Promise<TestServer> {
  const server = await startServer(options);
  servers.push(server);
  return server;
}
afterAll(async () => {
  for (const server of servers) await server.stop();
});

const ask = async (url: string, headers: Record<string, string>, method = 'GET', path = '/api/v2/items') => {
  const body = method === 'POST' ? { body: '{"name":"x","price":1}' } : {};
  const answer = await fetch(url + path, { method, headers, ...body });
  return { status: answer.status, text: await answer.text() };
};

describe('the Host', () => {
  const foreign = [
    'evil.example',
    'evil.example:8000',
    '192.168.1.5',
    '0.0.0.0',
    '[::2]',
    '127.0.0.1.nip.io',
    'localhost.evil',
  ];
  const ours = [
    'localhost',
    'LOCALHOST:1',
    'localhost.',
    'a.localhost',
    '127.0.0.1',
    '127.9.9.9:80',
    '[::1]:8000',
    '[::ffff:7f00:1]',
  ];

  test('of another name is refused on loopback, for every method and path', async () => {
    const { url } = await serve();
    for (const host of foreign) {
      for (const [method, path] of [
        ['GET', '/api/v2/items'],
        ['POST', '/api/v2/items'],
        ['OPTIONS', '/api/v2/items'],
        ['GET', '/api/items/1'],
        ['GET', '/docs'],
        ['GET', '/nothing'],
      ] as const) {
        expect({ host, path, ...(await ask(url, { Host: host }, method, path)) }).toMatchObject({
          host,
          path,
          status: 403,
        });
      }
    }
    expect((await ask(url, { Host: 'evil.example:80' }, 'GET', '/api/items')).text).toBe(
      '{"detail":"The host \\"evil.example:80\\" is not served: use localhost, or start Shelf with --allowed-hosts evil.example."}',
    );
    expect((await ask(url, { Host: 'evil.example' })).text).toContain('"type":"/problems/host-not-allowed"');
    for (const host of ours) expect({ host, ...(await ask(url, { Host: host })) }).toMatchObject({ host, status: 200 });
  });

  test('counts towards the rate limit when it is refused', async () => {
    const { url } = await serve({ access: { rateLimit: { value: { count: 2, seconds: 3600 } } } });
    const statuses = [1, 2, 3].map(async () => (await ask(url, { Host: 'evil.example' })).status);
    expect((await Promise.all(statuses)).sort()).toEqual([403, 403, 429]);
  });

  test.each([
    ['--auth all', { access: { auth: 'all' } }, 401],
    ['--trusted-proxy', { access: { trustedProxy: { value: [] } } }, 200],
    ['another address', { server: { host: '0.0.0.0' } }, 200],
    ['--auth write', { access: { auth: 'write' } }, 403],
    ['--allowed-hosts for another name', { access: { allowedHosts: { value: ['good.example'] } } }, 403],
    [
      '--allowed-hosts and another address',
      { server: { host: '0.0.0.0' }, access: { allowedHosts: { value: ['good.example'] } } },
      403,
    ],
    ['--allowed-hosts for it', { access: { allowedHosts: { value: ['good.example', 'Evil.example'] } } }, 200],
  ] as const)('of another name under %s', async (_, options, status) => {
    const { url } = await serve(options);
    expect((await ask(url.replace('0.0.0.0', '127.0.0.1'), { Host: 'evil.example:8000' })).status).toBe(status);
  });

  test('is allowed by name, without a port or a wildcard', () => {
    expect(parseHosts('a.example,10.0.0.1,::1,[::2]')).toEqual(['a.example', '10.0.0.1', '[::1]', '[::2]']);
    for (const wrong of ['', 'a,', 'a:80', '*.example.com', 'http://a', 'a b', '[::x]'])
      expect(parseHosts(wrong)).toBeUndefined();
  });
});

describe('a write', () => {
  test.each([
    ['of no browser', {}, 201],
    ['of the same origin', { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://behind.a.proxy' }, 201],
    ['that the user has typed', { 'Sec-Fetch-Site': 'none' }, 201],
    ['of the same site', { 'Sec-Fetch-Site': 'same-site', Origin: 'http://other.localhost' }, 403],
    ['of another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }, 403],
    ['of another site without an Origin', { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['with two answers', { 'Sec-Fetch-Site': 'same-origin, cross-site' }, 403],
    ['of another origin', { Origin: 'https://evil.example' }, 403],
    ['of no origin', { Origin: 'null' }, 403],
    ['of another port', { Origin: 'http://localhost:1', Host: 'localhost:2' }, 403],
    ['of the same host', { Origin: 'http://localhost:2', Host: 'localhost:2' }, 201],
    ['of the same host through TLS', { Origin: 'https://localhost', Host: 'localhost' }, 201],
    ['of an origin in --cors', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://app.example' }, 201],
    ['of an origin in --cors, from an old browser', { Origin: 'https://app.example' }, 201],
  ] as const)('%s', async (_, headers, status) => {
    const { url } = await serve({ access: { cors: { value: ['https://app.example'] } } });
    const { status: got, text } = await ask(url, headers, 'POST');
    expect({ got, refused: text.includes('/problems/cross-origin') }).toEqual({ got: status, refused: status === 403 });
    expect((await ask(url, headers)).status).toBe(200);
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      expect((await ask(url, headers, method, '/api/v2/items/1')).status === 403).toBe(status === 403);
    }
  });

  test('of any origin with --cors *', async () => {
    const { url } = await serve({ access: { cors: { value: ['*'] } } });
    expect((await ask(url, { 'Sec-Fetch-Site': 'cross-site', Origin: 'null' }, 'POST')).status).toBe(201);
  });
});

describe.skipIf(browserPath === undefined)('in Chromium', () => {
  const evil = 'rebound.example';
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch(evil);
  });
  afterAll(() => browser?.close());

  /** A page of a host name that the attacker has pointed to this machine; its document is the server's answer. */
  async function rebound(url: string): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(`${url.replace('127.0.0.1', evil)}/healthz`);
    expect(await page.evaluate('location.hostname')).toBe(evil);
    return page;
  }

  const steal = `fetch('/api/items').then(async (answer) => ({ status: answer.status, text: await answer.text() }))`;
  const change = `fetch('/api/items', { method: 'POST', body: '{"id":66,"name":"evil","price":1}' }).then(({ status }) => status)`;

  test('a page that uses DNS rebinding can neither read nor write', async () => {
    const server = await serve();
    const page = await rebound(server.url);
    const { status, text } = (await page.evaluate(steal)) as { status: number; text: string };
    expect(status).toBe(403);
    expect(text).not.toContain('Widget');
    expect(await page.evaluate(change)).toBe(403);
    expect(await (await fetch(`${server.url}/api/items`)).text()).not.toContain('evil');
    await page.close();

    // Only the Host check stops it: with an allowed Host the same page can read and write.
    const open = await serve({ access: { allowedHosts: { value: [evil] } } });
    const allowed = await rebound(open.url);
    expect(await allowed.evaluate(steal)).toMatchObject({ status: 200, text: expect.stringContaining('Widget') });
    expect(await allowed.evaluate(change)).toBe(201);
    await allowed.close();
  });

  /** The ways in which a page can write without a preflight request. */
  const simple = (url: string) => `Promise.allSettled([
    fetch('${url}/api/items', { method: 'POST', mode: 'no-cors', body: '{"id":66,"name":"evil fetch","price":1}' }),
    new Promise((done) => {
      const form = document.createElement('form');
      form.method = 'POST';
      form.enctype = 'text/plain';
      form.action = '${url}/api/items';
      form.target = 'hidden';
      const field = document.createElement('input');
      field.name = '{"id":66,"price":1,"name":"evil form';
      field.value = '"}';
      form.append(field);
      const frame = document.createElement('iframe');
      frame.name = 'hidden';
      document.body.append(frame, form);
      frame.onload = done;
      form.submit();
    }),
  ]).then(() => navigator.sendBeacon('${url}/api/items', '{"id":66,"name":"evil beacon","price":1}'))`;

  test('a page of another origin cannot write, by fetch, form or beacon', async () => {
    const entries: string[] = [];
    let settled = () => {};
    const three = new Promise<void>((resolve) => {
      settled = resolve;
    });
    const logTo: Options['logTo'] = (entry) => {
      if (entry.event !== 'request' || entry.method !== 'POST') return;
      entries.push(`${entry.method} ${entry.status}`);
      if (entries.length === 3) settled();
    };
    const target = await serve({ logTo });
    // Another port of this machine is another origin of the same site.
    const other = await serve();
    const page = await browser.newPage();
    await page.goto(`${other.url}/api/items`);
    await page.evaluate(simple(target.url));
    await three;
    expect(entries).toEqual(['POST 403', 'POST 403', 'POST 403']);
    expect(await (await fetch(`${target.url}/api/items`)).text()).not.toContain('evil');
    await page.close();
  });

  test('a page of an origin in --cors can write', async () => {
    const server = await serve();
    const page = await browser.newPage();
    await page.goto(`${server.url}/api/items`);
    const shared = await serve({ access: { cors: { value: [new URL(server.url).origin] } } });
    expect(await page.evaluate(change.replace('/api/items', `${shared.url}/api/items`))).toBe(201);
    await page.close();
  });
});
