/** The console's screen of the last hour, in Chromium: it says why the service was slow. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { LastHour, sampleMs } from '../../src/http/observe/last-hour.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { keyFor, openConsole, violationsOn } from '../support/pages/console-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { oneThread, startServer, type TestServer } from '../support/servers/server.ts';

const path = '/console/-/health';

describe.skipIf(browserPath === undefined).each(migratedEngines())('health, %s', (engine, newUrl) => {
  const violations = violationsOn(engine);
  let browser: Browser;
  let server: TestServer;
  let admin: string;
  /** Ends a sample now, instead of every ten seconds. */
  let sample: () => Promise<void> = async () => {};
  /** How long requests took is set here: on a busy machine, others would be slow, too. */
  const { request } = LastHour.prototype;
  beforeAll(async () => {
    spyOn(LastHour.prototype, 'request').mockImplementation(function (
      this: LastHour,
      route,
      method,
      status,
      _,
      id,
      target,
    ) {
      request.call(this, route, method, status, id === 'the-slow-one' ? 150 : 1, id, target);
    });
    const timers = spyOn(globalThis, 'setInterval');
    server = await startServer({ database: await newUrl(), server: oneThread, access: { auth: 'write' } });
    const timer = timers.mock.calls.find(([, ms]) => ms === sampleMs) as [() => Promise<void>] | undefined;
    timers.mockRestore();
    sample = async () => {
      const before = Date.now();
      // No two samples are of the same millisecond.
      while (Date.now() === before);
      await timer?.[0]();
    };
    [browser, admin] = await Promise.all([launch(), keyFor(server, 'admin')]);
  });
  afterAll(async () => {
    spyOn(LastHour.prototype, 'request').mockRestore();
    await browser?.close();
    await server?.stop();
  });

  test('before the first sample it says when there will be one', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, path, { key: admin });
    await page.getByText('The first figures come after ten seconds.').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  /** A few are no reason to judge. */
  async function requests(count: number): Promise<void> {
    for (let n = 0; n < count; n++) await (await fetch(`${server.url}/api/v2/items?limit=1`)).text();
  }

  test('one slow request among few is no warning', async () => {
    const headers = { 'X-Request-Id': 'the-slow-one' };
    expect((await fetch(`${server.url}/api/v2/items`, { headers })).status).toBe(200);
    await sample();
    const { page, close } = await openConsole(browser, server.url, path, { key: admin });
    await page.getByText('Nothing stands out in the last hour, which had few requests').waitFor();
    await close();
  });

  test('nothing stands out in an hour without trouble', async () => {
    await requests(100);
    await sample();
    const { page, complaints, close } = await openConsole(browser, server.url, path, { key: admin });
    await page.getByText('Nothing stands out in the last hour: 99 of 100 answers').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test('Home says failures in words', async () => {
    for (let n = 0; n < 2; n++) expect((await fetch(`${server.url}/api/v2/items/999999`)).status).toBe(404);
    await (await fetch(`${server.url}/api/v2/items?limit=x`)).text();
    await sample();
    const { page, complaints, close } = await openConsole(browser, server.url, '/console', { key: admin });
    const failures = page.locator('.failures li');
    await failures.nth(1).waitFor();
    expect(await failures.allInnerTexts()).toEqual([
      '2 requests asked for a record that is not there',
      '1 request had a wrong filter or parameter',
    ]);
    expect(await violations(page, 'dialog')).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a request that was slow some time ago is named, with its id', async () => {
    await sample();
    const body = '{"name":"Lamp","price":20}';
    const headers = { Authorization: `Bearer ${admin}`, 'X-Request-Id': 'the-slow-one' };
    expect((await fetch(`${server.url}/api/v2/items`, { method: 'POST', headers, body })).status).toBe(201);
    expect((await fetch(`${server.url}/api/v2/items/999`)).status).toBe(404);
    // One of a hundred may be slow by chance.
    for (let n = 0; n < 4; n++) await (await fetch(`${server.url}/api/v2/items`, { headers })).text();
    await requests(100);
    await sample();
    for (let n = 0; n < 5; n++) await sample();

    const { page, complaints, close } = await openConsole(browser, server.url, path, { key: admin });
    const notable = page.getByRole('region', { name: 'What is notable' });
    const sentence =
      /^Answers were slow at \d\d:\d\d: 1 of \d+ took about 150 ms or more, the slowest was POST \/api\/v2\/items, 150 ms\.$/;
    await notable.getByText(sentence).waitFor();
    // The moment of the first sentence is shown.
    const moment = page.getByRole('region', { name: /^The 10 seconds up to \d\d:\d\d:\d\d$/ });
    await moment.getByText('the-slow-one').waitFor();
    await moment.getByText('No filter or order explains it').waitFor();
    await moment.getByText('1 not_found').waitFor();
    await moment.getByText(/^1 with 1 writes, the longest \S+ ms$/).waitFor();
    for (const title of ['Requests a second', 'Time to an answer', 'Failures by code', 'Memory', 'Connections'])
      await page.getByRole('img', { name: new RegExp(`^${title} in the last hour\\. .+ at most `) }).waitFor();
    expect(await violations(page)).toEqual([]);

    // With the keyboard to another moment and back; the address keeps it.
    const slider = page.getByRole('slider', { name: 'Moment' });
    await slider.press('ArrowRight');
    await moment.getByText('the-slow-one').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Show / }).press('Enter');
    await moment.getByText('the-slow-one').waitFor();
    const shown = page.url();
    expect(shown).toContain('?at=20');
    await slider.press('End');
    await moment.getByText('the-slow-one').waitFor({ state: 'detached' });
    await page.goto(shown);
    await moment.getByText('the-slow-one').waitFor();

    const slowest = page.getByRole('region', { name: 'Slowest requests of the hour' }).getByRole('listitem').first();
    expect(await slowest.textContent()).toContain('the-slow-one');
    await page.getByRole('button', { name: 'As code' }).click();
    await page.getByText(`curl ${server.url}/api/v2/figures -H "Authorization: Bearer $SHELF_KEY"`).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a slow list says why, beside the moment and in the list of the hour', async () => {
    const headers = { 'X-Request-Id': 'the-slow-one' };
    expect((await fetch(`${server.url}/api/v2/items?name[contains]=a&sort=-price`, { headers })).status).toBe(200);
    await sample();
    const { page, complaints, close } = await openConsole(browser, server.url, path, { key: admin });
    const slowest = page.getByRole('region', { name: 'Slowest requests of the hour' });
    await slowest.getByText('finds the request in the log of the server').waitFor();
    const row = slowest.getByRole('listitem').filter({ hasText: 'name[contains], sort' });
    await row.getByText('name[contains] can use no index: the records of items are looked at one by one').waitFor();
    await row.getByText('items has an index on id, external_id.').waitFor();
    await row.getByRole('button').click();
    const moment = page.getByRole('region', { name: /^The 10 seconds up to/ });
    await moment.getByText('name[contains] can use no index').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a key that reads sees why it may not', async () => {
    const key = await keyFor(server, 'read');
    const { page, complaints, close } = await openConsole(browser, server.url, path, { key });
    await page.getByText('The figures of the last hour are not shown. The key key-read has the scope read.').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});
