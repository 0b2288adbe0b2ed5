/** The Schema screen, in Chromium against a server that takes over what it applies. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { browserPath, launch } from '../support/pages/browser.ts';
import { keyFor, openConsole, until, violationsOn } from '../support/pages/console-page.ts';
import { lastingEngines } from '../support/servers/engines.ts';
import { type Live, startLive } from '../support/servers/live.ts';
import type { ServerOptions } from '../support/servers/server.ts';

const path = '/console/-/schema';
const file = `{
  // The library.
  "collections": {
    "authors": { "singular": "author", "fields": { "name": { "type": "text", "max": 200 } } },
    "books": {
      "singular": "book",
      "fields": {
        // As printed.
        "title": { "type": "text", "max": 100 },
        "pages": { "type": "integer", "optional": true }, // without the cover
        "tags": { "type": "list", "of": "text", "default": [] },
        "author": { "type": "reference", "to": "authors", "optional": true, "on_delete": "clear" }
      },
      "indexes": ["title"]
    }
  }
}
`;

const fieldsOf = (page: Page, collection: string) => page.getByRole('list', { name: `Fields of ${collection}` });
const side = (page: Page) => page.getByRole('complementary', { name: 'What this will do' });
const open = (page: Page, collection: string, field: string) =>
  fieldsOf(page, collection)
    .getByRole('button', { name: new RegExp(`^${field}\\b`), expanded: false })
    .press('Enter');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).press('Enter');
async function apply(page: Page): Promise<void> {
  await side(page).getByRole('button', { name: 'Apply', exact: true }).press('Enter');
  await page.getByText('Done: the server serves the collections as you see them.').waitFor();
}
const whyNot = (page: Page) => side(page).getByRole('button', { name: 'Apply' }).getAttribute('title');

describe.skipIf(browserPath === undefined).each(lastingEngines())('schema, %s', (engine, newUrl) => {
  const violations = violationsOn(engine);
  let browser: Browser;
  let server: Live;
  beforeAll(async () => {
    const started = startLive({ text: file, database: await newUrl(), access: { auth: 'write' } });
    [browser, server] = await Promise.all([launch(), started]);
    admin = await keyFor(server, 'admin');
    writer = await keyFor(server, 'write');
    for (const title of ['Ficciones', 'Ficciones', 'Orlando'])
      await send('POST', '/books', { title, pages: 174, tags: ['a'] });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  let admin: string;
  let writer: string;
  async function send(method: string, at: string, body: object, headers = {}) {
    const sent = { method, body: JSON.stringify(body), headers: { Authorization: `Bearer ${admin}`, ...headers } };
    const answer = await fetch(`${server.url}/api/v2${at}`, sent);
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }
  const get = async (at: string) =>
    (await fetch(`${server.url}/api/v2${at}`, { headers: { Authorization: `Bearer ${admin}` } })).json() as Promise<
      Record<string, unknown>
    >;
  const openSchema = (search = '') => openConsole(browser, server.url, `${path}${search}`, { key: admin });

  test('a field is added and served without a reload, and the rest of the file stays as it is', async () => {
    const { page, complaints, close } = await openSchema();
    await page.getByRole('link', { name: 'books', exact: true }).first().waitFor();
    await press(page, 'Add field to books');
    await page.getByLabel('Name of the new field').fill('state');
    await page.getByLabel('Type of the new field').selectOption('choice');
    await page.getByLabel('Name of the new field').press('Enter');
    // Its mistakes are beside the option.
    await page.locator('.option').filter({ hasText: 'Choices' }).getByRole('alert').waitFor();
    await page.getByLabel('Choices').fill('draft\npublished');
    await page.getByRole('checkbox', { name: 'Optional' }).uncheck();
    await page.getByLabel('Default').fill('draft');
    const steps = side(page).getByRole('list', { name: 'Steps' });
    await steps.getByText('add the field; records get "draft" (3 records)').waitFor();
    await steps.getByText('loses nothing').waitFor();
    expect(await violations(page)).toEqual([]);
    await apply(page);
    expect(server.onDisk()).toBe(
      file.replace(
        '"on_delete": "clear" }\n',
        '"on_delete": "clear" },\n        "state": { "type": "choice", "of": ["draft", "published"], "default": "draft" }\n',
      ),
    );
    // The same page, which has not been loaded again, shows it.
    await page.getByRole('link', { name: 'books', exact: true }).first().click();
    await page.getByRole('columnheader', { name: 'state' }).waitFor();
    await page.locator('tbody tr').filter({ hasText: 'draft' }).first().waitFor();
    expect(await get('/books/1')).toMatchObject({ title: 'Ficciones', state: 'draft' });
    expect(complaints).toEqual([]);
    await close();
  });

  test('a rename asks and keeps the values; indexes follow', async () => {
    const { page, close } = await openSchema();
    await open(page, 'books', 'title');
    await press(page, 'Rename title');
    const dialog = page.getByRole('dialog', { name: 'Rename title' });
    await dialog.getByText('"was": "title"').waitFor();
    await dialog.getByLabel('New name').fill('Name');
    await dialog.getByRole('alert').getByText('It must have only lower-case letters').waitFor();
    await dialog.getByLabel('New name').fill('pages');
    await dialog.getByRole('alert').getByText('There is a field "pages" already.').waitFor();
    expect(await violations(page, 'dialog')).toEqual([]);
    await dialog.getByLabel('New name').fill('name');
    await dialog.getByLabel('New name').press('Enter');
    await side(page).getByText('rename the field title').waitFor();
    await apply(page);
    expect(server.onDisk()).toContain(
      '        // As printed.\n        "name": { "type": "text", "max": 100, "was": "title" },\n',
    );
    expect(server.onDisk()).toContain('"indexes": ["name"]');
    expect(await get('/books/3')).toMatchObject({ name: 'Orlando' });
    await close();
  });

  test('what loses values is allowed by typing its name, and what converts them, too', async () => {
    const { page, close } = await openSchema();
    await open(page, 'books', 'tags');
    await press(page, 'Remove tags');
    await open(page, 'books', 'pages');
    await page.getByLabel('Type', { exact: true }).selectOption('text');
    await side(page).getByText('remove the field, with its values').waitFor();
    await side(page).getByText('convert integer to text').waitFor();
    await side(page).getByText('loses values').first().waitFor();
    expect(await whyNot(page)).toMatch(/^Type books\.(tags|pages) to allow it first\.$/);
    await side(page).getByLabel('Type books.tags to remove its values').fill('books.tags');
    await side(page).getByLabel('Type books.pages to convert its values').fill('books.page');
    expect(await whyNot(page)).toBe('Type books.pages to allow it first.');
    await side(page).getByLabel('Type books.pages to convert its values').fill('books.pages');
    expect(await violations(page, 'dialog')).toEqual([]);
    await apply(page);
    expect(server.onDisk()).toContain('"pages": { "type": "text", "optional": true }, // without the cover');
    expect(await get('/books/1')).not.toHaveProperty('tags');
    expect(await get('/books/1')).toMatchObject({ pages: '174' });
    await close();
  });

  test('records that do not fit are named, and nothing is applied', async () => {
    const before = server.onDisk();
    const { page, close } = await openSchema();
    await open(page, 'books', 'name');
    await page.getByRole('checkbox', { name: 'Unique' }).check();
    await side(page).getByText('make it unique').waitFor();
    await side(page).getByText('records 1 and 2').first().waitFor();
    expect(await whyNot(page)).toBe('Change the records that do not fit first.');
    await side(page).getByRole('button', { name: 'Apply' }).press('Enter');
    await page.getByRole('status').getByText('Change the records that do not fit first.').waitFor();
    expect(server.onDisk()).toBe(before);
    await close();
  });

  test('the file, its mistakes and a rename that looks like a loss', async () => {
    const { page, close } = await openSchema('?view=file');
    const text = page.getByRole('textbox', { name: 'shelf.json' });
    await text.fill('{ "collections": ');
    await page.getByText('This is not JSON with comments yet.').waitFor();
    await text.fill(
      server.onDisk().replace('"to": "authors"', '"to": "autors"').replace(/}\n$/, ', "settings": { "prt": 1 } }'),
    );
    await page.getByText('settings.prt: there is no such setting').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'collections.books.fields.author' }).getByRole('button').click();
    const selected = await page.evaluate('getSelection().toString()');
    expect(selected).toBe('"author"');
    expect(await violations(page, 'dialog')).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await side(page).getByText('there is no collection "autors"; did you mean "authors"?').waitFor();
    expect(await whyNot(page)).toBe('Correct the mistakes first.');
    await page.getByRole('link', { name: 'Tables' }).click();
    await fieldsOf(page, 'books').getByRole('alert').getByText('there is no collection "autors"').waitFor();
    await page.getByRole('main').getByText('settings.prt: there is no such setting').waitFor();
    await press(page, 'Discard');
    await page.getByRole('button', { name: 'Undo' }).click();
    await fieldsOf(page, 'books').getByRole('alert').waitFor();
    await press(page, 'Discard');

    await open(page, 'authors', 'name');
    await press(page, 'Remove name');
    await press(page, 'Add field to authors');
    await page.getByLabel('Name of the new field').fill('label');
    await page.getByLabel('Name of the new field').press('Enter');
    await press(page, 'Yes, it is label now');
    await side(page).getByText('rename the field name').waitFor();
    expect(await side(page).getByText('remove the field').count()).toBe(0);
    await press(page, 'Discard');
    await close();
  });

  test('fields are moved, rules are made, collections are added, and the draft outlives other screens', async () => {
    const { page, complaints, close } = await openSchema();
    await press(page, 'New collection');
    const dialog = page.getByRole('dialog', { name: 'New collection' });
    await dialog.getByLabel('Name').fill('events');
    await dialog.getByRole('alert').getByText('"events" is reserved').waitFor();
    await dialog.getByLabel('Name').fill('loans');
    await dialog.getByLabel('Name').press('Enter');
    await press(page, 'Add field to loans');
    await page.getByLabel('Name of the new field').fill('book');
    await page.getByLabel('Type of the new field').selectOption('reference');
    await press(page, 'Add');
    await page.getByLabel('To', { exact: true }).selectOption('books');
    await page.getByLabel('If that record is deleted').selectOption('cascade');
    await press(page, 'Move book up');
    await page.getByRole('button', { name: 'Options of loans' }).press('Enter');
    await press(page, 'Add a unique rule');
    const rule = page.getByLabel('Fields: Unique together 1 of loans');
    await rule.fill('book, nam');
    await page.locator('.schema-rule').getByText('there is no field "nam"').waitFor();
    expect(await violations(page, 'dialog')).toEqual([]);
    // The links are behind a button on the narrow page that was checked last.
    await page.setViewportSize({ width: 1280, height: 800 });
    await rule.fill('book');
    await page.getByLabel('Condition: Unique together 1 of loans').fill('{"name": {"is": "null"}}');
    await page.getByLabel('Title', { exact: true }).first().fill('Loans');
    await page.getByRole('link', { name: 'Live' }).click();
    await page.getByRole('heading', { name: 'Live' }).waitFor();
    await page.getByRole('link', { name: 'Schema' }).click();
    // The draft is still there. A null cannot be asked for of a field that has none.
    await side(page).getByText('loans.unique').waitFor();
    await press(page, 'As code');
    await page.getByRole('dialog').getByText('If-Match').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Options of loans' }).press('Enter');
    await press(page, 'Remove the unique rule 1');
    await press(page, 'Add an index');
    await side(page).getByText('create the collection').waitFor();
    await apply(page);
    expect(server.onDisk()).toContain(`    "loans": {
      "title": "Loans",
      "singular": "loan",
      "fields": {
        "book": { "type": "reference", "to": "books", "on_delete": "cascade" },
        "name": "text"
      },
      "indexes": ["book"]
    }
`);
    await page.getByRole('link', { name: 'Loans', exact: true }).click();
    await page.getByText('There are no loans yet.').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('the picture of references is used with the keyboard, and is there in words', async () => {
    const { page, complaints, close } = await openSchema('?view=references');
    await page.getByText('books.author refers to authors. If a record of authors is deleted').waitFor();
    expect(await page.locator('.picture-line').count()).toBe(2);
    const width = async () => (await page.locator('.picture svg').boundingBox())?.width ?? 0;
    const natural = await width();
    await page.keyboard.press('+');
    await page.getByText('125 %').waitFor();
    expect(await width()).toBeGreaterThan(natural * 1.2);
    await press(page, 'Smaller');
    await press(page, 'Smaller');
    await page.getByRole('status').getByText('80 %').waitFor();
    await page.keyboard.press('0');
    expect(await width()).toBe(natural);
    await page.setViewportSize({ width: 360, height: 800 });
    await press(page, 'Fit');
    await until(
      page,
      "document.querySelector('.picture').scrollWidth <= document.querySelector('.picture').clientWidth",
    );
    expect(await violations(page)).toEqual([]);
    await page
      .getByRole('region', { name: 'References between collections' })
      .getByRole('link', { name: /^books/ })
      .focus();
    expect(await page.locator('.picture-line.active').count()).toBe(2);
    await page.keyboard.press('Enter');
    await fieldsOf(page, 'books').waitFor();
    expect(new URL(page.url()).search).toBe('?collection=books');
    expect(complaints).toEqual([]);
    await close();
  });

  test('a change of somebody else is shown, and both are kept', async () => {
    const { page, close } = await openSchema();
    await open(page, 'books', 'pages');
    await page.getByLabel('Description').fill('Without the cover.');
    const { text } = (await get('/settings')) as { text: string };
    const theirs = text.replace('"max": 200', '"max": 300');
    await send('PUT', '/settings', { text: theirs, allow: [] }, { 'If-Match': '*' });
    await side(page).getByText('Nothing happens to the records.').waitFor();
    await side(page).getByRole('button', { name: 'Apply', exact: true }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Somebody else has changed the file' });
    await dialog.getByText('authors.name').waitFor();
    await dialog.getByText('books.pages').waitFor();
    expect(await violations(page, 'dialog')).toEqual([]);
    await dialog.getByRole('button', { name: 'Take theirs, with your changes' }).press('Enter');
    await apply(page);
    expect(server.onDisk()).toContain('"max": 300');
    expect(server.onDisk()).toContain('"description": "Without the cover."');
    await close();
  });

  test('only a key of scope admin sees the screen', async () => {
    const { page, close } = await openConsole(browser, server.url, path, { key: writer });
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    expect(await page.getByRole('link', { name: 'Schema' }).count()).toBe(0);
    await close();
  });

  const closedBy: readonly (readonly [reason: string, options: ServerOptions, mode: number])[] = [
    ['--console-schema is off', { server: { consoleSchema: false } }, 0o644],
    ['shelf.json is read-only for this server', {}, 0o444],
    ['--auth is off, and other machines can reach this server at 0.0.0.0', { server: { host: '0.0.0.0' } }, 0o644],
  ];
  for (const [reason, options, mode] of closedBy)
    test(`a file that cannot be changed here is shown and copied: ${reason}`, async () => {
      const closed = await startLive({ text: file, ...options });
      chmodSync(closed.path, mode);
      const { page, complaints, close } = await openConsole(browser, closed.url, path);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      const why = `The file cannot be changed here: ${reason}.`;
      await side(page).getByText(why).waitFor();
      await open(page, 'books', 'pages');
      await page.getByLabel('At least').fill('1');
      await side(page).getByText('narrow the bounds').waitFor();
      expect(await whyNot(page)).toBe(why);
      await side(page).getByRole('button', { name: 'Apply' }).press('Enter');
      await page.getByRole('status').getByText(why).waitFor();
      // As it would be, with its comments and its formatting.
      const changed = file.replace('"optional": true }, //', '"optional": true, "min": 1 }, //');
      await side(page).getByRole('link', { name: 'the file' }).press('Enter');
      expect(await page.getByRole('textbox', { name: 'shelf.json' }).inputValue()).toBe(changed);
      await side(page).getByRole('button', { name: 'Copy the file' }).press('Enter');
      await page.getByText('Copied.').waitFor();
      // Over plain HTTP from another machine, a page cannot read what was copied.
      await page.getByRole('textbox', { name: 'shelf.json' }).fill('');
      await page.keyboard.press('Control+v');
      expect(await page.getByRole('textbox', { name: 'shelf.json' }).inputValue()).toBe(changed);
      expect(closed.onDisk()).toBe(file);
      expect(complaints).toEqual([]);
      await close();
      await closed.stop();
    });
});
