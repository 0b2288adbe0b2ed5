/** Signing in to the console at a real OpenID issuer, in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { browserPath, launch } from '../support/pages/browser.ts';
import { keyFor, openConsole, violations } from '../support/pages/console-page.ts';
import { confirmSignOut, signInAt } from '../support/pages/issuer-forms.ts';
import { audience, consoleClient, type IssuerOptions, TestIssuer } from '../support/servers/issuers/issuer.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { type ServerOptions, startServer, type TestServer } from '../support/servers/server.ts';

type Place = { readonly issuer: TestIssuer; readonly server: TestServer; stop(): Promise<void> };

function accessOf(...issuers: readonly TestIssuer[]) {
  return {
    auth: 'all' as const,
    oidcIssuer: { value: issuers.map(({ url }) => url) },
    oidcAudience: { value: audience },
    oidcClient: { value: [consoleClient] },
  };
}

const hostOf = ({ url }: { readonly url: string }) => new URL(url).host;
const isThere = (page: Page) => page.getByText('Widget').first().waitFor();
const statusOf = async ({ url }: TestServer, authorization: string) =>
  (await fetch(`${url}/api/v2/me`, { headers: { Authorization: authorization } })).status;
const kept = (page: Page) => page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();
const failure = (page: Page, text: string | RegExp) => page.getByRole('alert').filter({ hasText: text }).waitFor();

describe('served', () => {
  const policyOf = async ({ url }: TestServer) =>
    /connect-src [^;]*/.exec((await fetch(`${url}/console/items`)).headers.get('content-security-policy') ?? '')?.[0];

  test('with a policy that allows the endpoints of the issuers, on every thread', async () => {
    const issuers = await Promise.all([TestIssuer.start(), TestIssuer.start()]);
    const server = await startServer({ server: { threads: 2 }, access: accessOf(...issuers) });
    const sources = issuers.flatMap(({ url }) => [`${url}/token`, `${url}/token/revocation`]);
    for (let n = 0; n < 8; n++) expect(await policyOf(server)).toBe(`connect-src 'self' ${sources.join(' ')}`);
    await Promise.all([server.stop(), ...issuers.map((issuer) => issuer.stop())]);
  });

  test('without --oidc-client, with no issuer', async () => {
    const issuer = await TestIssuer.start();
    const server = await startServer({ access: { ...accessOf(issuer), oidcClient: { value: undefined } } });
    expect(await policyOf(server)).toBe("connect-src 'self'");
    expect(await (await fetch(`${server.url}/console`)).text()).not.toContain('data-sign-ins');
    await Promise.all([server.stop(), issuer.stop()]);
  });

  test('with a script for it that only those load who sign in', async () => {
    const server = await startServer();
    const text = async (name: string) => (await fetch(`${server.url}/console/-/${name}.js`)).text();
    expect(await text('oauth')).toContain('code_challenge');
    expect(await text('console')).not.toContain('code_challenge');
    await server.stop();
  });
});

