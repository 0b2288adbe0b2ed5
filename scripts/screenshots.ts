/** npm run screenshots: takes the pictures of the console in docs/images from a real server. */
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { declared } from '../test/library.ts';
import { startServer } from '../test/server.ts';
import { findBrowser } from './browser.ts';

const folder = join(import.meta.dir, '../docs/images');
const viewport = { width: 1280, height: 800 };

const collections = declared({
  authors: { singular: 'author', fields: { name: { type: 'text', max: 200 }, born: { type: 'date', optional: true } } },
  books: {
    singular: 'book',
    fields: {
      title: { type: 'text', max: 200 },
      author: { type: 'reference', to: 'authors' },
      state: { type: 'choice', of: ['draft', 'published', 'out of print'], default: 'draft' },
      price: { type: 'decimal', scale: 2, min: '0' },
      pages: { type: 'integer', min: 1, optional: true },
      isbn: { type: 'text', pattern: '^[0-9]{13}$', max: 13, unique: true },
      tags: { type: 'list', of: 'text', max: 20, default: [] },
      published_on: { type: 'date', optional: true },
    },
    indexes: ['state', 'price'],
  },
});
const authors = ['Jorge Luis Borges', 'Ursula K. Le Guin', 'Italo Calvino', 'Clarice Lispector', 'Stanisław Lem'];
const titles = [
  ['Ficciones', 'El Aleph', 'El libro de arena', 'El hacedor'],
  ['The Dispossessed', 'The Left Hand of Darkness', 'The Lathe of Heaven', 'Always Coming Home'],
  ['Le città invisibili', 'Il barone rampante', 'Se una notte d’inverno un viaggiatore', 'Palomar'],
  ['A hora da estrela', 'Água viva', 'Perto do coração selvagem', 'Laços de família'],
  ['Solaris', 'Cyberiada', 'Niezwyciężony', 'Głos Pana'],
];

async function seed(url: string): Promise<void> {
  const add = async (name: string, record: object) => {
    const answer = await fetch(`${url}/api/v2/${name}`, { method: 'POST', body: JSON.stringify(record) });
    if (!answer.ok) throw new Error(await answer.text());
  };
  for (const name of authors) await add('authors', { name });
  for (let number = 0; number < 120; number++) {
    const author = number % authors.length;
    const edition = Math.floor(number / 20);
    const title = titles[author]?.[Math.floor(number / authors.length) % 4] ?? '';
    await add('books', {
      title: edition === 0 ? title : `${title} (${edition + 1}. edition)`,
      author: author + 1,
      state: ['published', 'published', 'draft', 'out of print'][number % 4],
      price: (5 + ((number * 317) % 3490) / 100).toFixed(2),
      pages: number % 9 === 0 ? null : 120 + ((number * 53) % 480),
      isbn: String(9780802130000 + number),
      tags: number % 3 === 0 ? ['classic'] : number % 3 === 1 ? ['new', 'translated'] : [],
      published_on: `19${40 + (number % 55)}-0${1 + (number % 9)}-15`,
    });
  }
}

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

const path = findBrowser();
if (path === undefined) throw new Error('There is no Chromium: set CHROMIUM_PATH.');
const server = await startServer({ collections: collections.filter(({ contract }) => contract === undefined) });
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
} finally {
  await browser.close();
  await server.stop();
}
