/** The deletion of selected records in the console, in Chromium, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { declared, libraryFile } from '../support/data/library.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { openConsole } from '../support/pages/console-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

/** A transaction with 1,000 of them is larger than what a browser sends after a page is left. */
const library_memberships = { singular: 'membership', fields: { name: 'text' } };
/** A shelf that is deleted takes its boards with it, and a label keeps its board. */
const to = (collection: string, more: object = {}) => ({ type: 'reference', to: collection, ...more });
const kept = {
  shelves: { singular: 'shelf', fields: { name: 'text' } },
  boards: { singular: 'board', fields: { shelf: to('shelves', { on_delete: 'cascade' }) } },
  labels: { singular: 'label', fields: { board: to('boards') } },
};
const collections = declared({ ...libraryFile, ...kept, library_memberships });

describe.skipIf(browserPath === undefined).each(migratedEngines())('%s', (_, newUrl) => {
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    // 1,000 deletions take PostgreSQL a second where nothing else runs.
    const storage = { timeout: 60_000 };
    [browser, server] = await Promise.all([launch(), startServer({ database: await newUrl(), collections, storage })]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const create = async (collection: string, record: object): Promise<number> => {
    const body = JSON.stringify(record);
    const answer = await fetch(`${server.url}/api/v2/${collection}`, { method: 'POST', body });
    if (!answer.ok) throw new Error(await answer.text());
    return JSON.parse(await answer.text()).id;
  };
  const rename = async (path: string, name: string) => {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ name });
    expect((await fetch(`${server.url}/api/v2/${path}`, { method: 'PATCH', headers, body })).status).toBe(200);
  };
  const count = async (search: string): Promise<number> =>
    JSON.parse(await (await fetch(`${server.url}/api/v2/${search}&limit=1&count=exact`)).text()).total;

  /** Opens a table, and collects what is sent to change something. */
  async function open(path: string) {
    const opened = await openConsole(browser, server.url, `/console/${path}`);
    const { page } = opened;
    await page.locator('tbody tr[aria-rowindex]').first().waitFor();
    await page.clock.install();
    const sent: { method: string; path: string; key: string | undefined; body: string }[] = [];
    page.on('request', (request) => {
      const method = request.method();
      if (method === 'GET' || request.url().endsWith('?dry_run=true')) return;
      const key = request.headers()['idempotency-key'];
      sent.push({ method, path: new URL(request.url()).pathname, key, body: request.postData() ?? '' });
    });
    return { ...opened, sent };
  }
  async function deleteAll(page: Page, what: string): Promise<void> {
    const all = page.getByLabel('Select all rows');
    if (!(await all.isChecked())) await all.check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: `Delete ${what}`, exact: true }).click();
    await page.getByText(`${what} are deleted in 6 seconds`).waitFor();
  }
  const answered = (page: Page) => page.waitForResponse((one) => one.url().endsWith('/api/v2/transactions'));

  test('a selection is one transaction; undo keeps all of it', async () => {
    const ids = [];
    for (const name of ['Da', 'Db', 'Dc']) ids.push(await create('publishers', { name }));
    const { page, complaints, sent, close } = await open('publishers?name[starts_with]=D&sort=name');
    await deleteAll(page, '3 publishers');
    expect(await page.locator('tr.gone').count()).toBe(3);
    expect(await page.getByText('3 selected').count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.clock.runFor(7000);
    expect(await page.locator('tr.gone').count()).toBe(0);
    await page.getByText('3 selected').waitFor();
    expect(sent).toEqual([]);
    expect(await count('publishers?name[starts_with]=D')).toBe(3);

    await deleteAll(page, '3 publishers');
    const answer = answered(page);
    await page.clock.runFor(7000);
    expect((await answer).status()).toBe(200);
    await page.getByText('No records', { exact: true }).waitFor();
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /api/v2/transactions']);
    expect(sent[0]?.key).toMatch(/^[0-9a-f]{32}$/);
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({
      operations: ids.map((id) => ({ op: 'delete', collection: 'publishers', id, version: 1 })),
    });
    expect(await count('publishers?name[starts_with]=D')).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test('nothing is deleted if one record has changed, or cannot be deleted; it is named', async () => {
    const ids: number[] = [];
    for (const name of ['Ea', 'Eb', 'Ec']) ids.push(await create('authors', { name }));
    const { page, complaints, close } = await open('authors?name[starts_with]=E&sort=name');
    const refuse = async (status: number) => {
      await deleteAll(page, '3 authors');
      return async () => {
        const answer = answered(page);
        await page.clock.runFor(7000);
        expect((await answer).status()).toBe(status);
      };
    };
    const conflict = await refuse(412);
    await rename(`authors/${ids[1]}`, 'Ebb');
    await conflict();
    await page
      .getByText(`None of the 3 authors were deleted. Record ${ids[1]}: The record has another version`)
      .waitFor();
    expect(await count('authors?name[starts_with]=E')).toBe(3);

    // All three are selected as they are now.
    await page.getByText('3 selected').waitFor();
    await page.getByText('Ebb').waitFor();
    // A reference from before is found before anything is promised.
    const held = await refuse(409);
    await create('books', { title: 'Held', isbn: '9780000000001', price: '1', author: ids[2] });
    await held();
    await page.getByText(`Record ${ids[2]}: 1 record of books refers to it by author`).waitFor();
    expect(await count('authors?name[starts_with]=E')).toBe(3);
    expect(complaints).toEqual([]);
    await close();
  });

  test('what a cascade would reach keeps a record before its deletion is promised', async () => {
    const [free, held] = [await create('shelves', { name: 'La' }), await create('shelves', { name: 'Lb' })];
    const board = await create('boards', { shelf: held });
    const label = await create('labels', { board });
    const { page, complaints, sent, close } = await open(`shelves?name[starts_with]=L&sort=name`);
    const why = `The shelf ${held} cannot be deleted. 1 record of labels refers to it by board, the first is ${label}: delete or change it first.`;
    await page.getByLabel('Select all rows').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('alert').getByText(why).waitFor();
    const remove = dialog.getByRole('button', { name: 'Delete 2 shelves' });
    expect(await remove.getAttribute('aria-disabled')).toBe('true');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Lb', { exact: true }).click();
    await page.getByRole('complementary').getByRole('button', { name: 'Delete' }).click();
    await page.locator('.notice.bad').getByText(why).waitFor();
    expect(await page.locator('tr.gone').count()).toBe(0);
    expect(sent).toEqual([]);
    expect(await count(`shelves?id[in]=${free},${held}`)).toBe(2);
    expect(complaints).toEqual([]);
    await close();
  });

  test('records that refer to each other are deleted together, also if the table does not show it', async () => {
    const author = await create('authors', { name: 'Fa' });
    let follows: number | null = null;
    for (const isbn of ['9780000000011', '9780000000012', '9780000000013'])
      follows = await create('books', { title: 'F', isbn, price: '1', author, follows });
    const { page, close } = await open('books?title=F&fields=title');
    await deleteAll(page, '3 books');
    const answer = answered(page);
    await page.clock.runFor(7000);
    expect((await answer).status()).toBe(200);
    expect(await count('books?title=F')).toBe(0);
    await close();
  });

  test('after a lost answer, a retry sends the same key', async () => {
    for (const name of ['Ga', 'Gb']) await create('publishers', { name });
    const { page, sent, close } = await open('publishers?name[starts_with]=G');
    await page.route('**/api/v2/transactions', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await deleteAll(page, '2 publishers');
    await page.clock.runFor(7000);
    await page.getByText('Whether 2 publishers were deleted is unknown.').waitFor();
    expect(await count('publishers?name[starts_with]=G')).toBe(0);
    await page.unroute('**/api/v2/transactions');
    const answer = answered(page);
    await page.getByRole('button', { name: 'Retry' }).click();
    expect((await answer).headers()['idempotent-replayed']).toBe('true');
    expect(await page.locator('.notice.bad').count()).toBe(0);
    expect(sent.length).toBe(2);
    expect(sent[1]).toEqual(sent[0] as (typeof sent)[0]);
    await close();
  });

  test('a record that is to be deleted is not deleted twice', async () => {
    for (const name of ['Ka', 'Kb']) await create('publishers', { name });
    const { page, sent, close } = await open('publishers?name[starts_with]=K');
    await deleteAll(page, '2 publishers');
    await page.getByText('Ka', { exact: true }).click();
    await page.getByRole('complementary').getByRole('button', { name: 'Delete' }).click();
    const answer = answered(page);
    await page.clock.runFor(7000);
    expect((await answer).status()).toBe(200);
    await page.getByText('No records', { exact: true }).waitFor();
    expect(sent.length).toBe(1);
    await close();
  });

  test('a page that is left sends the transaction', async () => {
    for (const name of ['Ha', 'Hb']) await create('publishers', { name });
    const { page, complaints, close } = await open('publishers?name[starts_with]=H');
    await deleteAll(page, '2 publishers');
    await page.goto(`${server.url}/docs/start.css`);
    while ((await count('publishers?name[starts_with]=H')) > 0) await Bun.sleep(20);
    expect(complaints).toEqual([]);
    await close();
  });

  /** Adds records, and scrolls to the last: a table selects the rows that are loaded. */
  async function openMany(collection: string, name: string, length: number) {
    const body = Array.from({ length }, (_, place) => `{"name":"${name} ${place}"}`).join('\n');
    const bulk = { method: 'POST', headers: { 'Content-Type': 'application/x-ndjson' }, body };
    expect((await fetch(`${server.url}/api/v2/${collection}/bulk`, bulk)).status).toBe(201);
    const opened = await open(`${collection}?name[starts_with]=${name}&sort=id`);
    const { page } = opened;
    const all = length.toLocaleString('en-US');
    while (!(await page.locator('.status').innerText()).includes(`${all} of ${all}`))
      await page.locator('.grid').evaluate((element) => element.scrollBy(0, 2000));
    return opened;
  }

  test('1,000 are one transaction, although a browser does not send so much after the page is left', async () => {
    const { page, complaints, sent, close } = await openMany('library_memberships', 'J', 1000);
    await deleteAll(page, '1,000 library_memberships');
    await page.getByText('in 6 seconds, if you do not leave the page').waitFor();
    await page.clock.runFor(7000);
    await page.getByText('No records', { exact: true }).waitFor();
    expect(sent.map(({ body }) => JSON.parse(body).operations.length)).toEqual([1000]);
    expect(await count('library_memberships?name[starts_with]=J')).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test('more than 1,000 are several transactions, and the page asks before it is left', async () => {
    const { page, complaints, sent, close } = await openMany('publishers', 'I', 1200);
    await deleteAll(page, '1,200 publishers');
    await page.evaluate('location.reload()').catch(() => {});
    while (complaints.length === 0) await Bun.sleep(20);
    expect(complaints).toEqual(['dialog: ']);
    expect(sent).toEqual([]);
    const { data } = JSON.parse(await (await fetch(`${server.url}/api/v2/publishers?name=I+1100`)).text());
    await rename(`publishers/${data[0].id}`, 'I changed');
    await page.clock.runFor(7000);
    await page.getByText(`1,000 publishers were deleted, 200 were not. Record ${data[0].id}: `).waitFor();
    expect(sent.map(({ body }) => JSON.parse(body).operations.length)).toEqual([1000, 200]);
    expect(await count('publishers?name[starts_with]=I')).toBe(200);
    await page.getByText('200 selected', { exact: true }).waitFor();
    await close();
  });
});
