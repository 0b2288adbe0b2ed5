/** Every option of a declaration on the Schema screen, in Chromium, and what the rest of the file keeps meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { browserPath, launch } from '../support/pages/browser.ts';
import { keyFor, openConsole, violationsOn } from '../support/pages/console-page.ts';
import { lastingEngines } from '../support/servers/engines.ts';
import { type Live, startLive } from '../support/servers/live.ts';

const file = `{
  // Who is who.
  "roles": { "librarian": { "from": { "claim": "groups", "has": "staff" } }, "visitor": { "from": "anybody" } },
  "collections": {
    "books": {
      "singular": "book",
      "fields": {
        "title": { "type": "text", "max": 100 }, // as printed
        "subtitle": { "type": "text", "optional": true },
        "pages": { "type": "integer", "optional": true },
        "tags": { "type": "list", "of": "text", "default": [] }
      },
      "check": [
        // Sheets have two sides.
        { "where": { "any": [{ "pages": { "is": "null" } }, { "pages": { "gt": 1 } }] },
          "message": "is too thin" }, // since 2020
        { "where": { "title": { "ne": "" } }, "message": "must not be empty" }
      ],
      "access": {
        "librarian": "write" // all of them
      }
    }
  }
}
`;

const side = (page: Page) => page.getByRole('complementary', { name: 'What this will do' });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).press('Enter');
const options = (page: Page) => press(page, 'Options of books');
const open = (page: Page, field: string) =>
  page
    .getByRole('list', { name: 'Fields of books' })
    .getByRole('button', { name: new RegExp(`^${field}\\b`), expanded: false })
    .press('Enter');
async function apply(page: Page): Promise<void> {
  await side(page).getByRole('button', { name: 'Apply', exact: true }).press('Enter');
  await page.getByText('Done: the server serves the collections as you see them.').waitFor();
}

describe.skipIf(browserPath === undefined).each(lastingEngines())('options of the schema, %s', (engine, newUrl) => {
  const violations = violationsOn(engine);
  let browser: Browser;
  let server: Live;
  let key: string;
  beforeAll(async () => {
    const started = startLive({ text: file, database: await newUrl(), access: { auth: 'write' } });
    [browser, server] = await Promise.all([launch(), started]);
    key = await keyFor(server, 'admin');
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  const openSchema = () => openConsole(browser, server.url, '/console/-/schema', { key });
  const role = (name: string) => fetch(`${server.url}/api/v2/books`, { headers: { 'Shelf-Role': name } });

  test('those of a collection, each with its mistakes beside it', async () => {
    const { page, complaints, close } = await openSchema();
    await options(page);
    await page.getByLabel('Words searched').fill('titel');
    await page.locator('.option').filter({ hasText: 'Words searched' }).getByText('did you mean "title"?').waitFor();
    await page.getByLabel('First record').fill('{"title": ');
    await page.locator('.option').filter({ hasText: 'First record' }).getByText('is not JSON yet').waitFor();
    await page.getByLabel('First record').fill('{"title": 7}');
    await page.getByLabel('Words searched').fill('title');
    await page.locator('.option').filter({ hasText: 'First record' }).getByText('title: must be a string').waitFor();
    await page.getByLabel('Access of visitor to books', { exact: true }).selectOption('rule');
    await page.getByLabel('Rule: Access of visitor to books').fill('{"read": {"fields": ["titel"]}}');
    await page.locator('.schema-rule.access').getByText('did you mean "title"?').waitFor();
    expect(await violations(page, 'dialog')).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    // Closed, the collection says it.
    await options(page);
    await page.getByRole('region', { name: 'books' }).getByText('access.visitor.read.fields').waitFor();
    await options(page);
    await page.getByLabel('Rule: Access of visitor to books').fill('{"read": {"fields": ["title"]}}');
    await page.getByLabel('First record').fill('{"title": "Ficciones"}');
    await page.getByLabel('Shown as').selectOption('subtitle');
    await page.getByLabel('Has the routes of the contract').check();
    await side(page).getByText('add external_id').waitFor();
    expect((await role('visitor')).status).toBe(404);
    await apply(page);
    expect(server.onDisk()).toBe(
      file
        .replace(
          '"write" // all of them\n',
          '"write", // all of them\n        "visitor": { "read": { "fields": ["title"] } }\n',
        )
        .replace(
          '      }\n    }\n  }\n}\n',
          `      },
      "search": ["title"],
      "first": { "title": "Ficciones" },
      "shown_as": "subtitle",
      "contract": true
    }
  }
}
`,
        ),
    );
    expect((await role('visitor')).status).toBe(200);
    expect((await fetch(`${server.url}/api/books`)).status).toBe(200);
    // What is said of the collection, where nothing is open.
    await page.reload();
    const books = page.getByRole('region', { name: 'books' });
    for (const words of ['librarian: write; visitor: read by a rule', 'subtitle', 'has the routes of the contract'])
      await books.getByRole('definition').filter({ hasText: words }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('every mistake stands at its place, open or closed, also where no input is', async () => {
    const { page, complaints, close } = await openSchema();
    const wrong = {
      ...{ singular: 'Bad Name', title: 7, was: 8, contract: 'yes', shown_as: 'zz', first: 9, color: 'red' },
      fields: {
        ...{ a: { type: 'text', uniqe: true }, b: 'txt', c: { type: 'integer', min: 'x' }, e: 7, 'Bad-Name': 'date' },
        d: { type: 'list', of: { type: 'text', max: 'x' }, max: -1 },
        f: { type: 'choice', of: ['a', 'a'] },
        g: { type: 'decimal' },
        h: { type: 'text', pattern: '[', default: 3, was: 4 },
        i: { type: 'reference', to: 'nowhere', on_delete: 'explode' },
        j: { type: 'reference', to: 'shelves', on_delete: 'clear' },
      },
      indexes: ['zz', ['a', 'a']],
      unique: [['zz'], { fields: ['a'], where: { zz: 1 } }],
      check: [{ where: { zz: 1 }, message: '' }, 7],
      search: ['zz'],
      access: { nobody: 'read', visitor: { read: { where: { zz: 1 } }, fly: true } },
    };
    const text = JSON.stringify({
      roles: { visitor: { from: 'anybody' } },
      collections: { shelves: wrong, books: { fields: {} }, 'no name': 7 },
      settings: { prt: 1 },
    });
    const { mistakes } = (await (
      await fetch(`${server.url}/api/v2/settings/plan`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}` },
        body: JSON.stringify({ text }),
      })
    ).json()) as { mistakes: readonly { readonly path: string; readonly message: string }[] };
    expect(mistakes.length).toBeGreaterThan(30);
    await page.getByRole('link', { name: 'File' }).click();
    await page.getByRole('textbox', { name: 'shelf.json' }).fill(text);
    const shown = async () => (await page.locator('.schema-main .mistakes').allInnerTexts()).join('\n');
    const missing = async () => {
      const all = await shown();
      return mistakes.filter(({ message }) => !all.includes(message));
    };
    await page.locator('.schema-main .mistakes').getByText('prt').waitFor();
    expect(await missing()).toEqual([]);
    await page.getByRole('link', { name: 'Tables' }).click();
    await page.getByRole('list', { name: 'Fields of shelves' }).waitFor();
    expect(await missing()).toEqual([]);
    await press(page, 'Options of shelves');
    for (const field of Object.keys(wrong.fields)) {
      await page
        .getByRole('list', { name: 'Fields of shelves' })
        .getByRole('button', { name: new RegExp(`^${field}\\b`), expanded: false })
        .press('Enter');
      expect([field, await missing()]).toEqual([field, []]);
    }
    expect(complaints).toEqual([]);
    await close();
  });

  test('those of the elements of a list', async () => {
    const { page, complaints, close } = await openSchema();
    await open(page, 'tags');
    const elements = page.getByRole('group', { name: 'Elements' });
    await elements.getByLabel('At most').fill('x');
    await elements.locator('.option').filter({ hasText: 'At most' }).getByRole('alert').waitFor();
    await elements.getByLabel('At most').fill('20');
    await page.getByText('of text (at most 20 characters)').waitFor();
    await elements.getByLabel('Of', { exact: true }).selectOption('decimal');
    await elements.getByLabel('Places').fill('3');
    await elements.getByLabel('Of', { exact: true }).selectOption('choice');
    await elements.locator('.option').filter({ hasText: 'Choices' }).getByRole('alert').waitFor();
    await elements.getByLabel('Choices').fill('short\nlong');
    await side(page).getByText('convert list').waitFor();
    await side(page).getByLabel('Type books.tags to convert its values').fill('books.tags');
    await apply(page);
    expect(server.onDisk()).toContain(
      '"tags": { "type": "list", "of": { "type": "choice", "of": ["short", "long"] }, "default": [] }\n',
    );
    expect(complaints).toEqual([]);
    await close();
  });

  test('rules: the others keep their comments and their formatting', async () => {
    const before = server.onDisk();
    const { page, complaints, close } = await openSchema();
    await options(page);
    await page.getByLabel('Message: Checks 2 of books').fill('is missing');
    await press(page, 'Add a check rule');
    const last = page.getByLabel('Condition: Checks 3 of books');
    await last.fill('{"title": {"ne": ');
    await page.locator('.schema-rule').getByText('is not JSON yet').waitFor();
    await last.fill('{"title": {"ne": "x"}}');
    await page.getByLabel('Condition: Checks 2 of books').fill('{');
    await press(page, 'Remove the check rule 2');
    // What was typed stays with its rule.
    await page.getByLabel('Condition: Checks 3 of books').waitFor({ state: 'detached' });
    expect(JSON.parse(await page.getByLabel('Condition: Checks 2 of books').inputValue())).toEqual({
      title: { ne: 'x' },
    });
    await apply(page);
    expect(server.onDisk()).toBe(
      before.replace(
        '{ "where": { "title": { "ne": "" } }, "message": "must not be empty" }',
        '{ "where": { "title": { "ne": "x" } }, "message": "must not be empty" }',
      ),
    );
    expect(complaints).toEqual([]);
    await close();
  });

  test('a collection is renamed, and one that was removed and added again is asked about first', async () => {
    const { page, complaints, close } = await openSchema();
    await options(page);
    await press(page, 'Rename books');
    const dialog = page.getByRole('dialog', { name: 'Rename books' });
    await dialog.getByText('Its records stay, and references to it follow').waitFor();
    await dialog.getByLabel('New name').fill('events');
    await dialog.getByRole('alert').getByText('"events" is reserved').waitFor();
    await dialog.getByLabel('New name').fill('volumes');
    await dialog.getByLabel('New name').press('Enter');
    await side(page).getByText('rename the collection books').waitFor();
    expect(await side(page).getByText('is not served any more').count()).toBe(0);
    await press(page, 'Discard');

    await options(page);
    await press(page, 'Remove books from the file');
    await press(page, 'New collection');
    await page.getByRole('dialog').getByLabel('Name').fill('volumes');
    await page.getByRole('dialog').getByLabel('Name').press('Enter');
    await press(page, 'Yes, it is volumes now');
    await side(page).getByText('rename the collection books').waitFor();
    await page.getByRole('link', { name: 'File' }).click();
    expect(await page.getByRole('textbox', { name: 'shelf.json' }).inputValue()).toContain('"was": "books"');
    await press(page, 'Discard');
    expect(complaints).toEqual([]);
    await close();
  });

  test('a collection that is left out or removed is named, and its records stay', async () => {
    const { page, complaints, close } = await openSchema();
    await page.getByRole('link', { name: 'items', exact: true }).waitFor();
    await press(page, 'Leave out items');
    const unserved = side(page).getByRole('list', { name: 'Not served any more' });
    await unserved.getByText('items is not served any more').waitFor();
    await options(page);
    await press(page, 'Remove books from the file');
    await unserved.getByText('books is not served any more').waitFor();
    await press(page, 'Discard');
    await press(page, 'Leave out items');
    await apply(page);
    await page.getByRole('link', { name: 'items', exact: true }).waitFor({ state: 'detached' });
    expect(server.onDisk()).toContain('"items": false');
    await press(page, 'Serve items');
    await apply(page);
    await page.getByRole('link', { name: 'items', exact: true }).waitFor();
    expect(server.onDisk()).not.toContain('"items"');
    expect(complaints).toEqual([]);
    await close();
  });
});
