/** The examples do what they say, against a real server; the page in a real browser. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { createClient } from '../../src/client/index.ts';
import { temporaryFolder } from '../support/data/folder.ts';
import { browserPath, launch, watch } from '../support/pages/browser.ts';
import { runCommand } from '../support/servers/command.ts';
import { root, type Shelf, startShelf } from '../support/servers/process.ts';

const examples = join(root, 'examples');
const folder = temporaryFolder();

/** The examples as a user has them: beside an installed package. */
async function installExamples(): Promise<void> {
  cpSync(examples, folder, { recursive: true });
  const shelf = join(folder, 'node_modules/shelf');
  mkdirSync(shelf, { recursive: true });
  cpSync(join(root, 'package.json'), join(shelf, 'package.json'));
  const entrypoints = [join(root, 'src/client/index.ts')];
  await Bun.build({ entrypoints, outdir: join(shelf, 'dist/client'), target: 'browser', format: 'esm' });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
}

let shelf: Shelf;
let page: { readonly url: string; stop(): void };
beforeAll(async () => {
  await installExamples();
  const child = Bun.spawn(['node', 'live-table/serve.mjs'], {
    cwd: folder,
    env: { ...process.env, PORT: '0' },
    stdout: 'pipe',
  });
  const { value } = await child.stdout.getReader().read();
  page = { url: /http:\S+/.exec(Buffer.from(value ?? []).toString())?.[0] ?? '', stop: () => child.kill() };
  const args = ['--config', 'shelf.json', '--database', 'memory:', '--cors', page.url];
  shelf = await startShelf({ args, cwd: folder });
});
afterAll(async () => {
  page?.stop();
  await shelf?.stop();
});

test('README.md names every example and the command that starts it', () => {
  const readme = readFileSync(join(examples, 'README.md'), 'utf8');
  for (const command of [
    'node examples/books.mjs',
    'node examples/live-table/serve.mjs',
    'sh examples/tour.sh',
    'node examples/lending/lending.mjs',
    'node examples/lending-page/serve.mjs',
  ])
    expect(readme).toContain(`\`${command}\``);
});

test('books.mjs', async () => {
  const env = { ...process.env, SHELF_URL: shelf.url };
  const { stdout, stderr } = await runCommand(['node', 'books.mjs'], { cwd: folder, env });
  expect(stderr).toBe('');
  expect(stdout.split('\n')).toEqual([
    'Added Ficciones for 12.30, with id 1.',
    'Sold 3 of 3 copies to 4 customers.',
    'Added 2500 volumes, which cost 2500 together.',
    'Ficciones, 12.30, by Jorge Luis Borges',
    'Refused: title must have at least 1 character; it has 0',
    'Refused: price must be at least 0.00',
    '',
  ]);
  // A second time, the author is there already.
  expect((await runCommand(['node', 'books.mjs'], { cwd: folder, env })).code).toBe(0);
});

test('tour.sh', async () => {
  const { stdout, stderr, code } = await runCommand(['sh', 'tour.sh'], {
    cwd: folder,
    env: { ...process.env, SHELF_URL: shelf.url },
  });
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const answers = stdout
    .split(/^# .*\n/m)
    .slice(1)
    .map((text) => text.trim());
  expect(answers.length).toBe(9);
  expect(answers[0]).toContain('"copies":9007199254740993');
  expect(answers[2]).toBe(answers[1] ?? '');
  expect(answers[3]).toContain('"price":"9.99"');
  expect(answers[4]).toContain('"status":412');
  for (const field of ['title', 'price', 'colour']) expect(answers[5]).toContain(`"#/${field}"`);
  expect(answers[6]).toStartWith('{"data":[{"title":"Ficciones","price":"9.99"}');
  expect(answers[7]).toContain('"type":"book.created"');
  expect(answers[8]).toStartWith('title,price\r\nFicciones,');
});

test('lending', async () => {
  const args = ['--config', 'lending/shelf.json', '--database', 'memory:'];
  const library = await startShelf({ args, cwd: folder });
  const run = () =>
    runCommand(['node', 'lending/lending.mjs'], { cwd: folder, env: { ...process.env, SHELF_URL: library.url } });
  const { stdout, stderr } = await run();
  expect(stderr).toBe('');
  expect(stdout.split('\n')).toEqual([
    'Ada borrows Dune: done',
    'Alan borrows Dune: refused by operation 1, on books',
    'Ada borrows Emma: done',
    'Ada borrows Ulysses: refused by operation 0, on loans: 2 open loans',
    'Ulysses is available',
    'Ada returns Dune: done',
    'Ada returns Dune again: refused by operation 0, on loans',
    'Alan borrows Dune: done',
    'Ada has a deposit of 10.00, and 0 loans are open',
    '',
  ]);
  expect((await run()).stdout).toBe(stdout);
  await library.stop();
  expect(readFileSync(join(examples, 'lending/lending.mjs'), 'utf8').split('\n').length).toBeLessThan(100);
});

describe.skipIf(browserPath === undefined)('live-table, in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test('shows the records, follows every change, and adds, changes and deletes', async () => {
    const client = createClient({ url: shelf.url });
    const { books } = client;
    if (books === undefined) throw new Error('a collection is always there');
    const first = await books.create({ title: '<b>first</b>', price: '1', copies: 9007199254740993n });
    const { page: tab, complaints } = await watch(browser, page.url);
    await tab.goto(`${page.url}/?shelf=${encodeURIComponent(shelf.url)}`);
    const row = (id: number) => tab.locator(`tr[data-id="${id}"]`);
    await row(first.id).waitFor();
    expect(await row(first.id).innerText()).toMatch(/<b>first<\/b>\s+1\.00\s+9007199254740993/);

    const other = await books.create({ title: 'of another client', price: '2' });
    await row(other.id).waitFor();
    await books.update(other, { price: '3' });
    await row(other.id).getByText('3.00').waitFor();
    await books.delete(other.id);
    await row(other.id).waitFor({ state: 'detached' });

    await tab.getByLabel('Title').fill('added here');
    await tab.getByLabel('Price').fill('4.5');
    await tab.getByRole('button', { name: 'Add' }).click();
    await tab.getByText('added here').waitFor();
    const added = (await books.list({ where: { title: 'added here' } })).data[0];
    expect(added).toMatchObject({ price: '4.50', copies: 1n });

    await row(first.id).getByRole('button', { name: 'Sell' }).click();
    await row(first.id).getByText('9007199254740992').waitFor();
    await row(first.id).getByRole('button', { name: 'Delete' }).click();
    await row(first.id).waitFor({ state: 'detached' });

    await tab.getByLabel('Title').fill('no price');
    await tab.getByLabel('Price').fill('free');
    await tab.getByRole('button', { name: 'Add' }).click();
    await tab.getByText('must be a decimal number').waitFor();
    // The browser itself notes the answer 400.
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
    await tab.close();
  });
});
