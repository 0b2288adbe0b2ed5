/** The library page of examples/, in Chromium: a visitor, a member and a librarian, without any backend. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { temporaryFolder } from '../support/data/folder.ts';
import { browserPath, launch, watch } from '../support/pages/browser.ts';
import { confirmSignOut, signInAt } from '../support/pages/issuer-forms.ts';
import { audience, pageClient, TestIssuer } from '../support/servers/issuers/issuer.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { root, runShelf, type Shelf, startShelf } from '../support/servers/process.ts';

const example = join(root, 'examples/lending-page');
const folder = temporaryFolder();

test('it is the library of docs/access.md', () => {
  const page = readFileSync(join(root, 'docs/access.md'), 'utf8');
  const library: unknown = JSON.parse(/```json\n(.*?)```/s.exec(page)?.[1] ?? '');
  expect(JSON.parse(readFileSync(join(example, 'shelf.json'), 'utf8'))).toEqual(library);
});

/** Serves the page on a port. */
async function startSite(port: number, env: Readonly<Record<string, string>>) {
  const child = Bun.spawn(['node', join(example, 'serve.mjs')], {
    env: { ...process.env, ...env, PORT: String(port) },
    stdout: 'pipe',
  });
  await child.stdout.getReader().read();
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}

describe.skipIf(browserPath === undefined)('in Chromium', () => {
  let browser: Browser;
  let shelf: Shelf;
  let issuer: TestIssuer;
  let site: Awaited<ReturnType<typeof startSite>>;
  let withKeys: Awaited<ReturnType<typeof startSite>>;
  let key = '';

  beforeAll(async () => {
    const [port, otherPort, shelfPort] = [freePort(), freePort(), freePort()];
    const env = { SHELF_URL: `http://127.0.0.1:${shelfPort}` };
    const claims: Readonly<Record<string, object>> = { desk: { groups: ['staff'] }, ada: { member_id: 7 } };
    issuer = await TestIssuer.start({
      pages: [`http://127.0.0.1:${port}/`],
      claimsOf: (name) => ({ ...claims[name] }),
    });
    const oidc = { OIDC_ISSUER: issuer.url, OIDC_CLIENT: pageClient, OIDC_AUDIENCE: audience };
    [site, withKeys] = await Promise.all([startSite(port, { ...env, ...oidc }), startSite(otherPort, env)]);
    const database = `sqlite:${join(folder, 'library.db')}`;
    const given = ['--config', join(example, 'shelf.json'), '--database', database];
    expect((await runShelf({ args: ['migrate', ...given] })).code).toBe(0);
    const grant = ['--name', 'eve', '--role', 'member', '--claim', 'member_id=9'];
    key = (await runShelf({ args: ['keys', 'create', ...grant, ...given] })).stdout.trim();
    const trusted = ['--oidc-issuer', issuer.url, '--oidc-audience', audience];
    const args = [...given, ...trusted, '--cors', `${site.url},${withKeys.url}`, '--port', String(shelfPort)];
    [browser, shelf] = await Promise.all([launch(), startShelf({ args })]);
  });
  afterAll(async () => {
    await browser?.close();
    await shelf?.stop();
    await issuer?.stop();
    site?.stop();
    withKeys?.stop();
  });

  async function open({ url } = site) {
    const opened = await watch(browser, url);
    // Of the forms of the issuer.
    await opened.page.route('https://fonts.googleapis.com/**', (route) => route.fulfill({ contentType: 'text/css' }));
    await opened.page.goto(url);
    await opened.page.getByText('You are a visitor.').waitFor();
    // A click before the list is there would cancel its request, which is a complaint.
    await opened.page.locator('#books thead th').first().waitFor();
    return opened;
  }
  async function signedIn(name: string, role: string) {
    const opened = await open();
    await opened.page.getByRole('button', { name: 'Sign in' }).click();
    await signInAt(opened.page, name);
    await opened.page.getByText(`, ${role}`).waitFor();
    // Neither a bookmark nor the browser has anything to sign in with.
    expect(opened.page.url()).toBe(`${site.url}/`);
    expect(await opened.page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).toBe('[{},{}]');
    return opened;
  }
  const cellsOf = async (page: Page, table: string) => page.locator(`#${table} tbody tr`).allInnerTexts();

  test('a librarian adds books, a visitor sees them, a member borrows, and each sees what its role allows', async () => {
    const desk = await signedIn('desk', 'librarian');
    for (const [title, cost] of [
      ['Ficciones', '12.50'],
      ['Emma', '9.00'],
    ] as const) {
      await desk.page.getByLabel('Title').fill(title);
      await desk.page.getByLabel('Cost').fill(cost);
      await desk.page.getByRole('button', { name: 'Add' }).click();
      await desk.page.getByRole('cell', { name: title }).waitFor();
    }

    const visitor = await open();
    await visitor.page.getByRole('cell', { name: 'Ficciones' }).waitFor();
    expect(await cellsOf(visitor.page, 'books')).toEqual(['1\tFicciones\t', '2\tEmma\t']);
    expect(await visitor.page.getByRole('button', { name: 'Borrow' }).count()).toBe(0);
    expect(await visitor.page.getByRole('table', { name: 'Loans' }).count()).toBe(0);

    const ada = await signedIn('ada', 'member');
    expect(await ada.page.getByLabel('Title').isVisible()).toBe(false);
    await ada.page.getByRole('button', { name: 'Borrow' }).first().click();
    await ada.page.locator('#loans tbody tr').waitFor();
    expect((await cellsOf(ada.page, 'loans'))[0]).toMatch(/^1\t1\t7\t\d{4}-\d\d-\d\d\t/);

    // The librarian lends the other book to another member.
    desk.page.removeAllListeners('dialog');
    desk.page.on('dialog', (dialog) => dialog.accept('8'));
    await desk.page.getByRole('button', { name: 'Borrow' }).last().click();
    await desk.page.locator('#loans tbody tr').nth(1).waitFor();
    // The member does not see that loan.
    await ada.page.getByRole('button', { name: 'Borrow' }).last().click();
    await ada.page.locator('#loans tbody tr').nth(1).waitFor();
    expect((await cellsOf(ada.page, 'loans')).map((cells) => cells.split('\t')[0])).toEqual(['1', '3']);

    await desk.page.getByRole('button', { name: 'Return' }).first().click();
    await desk.page.locator('#loans tbody tr').first().getByRole('button').waitFor({ state: 'detached' });

    for (const { complaints, foreign } of [desk, visitor, ada]) {
      expect(complaints).toEqual([]);
      // Every other request is to Shelf or to the issuer.
      const known = [`${shelf.url}/api/v2/`, `${issuer.url}/`, 'https://fonts.googleapis.com/'];
      expect(foreign.filter((url) => !known.some((one) => url.startsWith(one)))).toEqual([]);
    }
  });

  test('signing out ends the session at the issuer, too', async () => {
    const { page } = await signedIn('ada', 'member');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await confirmSignOut(page);
    await page.getByText('You are a visitor.').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByPlaceholder('Enter any login').waitFor();
  });

  test('an answer that this page has not asked for signs nobody in', async () => {
    const { page } = await open();
    await page.goto(`${site.url}/?code=stolen&state=other`);
    await page.getByText('This sign-in was not begun here').waitFor();
    await page.getByText('You are a visitor.').waitFor();
  });

  test('without an issuer, a key signs in, and one that is not valid is a message', async () => {
    const { page } = await open(withKeys);
    await page.getByLabel('Key').fill('shelf_wrong');
    await page.getByRole('button', { name: 'Use the key' }).click();
    await page.getByText('Missing or invalid API key').waitFor();
    await page.getByLabel('Key').fill(key);
    await page.getByRole('button', { name: 'Use the key' }).click();
    await page.getByText('eve, member').waitFor();
  });
});
