/** The library page of examples/, in Chromium: a visitor, a member and a librarian, without any backend. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { temporaryFolder } from '../support/data/folder.ts';
import { browserPath, launch, watch } from '../support/pages/browser.ts';
import { root, runShelf, type Shelf, startShelf } from '../support/servers/process.ts';

const example = join(root, 'examples/lending-page');
const folder = temporaryFolder();

test('it is the library of docs/access.md', () => {
  const page = readFileSync(join(root, 'docs/access.md'), 'utf8');
  const library: unknown = JSON.parse(/```json\n(.*?)```/s.exec(page)?.[1] ?? '');
  expect(JSON.parse(readFileSync(join(example, 'shelf.json'), 'utf8'))).toEqual(library);
});

describe.skipIf(browserPath === undefined)('in Chromium', () => {
  let browser: Browser;
  let shelf: Shelf;
  let site: { readonly url: string; stop(): void };
  const keys: Record<string, string> = {};

  beforeAll(async () => {
    const child = Bun.spawn(['node', join(example, 'serve.mjs')], {
      env: { ...process.env, PORT: '0' },
      stdout: 'pipe',
    });
    const { value } = await child.stdout.getReader().read();
    site = { url: /http:\S+/.exec(Buffer.from(value ?? []).toString())?.[0] ?? '', stop: () => child.kill() };
    const database = `sqlite:${join(folder, 'library.db')}`;
    const given = ['--config', join(example, 'shelf.json'), '--database', database];
    expect((await runShelf({ args: ['migrate', ...given] })).code).toBe(0);
    for (const [name, ...grant] of [
      ['desk', '--role', 'librarian'],
      ['ada', '--role', 'member', '--claim', 'member_id=7'],
    ] as const) {
      const { stdout } = await runShelf({ args: ['keys', 'create', '--name', name, ...grant, ...given] });
      keys[name] = stdout.trim();
    }
    [browser, shelf] = await Promise.all([launch(), startShelf({ args: [...given, '--cors', site.url] })]);
  });
  afterAll(async () => {
    await browser?.close();
    await shelf?.stop();
    site?.stop();
  });

  async function open(key: string | undefined) {
    const { page, complaints, foreign } = await watch(browser, site.url);
    await page.goto(`${site.url}/?shelf=${encodeURIComponent(shelf.url)}`);
    await page.getByText('You are a visitor.').waitFor();
    if (key !== undefined) {
      await page.getByLabel('Key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
    }
    return { page, complaints, foreign };
  }
  const cellsOf = async (page: Awaited<ReturnType<typeof open>>['page'], table: string) =>
    page.locator(`#${table} tbody tr`).allInnerTexts();

  test('a librarian adds books, a visitor sees them, a member borrows, and each sees what its role allows', async () => {
    const desk = await open(keys.desk);
    await desk.page.getByText('desk, librarian').waitFor();
    for (const [title, cost] of [
      ['Ficciones', '12.50'],
      ['Emma', '9.00'],
    ] as const) {
      await desk.page.getByLabel('Title').fill(title);
      await desk.page.getByLabel('Cost').fill(cost);
      await desk.page.getByRole('button', { name: 'Add' }).click();
      await desk.page.getByRole('cell', { name: title }).waitFor();
    }

    const visitor = await open(undefined);
    await visitor.page.getByRole('cell', { name: 'Ficciones' }).waitFor();
    expect(await cellsOf(visitor.page, 'books')).toEqual(['1\tFicciones\t', '2\tEmma\t']);
    expect(await visitor.page.getByRole('button', { name: 'Borrow' }).count()).toBe(0);
    expect(await visitor.page.getByRole('table', { name: 'Loans' }).count()).toBe(0);

    const ada = await open(keys.ada);
    await ada.page.getByText('ada, member').waitFor();
    expect(await ada.page.getByLabel('Title').isVisible()).toBe(false);
    await ada.page.getByRole('button', { name: 'Borrow' }).first().click();
    await ada.page.locator('#loans tbody tr').waitFor();
    expect((await cellsOf(ada.page, 'loans'))[0]).toMatch(/^1\t1\t7\t\d{4}-\d\d-\d\d\t/);

    // The librarian lends the other book to another member.
    desk.page.removeAllListeners('dialog');
    desk.page.on('dialog', (dialog) => dialog.accept('8'));
    await desk.page.getByRole('button', { name: 'Borrow' }).last().click();
    await desk.page.locator('#loans tbody tr').nth(1).waitFor();
    await ada.page.getByRole('button', { name: 'Sign in' }).click();
    await ada.page.getByText('ada, member').waitFor();
    expect(await cellsOf(ada.page, 'loans')).toHaveLength(1);

    await desk.page.getByRole('button', { name: 'Return' }).first().click();
    await desk.page.locator('#loans tbody tr').first().getByRole('button').waitFor({ state: 'detached' });

    for (const { complaints, foreign } of [desk, visitor, ada]) {
      expect(complaints).toEqual([]);
      // Every other request is to Shelf.
      expect(foreign.filter((url) => !url.startsWith(`${shelf.url}/api/v2/`))).toEqual([]);
    }
  });

  test('a key that is not valid is a message', async () => {
    const { page } = await open('shelf_wrong');
    await page.getByText('Missing or invalid API key').waitFor();
  });
});
