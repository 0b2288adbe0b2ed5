/** The console's import, in Chromium, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { library } from '../support/data/library.ts';
import { browserPath, launch } from '../support/pages/browser.ts';
import { keyFor, openConsole, violationsOn } from '../support/pages/console-page.ts';
import { importPage } from '../support/pages/import-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

const { path, fileOf, press, done, loseAnswer } = importPage();
/** An expression for the page: how many imports and groups of refused rows the browser keeps. */
const keptRows = `new Promise((resolve) => {
  const request = indexedDB.open('shelf', 1);
  request.onsuccess = () => {
    const names = ['imports', 'refused'];
    const transaction = request.result.transaction(names);
    const counts = names.map((name) => transaction.objectStore(name).count());
    transaction.oncomplete = () => {
      request.result.close();
      resolve(counts.map(({ result }) => result));
    };
  };
})`;
/** What a page has for dropped files. */
type DropTypes = {
  readonly DataTransfer: new () => { readonly items: { add(file: object): void } };
  readonly File: new (parts: readonly string[], name: string) => object;
};

describe.skipIf(browserPath === undefined).each(migratedEngines())('import, %s', (engine, newUrl) => {
  const violations = violationsOn(engine);
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    const started = startServer({ database: await newUrl(), collections: library, access: { auth: 'write' } });
    [browser, server] = await Promise.all([launch(), started]);
    writer = await keyFor(server, 'write');
    for (const body of ['{"name":"Borges"}', '{"name":"Woolf"}'])
      await (await fetch(`${server.url}/api/v2/authors`, { method: 'POST', headers: auth(), body })).text();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  let writer: string;
  const auth = () => ({ Authorization: `Bearer ${writer}` });
  const all = async (at: string) => (await (await fetch(`${server.url}/api/v2/${at}`)).json()) as { data: object[] };

  test('the columns of a file choose the collection, and a person can choose another one for it', async () => {
    const { page, close } = await openConsole(browser, server.url, path, { key: writer });
    const into = page.getByRole('combobox', { name: 'Into' });
    expect(await into.inputValue()).not.toBe('books');
    const csv = fileOf('new.csv', 'title,isbn,price,author\nRayuela,9780000000099,8,1');
    await page.getByLabel('Choose a file').setInputFiles(csv);
    await page.getByRole('heading', { name: 'new.csv into books' }).waitFor();
    expect(new URL(page.url()).search).toBe('?collection=books');
    await into.selectOption('authors');
    await page.getByRole('heading', { name: 'new.csv into authors' }).waitFor();
    await page.getByText('No column has name, which every author needs.').waitFor();
    await page.getByRole('button', { name: 'Choose another file' }).click();
    await into.selectOption('books');
    await page.getByLabel('Choose a file').waitFor();
    await close();
  });

  test('columns are chosen, rows are checked here and by the server, and refused ones are saved', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, `${path}?collection=books`, {
      key: writer,
    });
    expect(await page.getByLabel('Into').inputValue()).toBe('books');
    await page.getByRole('button', { name: 'As code' }).press('Enter');
    await page.getByText(`-H 'Content-Type: text/csv' --data-binary @books.csv`).waitFor();
    await page.keyboard.press('Escape');
    expect(await violations(page)).toEqual([]);
    const csv = fileOf(
      'old books.csv',
      [
        'Name;ISBN;Price;author;pages;Tags;Notes',
        'Ficciones;9780000000001;12,30;1;174;;x',
        '"El ""Aleph""";9780000000002;7.5;1;;"[""a"",""b""]";',
        'Orlando;9780000000003;8;2;"0";;',
        'Again;9780000000002;8;2;;;',
        'Nobody;9780000000004;8;99;;;',
        '<img src=x onerror=alert(1)>;9780000000005;0.5;2;9007199254740993;;',
      ].join('\n'),
    );
    await page.getByLabel('Choose a file').setInputFiles(csv);
    await page.getByText('No column has title, which every book needs.').waitFor();
    await page.getByText('Left out: Name, Notes.').waitFor();
    const check = page.getByRole('button', { name: /^Check all rows/ });
    expect(await check.getAttribute('aria-disabled')).toBe('true');
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Field of Name').selectOption('title');
    await page.getByText('2 of the first 6 rows would be refused').waitFor();
    await page.getByText('Only Check all rows reads the whole file, and compares').waitFor();
    await page.getByText('wrong rows are refused all the same').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Ficciones' });
    await row.getByText('must be a decimal number with at most 2 places').waitFor();

    await page.getByRole('button', { name: 'As code' }).press('Enter');
    const code = page.getByRole('dialog');
    await code.getByText(`shelf import 'old books.csv' --collection books --map Name=title`).waitFor();
    await code.getByText(`title: 'El "Aleph"', isbn: '9780000000002', price: '7.5', author: 1, pages: null`).waitFor();
    await page.keyboard.press('Escape');

    await check.press('Enter');
    await done(page, '2 rows can be added, 4 would be refused.');
    expect(await page.locator('.import-refused li').allTextContents()).toEqual([
      'Line 2price must be a decimal number with at most 2 places',
      'Line 4pages must be at least 1',
      'Line 5isbn must be unique; line 3 has this value',
      'Line 6author refers to record 99 of authors, which does not exist',
    ]);
    expect(await violations(page)).toEqual([]);
    expect((await all('books')).data).toEqual([]);
    await press(page, 'Import 2 records');
    await done(page, '2 records were added, 4 were refused.');
    expect((await all('books?fields=title,isbn,price,pages,tags')).data).toEqual([
      { title: 'El "Aleph"', isbn: '9780000000002', price: '7.50', pages: null, tags: ['a', 'b'] },
      {
        title: '<img src=x onerror=alert(1)>',
        isbn: '9780000000005',
        price: '0.50',
        pages: 9007199254740992,
        tags: [],
      },
    ]);

    // The refused rows outlive a reload, and can be imported when they are corrected.
    await page.reload();
    await page.getByText('old books.csv was imported').waitFor();
    const saving = page.waitForEvent('download');
    await press(page, 'Download the refused rows');
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('old books-refused.csv');
    const text = readFileSync(await saved.path(), 'utf8');
    expect(text).toStartWith('_line;_reason;Name;ISBN;Price;author;pages;Tags;Notes\n2;price must be');
    const corrected = text
      .replace('12,30', '12.30')
      .replace('"0"', '100')
      .replace(';99;', ';2;')
      .replace(/^5;.*\n/m, '');
    await press(page, 'Import another file');
    await page.getByLabel('Choose a file').setInputFiles(fileOf('corrected.csv', corrected));
    await page.getByLabel('Field of Name').selectOption('title');
    await page.getByText('Left out: Notes.').waitFor();
    await press(page, 'Import without a check');
    await done(page, '3 records were added.');
    expect((await all('books')).data.length).toBe(5);
    await page.getByRole('link', { name: 'Show books' }).press('Enter');
    expect(new URL(page.url()).pathname).toBe('/console/books');
    expect(complaints).toEqual([]);
    await close();
  });

  test('records that exist are updated, if that is chosen', async () => {
    const known = '{"title":"Old","isbn":"9780000000077","price":"1","author":1}';
    await fetch(`${server.url}/api/v2/books`, { method: 'POST', headers: auth(), body: known });
    const { page, complaints, close } = await openConsole(browser, server.url, `${path}?collection=books`, {
      key: writer,
    });
    const csv = fileOf(
      'prices.csv',
      'isbn,price,title,author\n9780000000077,7,,\n9780000000078,8,New,2\n9780000000079,9,,\n',
    );
    await page.getByLabel('Choose a file').setInputFiles(csv);
    await page.getByText('2 of the first 3 rows would be refused').waitFor();
    const existing = page.getByLabel('Existing records');
    expect(await existing.locator('option').allTextContents()).toEqual([
      'Keep them: every row is a new record',
      'Update those that have the same isbn',
    ]);
    await existing.selectOption('isbn');
    await page.getByText('2 of the first 3 rows would be refused').waitFor({ state: 'detached' });
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'As code' }).press('Enter');
    const code = page.getByRole('dialog');
    await code.getByText('/api/v2/books/bulk?key=isbn').waitFor();
    await code.getByText('--collection books --key isbn --url').waitFor();
    await code.getByText(`key: ['isbn'],`).waitFor();
    await page.keyboard.press('Escape');

    await press(page, 'Check all rows');
    await done(page, '1 row can be added, 1 can be updated, 1 would be refused.');
    await press(page, 'Import 2 records');
    await done(page, '1 record was added, 1 was updated, 1 was refused.');
    await page.getByText('title is required, because no record has this isbn').waitFor();
    const fields = 'fields=title,isbn,price,version&isbn[gte]=9780000000077&sort=isbn';
    expect((await all(`books?${fields}`)).data).toEqual([
      { title: 'Old', isbn: '9780000000077', price: '7.00', version: 2 },
      { title: 'New', isbn: '9780000000078', price: '8.00', version: 1 },
    ]);
    expect(complaints).toEqual([]);
    await close();
    for (const { id } of (await all('books?isbn[gte]=9780000000077')).data as { id: number }[])
      await fetch(`${server.url}/api/v2/books/${id}`, { method: 'DELETE', headers: auth() });
  });

  test('rows of a spreadsheet are pasted, and lines keep their digits', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, path, { key: writer });
    await page
      .getByLabel('Or paste rows')
      .fill('External ID\tname\tprice\n9007199254740993\tLamp\t-0\n\t"two\nlines"\t1e-7\n');
    await press(page, 'Use this text');
    await press(page, 'Import without a check');
    await done(page, '2 records were added.');
    await press(page, 'Import another file');
    const lines = '{"external_id":-9223372036854775808,"name":"Desk","price":0.1,"id":7}\nno json\n{"name":"Chair"}\n';
    const dropped = await page.evaluateHandle((text) => {
      const { DataTransfer, File } = globalThis as unknown as DropTypes;
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], 'lines.ndjson'));
      return transfer;
    }, lines);
    await page.locator('.drop').dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByText('2 of the first 3 rows would be refused').waitFor();
    await press(page, 'Import without a check');
    await done(page, '1 record was added, 2 were refused.');
    const exported = await (
      await fetch(`${server.url}/api/v2/items/export?fields=external_id,name,price&sort=-id`, {
        headers: { Accept: 'application/x-ndjson' },
      })
    ).text();
    expect(exported.split('\n').slice(0, 3)).toEqual([
      '{"external_id":-9223372036854775808,"name":"Desk","price":0.1}',
      expect.stringMatching(/^\{"external_id":\d+,"name":"two\\nlines","price":1e-7\}$/),
      '{"external_id":9007199254740993,"name":"Lamp","price":-0}',
    ]);
    const saving = page.waitForEvent('download');
    await press(page, 'Download the refused rows');
    expect(readFileSync(await (await saving).path(), 'utf8').split('\n')).toEqual([
      '{"_line":2,"_reason":"The row is not JSON","_source":"no json"}',
      '{"_line":3,"_reason":"price is required","name":"Chair"}',
      '',
    ]);
    expect(complaints).toEqual([]);
    await close();
  });

  test('rows that the server has refused are known after a reload, although the answer to the others was lost', async () => {
    const { page, complaints, close } = await openConsole(browser, server.url, `${path}?collection=publishers`, {
      key: writer,
    });
    const file = fileOf('publishers.csv', 'name\nSur\nHogarth\nSur\nMinotauro\n');
    await page.getByLabel('Choose a file').setInputFiles(file);
    const added = loseAnswer(page, true);
    // Routes that were added later come first.
    await page.route('**/bulk?*', (route) => route.continue(), { times: 1 });
    await press(page, 'Import without a check');
    await added;
    await page.reload();
    await page.getByText('An import of publishers.csv was broken off').waitFor();
    // Another key continues it.
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.evaluate(`sessionStorage.setItem('shelf.key', '${await keyFor(server, 'admin')}')`);
    await other.reload();
    await other.getByLabel('Choose the file again').setInputFiles(file);
    await done(other, '3 records were added, 1 was refused.');
    await other.getByText('name must be unique; line 2 has this value').waitFor();
    await other.close();
    expect((await all('publishers')).data.length).toBe(3);

    const kept = async () => JSON.stringify(await page.evaluate(keptRows));
    expect(await kept()).toBe('[1,1]');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Nothing can be imported into publishers. Sign in').waitFor();
    expect(await kept()).toBe('[0,0]');
    expect(complaints).toEqual([]);
    await close();
  });

  test('what cannot be read is refused, with the reason', async () => {
    const { page, close } = await openConsole(browser, server.url, path, { key: writer });
    const chosen = page.getByLabel('Choose a file');
    const files: readonly (readonly [string, Buffer, string])[] = [
      ['utf16.csv', Buffer.from([0xff, 0xfe, 0x61, 0]), 'It is UTF-16'],
      ['empty.csv', Buffer.from(''), 'There is no text in it'],
      ['quote.csv', Buffer.from('name,price\n"a,1\n'), 'has a quote that is not closed'],
    ];
    for (const [name, buffer, reason] of files) {
      await chosen.setInputFiles({ name, mimeType: 'text/csv', buffer });
      await page.getByRole('alert').getByText(reason).waitFor();
    }
    await close();
  });

  test('a key that reads imports nothing, and is told why', async () => {
    const key = await keyFor(server, 'read');
    const { page, complaints, close } = await openConsole(browser, server.url, path, { key });
    await page.getByText('Nothing can be imported into items. The key key-read has the scope read.').waitFor();
    expect(await page.locator('input[type=file], textarea').count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });
});