describe.skipIf(browserPath === undefined)('signing in', () => {
  /** A server whose people sign in at an issuer. */
  async function openPlace(issuerOptions: IssuerOptions = {}, access: ServerOptions['access'] = {}): Promise<Place> {
    const port = freePort();
    const issuer = await TestIssuer.start({ origins: [`http://127.0.0.1:${port}`], ...issuerOptions });
    const server = await startServer({ server: { port }, access: { ...accessOf(issuer), ...access } });
    return { issuer, server, stop: async () => void (await Promise.all([server.stop(), issuer.stop()])) };
  }

  let browser: Browser;
  let place: Place;
  beforeAll(async () => {
    [browser, place] = await Promise.all([launch(), openPlace()]);
  });
  afterAll(async () => {
    await browser?.close();
    await place?.stop();
  });

  /** Opens a page, and signs in as ada. Requests to the issuer are no complaints. */
  async function signedIn(at = place, path = '/console/items?price[gte]=1') {
    const opened = await openConsole(browser, at.server.url, path);
    let sent = '';
    opened.page.on('request', (request) => {
      sent = request.headers().authorization ?? sent;
    });
    await press(opened.page, `Sign in with ${hostOf(at.issuer)}`);
    await signInAt(opened.page, 'ada');
    await isThere(opened.page);
    const complaints = () =>
      opened.complaints.filter((one) => !/^foreign: (http:\/\/127\.0\.0\.1|https:\/\/fonts\.googleapis)/.test(one));
    return { ...opened, complaints, token: () => sent };
  }

  test('leads back to the page that was asked for; neither the address nor the browser keeps a token', async () => {
    const { page, complaints, close } = await openConsole(browser, place.server.url, '/console/items?price[gte]=1');
    const asked: URL[] = [];
    const keys: (string | undefined)[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/auth' || url.pathname === '/token') asked.push(url);
      if (url.pathname === '/api/v2/me') keys.push(request.headers().authorization);
    });
    await press(page, `Sign in with ${hostOf(place.issuer)}`);
    await signInAt(page, 'ada');
    await isThere(page);
    const [, { searchParams: sent }] = asked as [URL, URL];
    expect(Object.fromEntries(sent)).toMatchObject({
      client_id: consoleClient,
      redirect_uri: `${place.server.url}/console/-/signed-in`,
      response_type: 'code',
      scope: 'openid read write admin',
      code_challenge_method: 'S256',
      resource: audience,
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(sent.get(name)).toMatch(/^[\w-]{43}$/);
    expect(page.url()).toBe(`${place.server.url}/console/items?price[gte]=1`);
    const token = keys.at(-1)?.replace('Bearer ', '') ?? '';
    expect(token.split('.')).toHaveLength(3);
    const found = JSON.parse(await kept(page)) as object[];
    expect(found).toEqual([{ 'shelf.issuer': place.issuer.url }, {}]);
    await page.getByText(`ada at ${hostOf(place.issuer)}, scope admin`).waitFor();
    expect(complaints.filter((one) => !one.startsWith('foreign'))).toEqual([]);
    await close();
  });

  test('lasts: a new tab and a reload ask nothing, and each change names the person', async () => {
    const { page, complaints, close } = await signedIn();
    await page.reload();
    await isThere(page);
    expect(page.url()).toBe(`${place.server.url}/console/items?price[gte]=1`);
    const other = await page.context().newPage();
    await other.goto(`${place.server.url}/console/items/1`);
    await other.getByLabel('name', { exact: true }).fill('Widget by ada');
    await other.keyboard.press('Control+s');
    await other.getByText('Saved.').waitFor();
    await other.getByRole('tab', { name: 'History' }).click();
    await other.getByText(`oidc:ada@${place.issuer.url}`).first().waitFor();
    // The feed of the first tab has a token of its own.
    await page.getByText('Widget by ada').waitFor();
    expect(complaints()).toEqual([]);
    await close();
  });

  test('ends in all tabs, and at the issuer', async () => {
    const { page, complaints, close } = await signedIn();
    const other = await page.context().newPage();
    await other.goto(`${place.server.url}/console/items/1`);
    await isThere(other);
    const headers = { Authorization: `Bearer ${await keyFor(place.server, 'write')}` };
    const body = '{"name":"Gadget","price":1}';
    const added = await fetch(`${place.server.url}/api/v2/items`, { method: 'POST', headers, body });
    await other.getByRole('grid').getByText('Gadget').click();
    await other.getByRole('button', { name: 'Delete', exact: true }).click();
    await other.getByRole('button', { name: 'Undo' }).waitFor();
    const ended: URL[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/session/end') ended.push(url);
    });
    const revocations = () => place.issuer.asked.filter((path) => path === '/token/revocation').length;
    const before = revocations();
    await press(page, 'Sign out');
    await confirmSignOut(page);
    await page.getByRole('heading', { name: 'Sign in to Shelf' }).waitFor();
    expect(page.url()).toBe(`${place.server.url}/console`);
    expect(ended[0]?.searchParams.get('id_token_hint')?.split('.')).toHaveLength(3);
    expect(ended[0]?.searchParams.get('post_logout_redirect_uri')).toBe(`${place.server.url}/console`);
    expect(revocations()).toBe(before + 1);
    await failure(other, 'You have signed out in another tab.');
    expect(await other.getByText('Widget').count()).toBe(0);
    // A deletion that could still be undone is not forgotten.
    const location = added.headers.get('Location') ?? '';
    expect((await fetch(new URL(location, place.server.url), { headers })).status).toBe(404);
    expect(await kept(page)).toBe('[{},{}]');
    // The issuer asks again.
    await press(page, `Sign in with ${hostOf(place.issuer)}`);
    await page.getByPlaceholder('Enter any login').waitFor();
    expect(complaints()).toEqual([]);
    await close();
  });

  test('ends in the console alone, where the issuer has no address for that', async () => {
    const own = await openPlace({ endsSessions: false });
    const { page, close } = await signedIn(own);
    await press(page, 'Sign out');
    await failure(page, `You are signed out of this console. ${hostOf(own.issuer)} has no address for signing out`);
    expect(await kept(page)).toBe('[{},{}]');
    await close();
    await own.stop();
  });

  test('with an API key remains, beside it', async () => {
    const { page, complaints, close } = await openConsole(browser, place.server.url, '/console/items');
    await page.getByLabel('API key or token').fill(await keyFor(place.server, 'read'));
    await press(page, 'Sign in with a key');
    await page.getByText('Key key-read, scope read').waitFor();
    await press(page, 'Sign out');
    await page.getByRole('button', { name: /^Sign in with 127/ }).waitFor();
    expect(await kept(page)).toBe('[{},{}]');
    expect(complaints).toEqual([]);
    await close();
  });

  test('with --auth write, the records are there before and after', async () => {
    const open = await openPlace({}, { auth: 'write' });
    const { page, close } = await openConsole(browser, open.server.url, '/console/items/1');
    await isThere(page);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await press(page, `Sign in with ${hostOf(open.issuer)}`);
    await signInAt(page, 'ada');
    await page.getByText('scope admin').waitFor();
    expect(page.url()).toBe(`${open.server.url}/console/items/1`);
    await press(page, 'Sign out');
    await confirmSignOut(page);
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    // The issuer has no session any more: the console does not ask it, and does not say anything.
    await page.reload();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await close();
    await open.stop();
  });

  test('at one of several issuers', async () => {
    const ports = [freePort()];
    const origins = ports.map((port) => `http://127.0.0.1:${port}`);
    const issuers = await Promise.all([TestIssuer.start({ origins }), TestIssuer.start({ origins })]);
    const [, other] = issuers as [TestIssuer, TestIssuer];
    const server = await startServer({ server: { port: ports[0] ?? 0 }, access: accessOf(...issuers) });
    const { page, close } = await openConsole(browser, server.url, '/console/items');
    const choices = page.getByRole('button', { name: /^Sign in with 127/ });
    await choices.nth(1).waitFor();
    expect(await choices.count()).toBe(2);
    await press(page, `Sign in with ${hostOf(other)}`);
    await signInAt(page, 'bob');
    await page.getByText(`bob at ${hostOf(other)}`).waitFor();
    await close();
    await Promise.all([server.stop(), ...issuers.map((issuer) => issuer.stop())]);
  });

  describe('that fails', () => {
    test('because the session at the issuer has ended: the console says nothing of it', async () => {
      const { page, complaints, close } = await signedIn();
      const other = await page.context().newPage();
      await other.goto(`${place.server.url}/console/items/1`);
      await isThere(other);
      await page.context().clearCookies();
      await page.reload();
      await page.getByRole('heading', { name: 'Sign in to Shelf' }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(page.url()).toBe(`${place.server.url}/console/items?price[gte]=1`);
      expect(await kept(page)).toBe('[{},{}]');
      // A tab whose tokens are valid goes on.
      await other.getByRole('link', { name: 'users' }).click();
      await other.getByRole('heading', { name: 'users' }).waitFor();
      expect(complaints()).toEqual([]);
      await close();
    });

    test('because the person has cancelled it', async () => {
      const { page, close } = await openConsole(browser, place.server.url, '/console/items');
      await press(page, `Sign in with ${hostOf(place.issuer)}`);
      await page.getByRole('link', { name: 'Cancel' }).click();
      await failure(page, /has refused the sign-in: .*\(access_denied\)/);
      expect(page.url()).toBe(`${place.server.url}/console/items`);
      expect(await kept(page)).toBe('[{},{}]');
      expect(await violations(page)).toEqual([]);
      await close();
    });

    test('because its code was used before, and the issuer says so', async () => {
      const { page, close } = await openConsole(browser, place.server.url, '/console/items');
      await page.route('**/token', async (route) => {
        if (route.request().method() === 'POST') await route.fetch();
        await route.continue();
      });
      await press(page, `Sign in with ${hostOf(place.issuer)}`);
      await signInAt(page, 'ada');
      await failure(page, /This sign-in is over: .*\(invalid_grant\)/);
      await close();
    });

    test('because its ID token is for another sign-in', async () => {
      const { page, close } = await openConsole(browser, place.server.url, '/console/items');
      await page.route('**/token', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        const response = await route.fetch();
        const tokens = (await response.json()) as { id_token: string };
        const [head, payload, signature] = tokens.id_token.split('.');
        const claims = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString());
        const other = Buffer.from(JSON.stringify({ ...claims, nonce: 'other' })).toString('base64url');
        await route.fulfill({ response, json: { ...tokens, id_token: [head, other, signature].join('.') } });
      });
      await press(page, `Sign in with ${hostOf(place.issuer)}`);
      await signInAt(page, 'ada');
      await failure(page, `${place.issuer.url} has answered wrongly: unexpected ID Token "nonce" claim value.`);
      await close();
    });

    test('because the issuer does not answer: with a click, with a reload, and in the middle', async () => {
      const own = await openPlace({}, { auth: 'write' });
      const { page, close } = await openConsole(browser, own.server.url, '/console/items');
      await own.issuer.stop();
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await press(page, `Sign in with ${hostOf(own.issuer)}`);
      await failure(page, `${own.issuer.url} does not answer.`);
      await own.issuer.listen();
      await press(page, `Sign in with ${hostOf(own.issuer)}`);
      await page.route('**/token', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()));
      await signInAt(page, 'ada');
      await failure(page, `${own.issuer.url} does not answer this page.`);
      await page.unroute('**/token');
      await press(page, `Sign in with ${hostOf(own.issuer)}`);
      await page.getByText('scope admin').waitFor();
      await own.issuer.stop();
      await page.reload();
      await failure(page, `${own.issuer.url} does not answer.`);
      await press(page, 'Go on without a key');
      await isThere(page);
      await own.issuer.listen();
      await page.reload();
      await page.getByText('scope admin').waitFor();
      await close();
      await own.stop();
    });

    test('because the server has never read the issuer', async () => {
      const port = freePort();
      const issuer = await TestIssuer.start({ origins: [`http://127.0.0.1:${port}`] });
      await issuer.stop();
      const server = await startServer({ server: { port }, access: accessOf(issuer) });
      const { page, close } = await openConsole(browser, server.url, '/console/items');
      await page.getByText(`The server cannot read ${hostOf(issuer)} now.`).waitFor();
      expect(await violations(page)).toEqual([]);
      await issuer.listen();
      // Its next attempt is caused by a token.
      const token = await issuer.token('read');
      await fetch(`${server.url}/api/items`, { headers: { Authorization: `Bearer ${token}` } });
      await press(page, 'Retry');
      await press(page, `Sign in with ${hostOf(issuer)}`);
      await signInAt(page, 'ada');
      await isThere(page);
      await close();
      await Promise.all([server.stop(), issuer.stop()]);
    });

    test('because the token gives no access: who it is, what is missing, and a way out', async () => {
      const own = await openPlace({}, { oidcScope: { value: ['openid'] } });
      const { page, close } = await openConsole(browser, own.server.url, '/console/items');
      await press(page, `Sign in with ${hostOf(own.issuer)}`);
      await signInAt(page, 'ada');
      await failure(page, `You are signed in at ${own.issuer.url} as ada, without access to this service.`);
      await failure(page, 'The token has no scope. It needs read, write or admin.');
      expect(await violations(page)).toEqual([]);
      await press(page, `Sign out at ${hostOf(own.issuer)}`);
      await confirmSignOut(page);
      await page.getByRole('heading', { name: 'Sign in to Shelf' }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      await close();
      await own.stop();
    });
  });

  test.each([
    [6, true],
    [-60, true],
    [8, false],
  ])(
    'a clock of the device that is %d minutes ahead, where an ID token is valid for two: signed in %p',
    async (minutes, isIn) => {
      const { page, close } = await openConsole(browser, place.server.url, '/console/items');
      await page.addInitScript((ms) => {
        const now = Date.now;
        Date.now = () => now() + ms;
      }, minutes * 60_000);
      await page.reload();
      await press(page, `Sign in with ${hostOf(place.issuer)}`);
      await signInAt(page, 'ada');
      await (isIn ? isThere(page) : failure(page, 'The clock of this device differs from that of'));
      await close();
    },
  );

  // Each waits for a window or a token, and has an issuer of its own, so they wait together.
  describe.concurrent('after a while', () => {
    test('fails because the answer is for another sign-in, or came before', async () => {
      const own = await openPlace();
      const { page, close } = await openConsole(browser, own.server.url, '/console/items');
      const answered = page.waitForRequest((request) => request.url().includes('/console/-/signed-in?'));
      await press(page, `Sign in with ${hostOf(own.issuer)}`);
      await signInAt(page, 'ada');
      await isThere(page);
      const redeemed = () => own.issuer.asked.filter((path) => path === '/token').length;
      const before = redeemed();
      for (const search of [new URL((await answered).url()).search, '?code=forged&state=forged', '']) {
        await page.goto(`${own.server.url}/console/-/signed-in${search}`);
        await failure(page, 'This sign-in was begun in another tab, or is over. Sign in again.');
        expect(page.url()).toBe(`${own.server.url}/console`);
      }
      expect(redeemed()).toBe(before);
      await close();
      await own.stop();
    });

    test('fails because the answer is not for the sign-in that has begun', async () => {
      const own = await openPlace();
      const { page, close } = await openConsole(browser, own.server.url, '/console/items');
      await press(page, `Sign in with ${hostOf(own.issuer)}`);
      await page.getByPlaceholder('Enter any login').waitFor();
      const before = own.issuer.asked.length;
      await page.goto(`${own.server.url}/console/-/signed-in?code=forged&state=forged&iss=${own.issuer.url}`);
      await failure(page, 'This sign-in was begun in another tab, or is over. Sign in again.');
      expect(own.issuer.asked.slice(before)).toEqual([]);
      await close();
      await own.stop();
    });

    test('a token that expires is renewed before, and nothing on the page changes', async () => {
      const own = await openPlace({ seconds: 6 });
      const { page, complaints, close } = await signedIn(own, '/console/items/1');
      const refused: string[] = [];
      page.on('response', (response) => {
        if (response.status() === 401) refused.push(response.url());
      });
      await page.getByLabel('name', { exact: true }).fill('Widget of ada');
      const renewals = () => own.issuer.asked.filter((path) => path === '/token').length;
      const from = renewals();
      while (renewals() < from + 3) await Bun.sleep(50);
      await page.keyboard.press('Control+s');
      await page.getByText('Saved.').waitFor();
      await page.locator('.feed-light.on').waitFor();
      expect(refused).toEqual([]);
      expect(complaints()).toEqual([]);
      await close();
      await own.stop();
    });

    test('a token that expires is not renewed when the session at the issuer has ended, which a notice says', async () => {
      const own = await openPlace({ seconds: 6 });
      const { page, complaints, close } = await signedIn(own, '/console/items/1');
      const other = await page.context().newPage();
      await other.goto(`${own.issuer.url}/session/end`);
      await confirmSignOut(other);
      await page.getByText('Your sign-in as ada has expired. This page stays as it is.').waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(complaints()).toEqual([]);
      await close();
      await own.stop();
    });

    test('a token that expires asks to sign in again beside the page, which keeps what was typed', async () => {
      const own = await openPlace({ seconds: 8, refreshes: false });
      const { page, token, complaints, close } = await signedIn(own, '/console/items/1');
      await page.getByLabel('name', { exact: true }).fill('Widget of ada');
      // Somebody may be typing: a notice is in nobody's way.
      await page.getByText('Your sign-in as ada has expired. This page stays as it is.').waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(await violations(page, 'dialog')).toEqual([]);
      // The server tolerates a difference of the clocks.
      while ((await statusOf(own.server, token())) !== 401) await Bun.sleep(50);
      await page.getByLabel('name', { exact: true }).press('Control+s');
      const dialog = page.getByRole('dialog', { name: 'Sign in again' });
      await dialog.getByText('Your change is sent after you have signed in.').waitFor();
      expect(await violations(page, 'dialog')).toEqual([]);
      expect(await page.getByText('Saved.').count()).toBe(0);
      const [other] = await Promise.all([
        page.waitForEvent('popup'),
        dialog.getByRole('button', { name: /^Sign in at/ }).click(),
      ]);
      if (!other.isClosed()) await other.waitForEvent('close');
      await page.getByText('Saved.').waitFor();
      expect(await page.getByLabel('name', { exact: true }).inputValue()).toBe('Widget of ada');
      expect(complaints()).toEqual([]);
      await close();
      await own.stop();
    });

    test('a token that expires is not replaced by that of another person', async () => {
      const own = await openPlace({ seconds: 8, refreshes: false });
      const { page, close } = await signedIn(own, '/console/items/1');
      const notice = page.getByRole('status').filter({ hasText: 'Sign in again' });
      await notice.waitFor();
      await page.context().clearCookies();
      const again = async () => {
        const opened = page.waitForEvent('popup');
        await press(page, 'Sign in again');
        return opened;
      };
      await signInAt(await again(), 'bob');
      await notice.getByText('You are ada on this page. bob has signed in: sign in as ada.').waitFor();
      // The issuer asks, though bob is signed in there.
      await signInAt(await again(), 'ada');
      await notice.waitFor({ state: 'detached' });
      await isThere(page);
      await close();
      await own.stop();
    });
  });

  test('axe-core finds no violation', async () => {
    const { page, close } = await openConsole(browser, place.server.url, '/console');
    await page.getByRole('button', { name: /^Sign in with 127/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await close();
  });
});
