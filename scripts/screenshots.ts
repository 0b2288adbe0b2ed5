/** npm run screenshots: takes the pictures of the console in docs/images, and its animation, from a real server; draws the others. */
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { startLive } from '../test/support/servers/live.ts';
import { startServer } from '../test/support/servers/server.ts';
import { findBrowser } from './browser.ts';
import { recordConflict } from './pictures/conflict.ts';
import { recordCsvToTable } from './pictures/csv-to-table.ts';
import { collections, seed } from './pictures/library.ts';
import { draw, pictures } from './pictures/scaling.ts';

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
const server = await startServer({ collections });
const empty = await startLive({ text: '{}\n' });
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
  await Bun.write(join(folder, 'console-conflict.png'), await recordConflict(browser, server.url));
  await Bun.write(join(folder, 'console-import.png'), await recordCsvToTable(browser, empty.url));
} finally {
  await browser.close();
  await Promise.all([server.stop(), empty.stop()]);
}
