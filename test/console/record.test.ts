/** The record of the console, in Chromium, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { declared, libraryFile } from '../support/data/library.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { openConsole, until, violationsOn } from '../support/pages/console-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const text = { type: 'text', max: 20 };
const collections = declared({
  ...libraryFile,
  seats: {
    singular: 'seat',
    fields: { row: text, place: text, free: { type: 'integer', default: 9007199254740993n } },
    unique: [['row', 'place']],
    check: [
      { where: { free: { gte: 9007199254740993n } }, message: 'is too few' },
      { where: { row: { ne: { field: 'place' } } }, message: 'is both' },
    ],
  },
});

describe.skipIf(browserPath === undefined).each(migratedEngines())('%s', (engine, newUrl) => {
  const violations = violationsOn(engine);
  let browser: Browser;
  let server: TestServer;
  const api = async (method: string, path: string, body?: string) => {
    const type = method === 'PATCH' ? { 'Content-Type': 'application/json' } : {};
    const answer = await fetch(`${server.url}/api/v2/${path}`, {
      method,
      headers: type,
      ...(body === undefined ? {} : { body }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.text();
  };
  let isbn = 9780000000000;
  const book = async (more = '') => {
    const text = await api('POST', 'books', `{"title":"A book","isbn":"${isbn++}","price":"1","author":1${more}}`);
    return String(JSON.parse(text).id);
  };
  beforeAll(async () => {
    [browser, server] = await Promise.all([launch(), startServer({ database: await newUrl(), collections })]);
    for (const name of ['Borges', 'Calvino', 'Le Guin']) await api('POST', 'authors', `{"name":"${name}"}`);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  const drawer = (page: Page) => page.getByRole('complementary');
  /** Waits until the form has the record of this version. */
  const saved = (page: Page, version: number) =>
    drawer(page).locator('dt:text-is("version") + dd').getByText(String(version), { exact: true }).waitFor();
  const field = (page: Page, name: string) => drawer(page).getByLabel(name, { exact: true });

  test('numbers are unharmed by a look, an edit and a save', async () => {
    const numbers =
      '"pages":9007199254740993,"weight":-0,"ratings":[9007199254740993,-1],"meta":{"b":1.50,"a":1e-7,"b":-0}';
    const id = await book(`,${numbers}`);
    const { page, complaints, close } = await openConsole(browser, server.url, `/console/books/${id}`);
    await field(page, 'title').waitFor();
    expect(await field(page, 'pages').inputValue()).toBe('9007199254740993');
    expect(await field(page, 'weight').inputValue()).toBe('-0');
    expect(await field(page, 'ratings, element 1').inputValue()).toBe('9007199254740993');
    expect(await page.locator('tr.open').innerText()).toContain('9007199254740993');

    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(`${request.headers()['if-match']} ${request.postData()}`);
    });
    await field(page, 'title').fill('Another title');
    await page.keyboard.press('Control+s');
    await saved(page, 2);
    expect(await api('GET', `books/${id}`)).toContain('"title":"Another title"');
    for (const part of [
      '"pages":9007199254740993',
      '"weight":-0',
      '"ratings":[9007199254740993,-1]',
      '"meta":{"b":1.50,"a":1e-7,"b":-0}',
    ])
      expect(await api('GET', `books/${id}`)).toContain(part);

    await field(page, 'pages').fill('9007199254740995');
    await field(page, 'weight').fill('1e-7');
    await page.getByRole('button', { name: 'Save' }).click();
    await saved(page, 3);
    await field(page, 'weight').fill('0.1');
    await page.keyboard.press('Control+s');
    await saved(page, 4);
    expect(sent).toEqual([
      '"1" {"title":"Another title"}',
      '"2" {"pages":9007199254740995,"weight":1e-7}',
      '"3" {"weight":0.1}',
    ]);
    expect(await api('GET', `books/${id}`)).toContain('"pages":9007199254740995,"weight":0.1,');
    expect(complaints).toEqual([]);
    await close();
  });

  test('every type has its input', async () => {
    const id = await book(',"title":"All types"');
    const { page, complaints, close } = await openConsole(browser, server.url, `/console/books/${id}?sort=-id`);
    await field(page, 'state').selectOption('published');
    await field(page, 'in_stock').selectOption('false');
    await field(page, 'published_on').fill('2024-02-29');
    await field(page, 'seen_at').fill('2026-11-15T10:00:00+02:00');
    await field(page, 'price').fill('12.3');
    // The new element has the focus.
    const isFocused = (element: string) => until(page, `document.activeElement.id === '${element}'`);
    await page.getByRole('button', { name: 'Add an element to tags' }).click();
    await isFocused('field-tags-0');
    await page.keyboard.type('a, b');
    await page.getByRole('button', { name: 'Add an element to ratings' }).click();
    await isFocused('field-ratings-0');
    await page.keyboard.type('5');
    await field(page, 'meta').fill('{"a": [1.50, }');
    // A reference is searched for by the name of the record.
    await field(page, 'author').fill('nobody');
    await drawer(page).getByText('No match: none of authors is called “nobody”.').waitFor();
    await field(page, 'author').fill('cAL');
    await page.getByRole('option', { name: 'Calvino 2' }).waitFor();
    await page.keyboard.press('Enter');
    await drawer(page).getByRole('link', { name: 'Calvino' }).waitFor();
    await page.keyboard.press('Control+s');
    await drawer(page).getByText('is not JSON').waitFor();
    await field(page, 'meta').fill('{"a": [1.50]}');
    await page.keyboard.press('Control+s');
    await saved(page, 2);
    const {
      id: __,
      version,
      created_at,
      updated_at,
      isbn: ___,
      ...fields
    } = JSON.parse(await api('GET', `books/${id}`));
    expect({ version, fields }).toEqual({
      version: 2,
      fields: {
        title: 'All types',
        pages: null,
        weight: 0.5,
        price: '12.30',
        state: 'published',
        in_stock: false,
        published_on: '2024-02-29',
        seen_at: '2026-11-15T08:00:00.000Z',
        tags: ['a, b'],
        ratings: [5],
        meta: { a: [1.5] },
        author: 2,
        follows: null,
      },
    });
    await page.getByRole('button', { name: 'published_on: no value' }).click();
    await page.keyboard.press('Control+s');
    await saved(page, 3);
    expect(JSON.parse(await api('GET', `books/${id}`)).published_on).toBeNull();
    expect(complaints).toEqual([]);
    await close();
  });

  test('each problem is beside its field', async () => {
    const taken = JSON.parse(await api('GET', `books/${await book()}`)).isbn;
    const { page, close } = await openConsole(browser, server.url, '/console/books/new');
    await field(page, 'pages').fill('many');
    await page.getByRole('button', { name: 'Add book' }).click();
    await drawer(page).getByText('must be a number').waitFor();
    await field(page, 'pages').fill('0');
    await field(page, 'isbn').fill('1');
    await page.getByRole('button', { name: 'Add book' }).click();
    const problem = (name: string) => page.locator(`#field-${name}-problem`);
    await problem('title').waitFor();
    expect(await problem('title').innerText()).toBe('is required');
    expect(await problem('pages').innerText()).toBe('must be at least 1');
    expect(await problem('isbn').innerText()).toContain('must match the pattern');
    expect(await field(page, 'isbn').getAttribute('aria-invalid')).toBe('true');
    await field(page, 'title').fill('New');
    await field(page, 'pages').fill('1');
    await field(page, 'isbn').fill(taken);
    await field(page, 'price').fill('1');
    await field(page, 'author').fill('1');
    await page.getByRole('button', { name: 'Add book' }).click();
    await problem('isbn').waitFor();
    expect(await problem('isbn').innerText()).toMatch(/^must be unique; record \d+ has this value$/);
    await close();
  });

  test('what breaks a rule of several fields is beside each of them', async () => {
    await api('POST', 'seats', '{"row":"A","place":"1"}');
    const { page, close } = await openConsole(browser, server.url, '/console/seats/new');
    await field(page, 'row').fill('A');
    await field(page, 'place').fill('1');
    await page.getByRole('button', { name: 'Add seat' }).click();
    for (const [name, other] of [
      ['row', 'place'],
      ['place', 'row'],
    ] as const)
      await page
        .locator(`#field-${name}-problem`, {
          hasText: `must be unique together with ${other}; record 1 has these values`,
        })
        .waitFor();
    await close();
  });

  test('what breaks a check rule is beside each of its fields, and is not sent', async () => {
    const { page, close } = await openConsole(browser, server.url, '/console/seats/new');
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    const problem = (name: string, hasText: string) => page.locator(`#field-${name}-problem`, { hasText }).waitFor();
    await field(page, 'row').fill('B');
    await field(page, 'place').fill('B');
    await field(page, 'free').fill('9007199254740992');
    await page.getByRole('button', { name: 'Add seat' }).click();
    await problem('row', 'is both');
    await problem('place', 'is both');
    await problem('free', 'is too few');
    expect(sent).toEqual([]);
    await field(page, 'place').fill('2');
    await field(page, 'free').fill('9007199254740993');
    await page.getByRole('button', { name: 'Add seat' }).click();
    await saved(page, 1);
    expect(sent).toHaveLength(1);
    await close();
  });

  test('a message covers no control', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, `/console/books/${await book()}`);
    const save = drawer(page).getByRole('button', { name: /^Save/ });
    await save.press('Enter');
    // It stays until it is closed.
    const message = page.getByRole('status').getByText('Nothing has changed.');
    await message.waitFor();
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      const [button, notice] = [await save.boundingBox(), await page.locator('.notice').boundingBox()];
      expect(button).not.toBeNull();
      expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(notice?.y ?? 0);
      expect((notice?.y ?? 0) + (notice?.height ?? 0)).toBeLessThanOrEqual(800);
    }
    await page.getByRole('button', { name: 'Close this message' }).click();
    await message.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  test('two people: nothing is overwritten, and each field is chosen', async () => {
    const id = await book(',"title":"Theirs and mine","pages":10,"weight":1');
    const [one, other] = await Promise.all([1, 2].map(() => openConsole(browser, server.url, `/console/books/${id}`)));
    if (one === undefined || other === undefined) throw new Error('there are two');
    await field(one.page, 'title').fill('Mine');
    await field(one.page, 'weight').fill('0.1');
    await field(other.page, 'title').fill('Theirs');
    await field(other.page, 'pages').fill('9007199254740993');
    await other.page.keyboard.press('Control+s');
    await saved(other.page, 2);
    await one.page.getByText('Somebody else has changed this record. When you save').waitFor();
    await one.page.keyboard.press('Control+s');
    const dialog = one.page.getByRole('dialog');
    await dialog.waitFor();
    const line = (name: string) => dialog.getByRole('row').filter({ has: one.page.getByRole('rowheader', { name }) });
    expect(await line('title').innerText()).toMatch(/Mine\s+Theirs/);
    expect(await line('pages').innerText()).toMatch(/10\s+not changed by you\s+9007199254740993/);
    expect(await line('title').getByRole('rowheader').innerText()).toMatch(/^title\s+changed by both$/);
    expect(await dialog.getByLabel('pages: not changed by you').isChecked()).toBe(false);
    expect(await dialog.getByLabel('weight: not changed by them').isChecked()).toBe(false);
    expect(await dialog.getByLabel('pages: theirs').isChecked()).toBe(true);
    expect(await dialog.getByLabel('weight: yours').isChecked()).toBe(true);
    expect(await violations(one.page)).toEqual([]);
    await one.page.keyboard.press('Escape');
    expect(await field(one.page, 'title').inputValue()).toBe('Mine');
    await one.page.keyboard.press('Control+s');
    await dialog.getByText('Still to choose: title').waitFor();
    await one.page.getByRole('button', { name: 'Save what is chosen' }).press('Enter');
    expect(JSON.parse(await api('GET', `books/${id}`)).version).toBe(2);
    await dialog.getByLabel('title: yours').check();
    await one.page.getByRole('button', { name: 'Save what is chosen' }).click();
    await saved(one.page, 3);
    const { title, pages, weight, version } = JSON.parse(await api('GET', `books/${id}`));
    expect({ title, pages, weight, version }).toEqual({
      title: 'Mine',
      pages: 9007199254740992,
      weight: 0.1,
      version: 3,
    });
    // The other person, who has entered nothing, sees it at once.
    await until(other.page, "document.getElementById('field-title').value === 'Mine'");
    expect([...one.complaints, ...other.complaints]).toEqual([]);
    await Promise.all([one.close(), other.close()]);
  });

  test('a deletion waits, can be undone, spares a changed record, and is sent when the page is left', async () => {
    const [kept, changed, gone, left] = [await book(), await book(), await book(), await book()];
    const { page, complaints, close } = await openConsole(browser, server.url, `/console/books/${kept}?sort=-id`);
    await page.clock.install();
    const remove = async (id: string) => {
      await page.getByRole('grid').waitFor();
      if (!page.url().includes(`/books/${id}?`))
        await page
          .locator('tbody tr')
          .filter({ has: page.getByLabel(`Select record ${id}`, { exact: true }) })
          .click();
      await drawer(page).getByRole('button', { name: 'Delete' }).click();
      await page.getByText(`The book ${id} is deleted in`).waitFor();
    };
    const exists = async (id: string) => (await fetch(`${server.url}/api/v2/books/${id}`)).status === 200;
    await remove(kept);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.clock.runFor(7000);
    expect(await exists(kept)).toBe(true);
    const deletion = () => page.waitForResponse((response) => response.request().method() === 'DELETE');
    await remove(changed);
    const headers = { 'Content-Type': 'application/json' };
    const patch = { method: 'PATCH', headers, body: '{"title":"Changed meanwhile"}' };
    expect((await fetch(`${server.url}/api/v2/books/${changed}`, patch)).status).toBe(200);
    const refused = deletion();
    await page.clock.runFor(7000);
    expect((await refused).status()).toBe(412);
    await page.getByText(`Record ${changed} of books was not deleted.`).waitFor();
    expect(await exists(changed)).toBe(true);
    await remove(gone);
    const sent = deletion();
    await page.clock.runFor(7000);
    expect((await sent).status()).toBe(204);
    expect(await exists(gone)).toBe(false);
    await remove(left);
    await page.goto(`${server.url}/docs/start.css`);
    while (await exists(left)) await Bun.sleep(20);
    expect(complaints).toEqual([]);
    await close();
  });

  // Its server is in memory.
  if (engine === 'sqlite')
    test('a history that begins far back is searched on request', async () => {
      const long = await startServer({ collections });
      const headers = { 'Content-Type': 'application/x-ndjson' };
      for (let bulk = 0; bulk < 3; bulk++) {
        const body = Array.from({ length: 5000 }, (_, n) => `{"name":"${bulk}-${n}"}`).join('\n');
        const added = await fetch(`${long.url}/api/v2/publishers/bulk`, { method: 'POST', headers, body });
        expect(added.status).toBe(201);
      }
      const { page, close } = await openConsole(browser, long.url, '/console/publishers/1');
      await page.getByRole('tab', { name: 'History' }).click();
      await page.getByText('The newest changes of the collection are not about this record.').waitFor();
      await page.getByRole('button', { name: 'Search further back' }).click();
      await page.locator('.history li').getByText('created').waitFor();
      await close();
      await long.stop();
    });

  test('the history shows who changed what', async () => {
    const id = await book(',"title":"First"');
    await api('PATCH', `books/${id}`, '{"title":"Second","pages":9007199254740993}');
    for (let more = 0; more < 5; more++) await book();
    await api('PATCH', `books/${id}`, '{"pages":null}');
    const { page, complaints, close } = await openConsole(browser, server.url, `/console/books/${id}`);
    await page.getByRole('tab', { name: 'History' }).click();
    const steps = page.locator('.history li');
    await steps.nth(2).waitFor();
    expect(
      (await steps.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').replace(/ \d{4}-\S+ [\d:.]+/, '')),
    ).toEqual([
      'updated version 3 pages 9007199254740993 \u2192 \u2013',
      'updated version 2 title First \u2192 Second pages \u2013 \u2192 9007199254740993',
      'created version 1',
    ]);
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test('entered values are not lost by going elsewhere', async () => {
    const id = await book();
    const { page, close } = await openConsole(browser, server.url, `/console/books/${id}`);
    await field(page, 'title').fill('Not saved');
    await page.getByRole('link', { name: 'authors' }).first().click();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await field(page, 'title').inputValue()).toBe('Not saved');
    await page.getByRole('link', { name: 'authors' }).first().click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.waitForURL('**/console/authors');
    await close();
  });

  test('a record is duplicated', async () => {
    const id = await book(',"title":"Copy me","pages":9007199254740993');
    const { page, close } = await openConsole(browser, server.url, `/console/books/${id}`);
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await page.waitForURL('**/console/books/new');
    await field(page, 'isbn').fill(String(isbn++));
    await page.keyboard.press('Control+s');
    await page.waitForURL(/books\/\d+$/);
    const copy = JSON.parse(await api('GET', `books/${page.url().split('/').pop()}`));
    expect(copy).toMatchObject({ title: 'Copy me', pages: 9007199254740992, version: 1 });
    await close();
  });

  test('create, filter, edit and delete with the keyboard alone', async () => {
    const { page, close } = await openConsole(browser, server.url, '/console/publishers');
    await page.getByText('There are no publishers yet.').waitFor();
    const focusOn = async (name: string) => {
      for (let tries = 0; tries < 60; tries++) {
        await page.keyboard.press('Tab');
        const label = await page.evaluate(
          "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText ?? '').trim()",
        );
        if (label === name || (await page.evaluate('document.activeElement.id')) === name) return;
      }
      throw new Error(`the Tab key does not reach ${name}`);
    };
    await focusOn('New publisher');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/publishers/new');
    await focusOn('field-name');
    await page.keyboard.type('Sur');
    await page.keyboard.press('Control+s');
    await page.waitForURL(/publishers\/\d+$/);
    await page.keyboard.press('Escape');
    await page.waitForURL('**/publishers');

    await focusOn('Filter');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Su');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/publishers?name[contains_ci]=Su');
    await page
      .getByRole('gridcell', { name: 'Sur' })
      .or(page.locator('td', { hasText: 'Sur' }))
      .first()
      .waitFor();

    await focusOn('Table of publishers');
    await page.keyboard.press('Enter');
    await focusOn('field-name');
    await page.keyboard.press('End');
    await page.keyboard.type(' 2');
    await page.keyboard.press('Control+s');
    await saved(page, 2);
    expect(await api('GET', 'publishers?fields=name')).toContain('"Sur 2"');

    // The focus is back in the table.
    await page.keyboard.press('Escape');
    await page.waitForURL('**/publishers?name[contains_ci]=Su');
    await page.keyboard.press('Space');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Shift+Tab');
    for (let tries = 0; tries < 20 && (await page.evaluate('document.activeElement.innerText')) !== 'Delete'; tries++)
      await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await focusOn('Delete 1 publisher');
    await page.keyboard.press('Enter');
    await page.getByText('No publishers match these filters.').waitFor();
    expect(await api('GET', 'publishers?fields=name')).toStartWith('{"data":[]');
    await close();
  });

  if (engine === 'sqlite')
    test('axe-core finds no violation in the form, also with problems', async () => {
      const { page, close } = await openConsole(browser, server.url, '/console/books/new');
      await field(page, 'pages').fill('x');
      await page.keyboard.press('Control+s');
      await drawer(page).getByText('must be a number').waitFor();
      expect(await violations(page)).toEqual([]);
      await close();
    });
});
