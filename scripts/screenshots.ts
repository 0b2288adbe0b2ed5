/** npm run screenshots: takes the pictures in docs/images, and the animations, from real servers; draws the others. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { version } from '../package.json' with { type: 'json' };
import { keyFor } from '../test/support/pages/console-page.ts';
import { startLive } from '../test/support/servers/live.ts';
import { recordConflict } from './pictures/conflict.ts';
import { recordCsvToTable } from './pictures/csv-to-table.ts';
import { seed, text } from './pictures/library.ts';
import { draw, pictures } from './pictures/scaling.ts';
import { pictureScreens, screensFolder } from './pictures/screens.ts';
import { findBrowser } from './tools/browser.ts';

const folder = join(import.meta.dir, '../docs/images');
const viewport = { width: 1280, height: 800 };

async function picture(
  browser: Browser,
  name: string,
  colorScheme: 'light' | 'dark',
  show: (page: Page) => Promise<void>,
) {
  const page = await browser.newPage({ viewport, colorScheme });
  await show(page);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}

for (const [name, drawn] of Object.entries(pictures)) await Bun.write(join(folder, `${name}.svg`), draw(drawn));

const path = findBrowser();
if (path === undefined) throw new Error('There is no Chromium: set CHROMIUM_PATH.');
const server = await startLive({ text, version });
const locked = await startLive({ text, version, access: { auth: 'all' } });
const empty = await startLive({ text: '{}\n', version });
const browser = await chromium.launch({ executablePath: path, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
try {
  await seed(server.url);
  const row = (page: Page, text: string) => page.locator('tbody tr').filter({ hasText: text }).first();
  await picture(browser, 'console-record', 'light', async (page) => {
    await page.goto(`${server.url}/console/books/10?state=published&sort=-price&fields=id,title,state,price`);
    await row(page, 'published').waitFor();
    await page.locator('.feed-light.on').waitFor();
    await page.getByRole('complementary').getByLabel('pages', { exact: true }).fill('9007199254740993');
  });
  await picture(browser, 'console-table', 'dark', async (page) => {
    await page.goto(`${server.url}/console/books?state=published&price[gte]=10&sort=-price`);
    await row(page, 'published').waitFor();
    await page.locator('.feed-light.on').waitFor();
  });
  await picture(browser, 'console-summary', 'light', async (page) => {
    const query = 'group=state,author&measures=count,price.sum,pages.avg&price[gte]=10&sort=-price.sum';
    await page.goto(`${server.url}/console/books/summary?${query}`);
    await page.getByText('Borges').first().waitFor();
  });
  const docs = await browser.newPage({ viewport: { width: 1000, height: 800 } });
  await docs.goto(`${server.url}/docs`);
  const operations = docs.locator('.opblock-tag-section').filter({ hasText: 'v2 books' });
  await operations.screenshot({ path: join(folder, 'own-collection.png') });
  await docs.close();
  const screens = join(folder, screensFolder);
  mkdirSync(screens, { recursive: true });
  const urls = { library: server.url, locked: locked.url, empty: empty.url };
  await pictureScreens(browser, screens, urls, await keyFor(locked, 'admin'));
  await Bun.write(join(folder, 'console-conflict.png'), await recordConflict(browser, server.url));
  await Bun.write(join(folder, 'console-import.png'), await recordCsvToTable(browser, empty.url));
} finally {
  await browser.close();
  await Promise.all([server.stop(), locked.stop(), empty.stop()]);
}
