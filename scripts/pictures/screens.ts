/** A picture of every screen of the console, each in light, dark and on a narrow page: to look at before a release. */
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { csv } from './csv-to-table.ts';

/** Of WebP: PNG takes four times as many bytes for the same to the eye. */
const quality = 80;

/** In docs/images. */
export const screensFolder = 'screens';

/** The servers that the screens are of: one with records, the same with keys, and an empty one. */
export type Servers = { readonly library: string; readonly locked: string; readonly empty: string };

type Screen = {
  readonly of: keyof Servers;
  readonly path: string;
  /** Resolves when the screen has everything that it is to show. */
  show(page: Page, url: string): Promise<unknown>;
};

export const looks = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  360: { viewport: { width: 360, height: 800 }, colorScheme: 'light' },
} as const;

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).first().waitFor();
const row = (page: Page, text: string) => page.locator('tbody tr').filter({ hasText: text }).first().waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().press('Enter');
const isLive = (page: Page) => page.locator('.feed-light.on').waitFor();
const schema = '/console/-/schema';

/** By name. A tool of the console has its own; others begin with the screen that they are on. */
export const screens: Readonly<Record<string, Screen>> = {
  home: { of: 'library', path: '/console', show: (page) => page.getByText('The service is ready.').waitFor() },
  'home-empty': { of: 'empty', path: '/console', show: (page) => heading(page, 'Begin with your records') },
  'sign-in': { of: 'locked', path: '/console/-/health', show: (page) => heading(page, 'Sign in to Shelf') },
  missing: { of: 'library', path: '/console/nothing', show: (page) => heading(page, 'Not found') },
  find: {
    of: 'library',
    path: '/console',
    async show(page) {
      await page.getByText('The service is ready.').waitFor();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('borges');
      await page.getByRole('option').filter({ hasText: 'Jorge Luis Borges' }).first().waitFor();
    },
  },
  table: {
    of: 'library',
    path: '/console/books?state=published&price[gte]=10&sort=-price',
    show: (page) => Promise.all([row(page, 'published'), isLive(page)]),
  },
  'table-filter': {
    of: 'library',
    path: '/console/books',
    async show(page) {
      await row(page, 'published');
      await press(page, 'Filter');
      await page.getByRole('button', { name: 'Apply', exact: true }).waitFor();
    },
  },
  record: {
    of: 'library',
    path: '/console/books/10',
    show: (page) => page.getByRole('complementary').getByLabel('title', { exact: true }).waitFor(),
  },
  'record-new': {
    of: 'library',
    path: '/console/books/new',
    show: (page) => page.getByRole('complementary').getByLabel('title', { exact: true }).waitFor(),
  },
  summary: {
    of: 'library',
    path: '/console/books/summary?group=state,author&measures=count,price.sum,pages.avg&price[gte]=10&sort=-price.sum',
    show: (page) => page.getByText('Borges').first().waitFor(),
  },
  schema: { of: 'library', path: schema, show: (page) => heading(page, 'books') },
  'schema-plan': {
    of: 'library',
    path: schema,
    async show(page) {
      await press(page, 'Add field to books');
      await page.getByLabel('Name of the new field').fill('shelf_mark');
      await page.getByLabel('Name of the new field').press('Enter');
      await page
        .getByRole('list', { name: 'Fields of books' })
        .getByRole('button', { name: /^tags\b/ })
        .press('Enter');
      await press(page, 'Remove tags');
      await page.getByText('remove the field, with its values').waitFor();
      await page.getByText('remove the field, with its values').scrollIntoViewIfNeeded();
    },
  },
  'schema-file': {
    of: 'library',
    path: `${schema}?view=file`,
    show: (page) => page.getByRole('textbox', { name: 'shelf.json' }).waitFor(),
  },
  'schema-references': {
    of: 'library',
    path: `${schema}?view=references`,
    show: (page) => page.getByRole('region', { name: 'References between collections' }).waitFor(),
  },
  import: { of: 'library', path: '/console/-/import', show: (page) => heading(page, 'Import') },
  'import-proposal': {
    of: 'empty',
    path: '/console',
    async show(page) {
      const buffer = Buffer.from(csv());
      await page.getByLabel('Choose a file').setInputFiles({ name: 'books.csv', mimeType: 'text/csv', buffer });
      await page.getByText('60 records in books.csv').waitFor();
    },
  },
  live: {
    of: 'library',
    path: '/console/-/live',
    async show(page, url) {
      await isLive(page);
      const change = { method: 'PATCH', headers: { 'Content-Type': 'application/merge-patch+json' } };
      for (const price of ['18.50', '19.00', '19.50'])
        await fetch(`${url}/api/v2/books/10`, { ...change, body: JSON.stringify({ price }) });
      await page.getByText('19.50').first().waitFor();
    },
  },
  health: { of: 'library', path: '/console/-/health', show: (page) => page.locator('canvas').first().waitFor() },
  keys: {
    of: 'locked',
    path: '/console/-/keys',
    show: (page) => page.getByRole('list', { name: 'Active keys' }).getByRole('listitem').first().waitFor(),
  },
};

/** `key`: of an administrator of the server with keys; the sign-in has none. */
export async function pictureScreens(browser: Browser, folder: string, servers: Servers, key: string): Promise<void> {
  for (const [name, { of, path, show }] of Object.entries(screens)) {
    for (const [look, options] of Object.entries(looks)) {
      const page = await browser.newPage({ ...options, reducedMotion: 'reduce' });
      const signIn = `sessionStorage.setItem('shelf.key', ${JSON.stringify(key)})`;
      if (of === 'locked' && name !== 'sign-in') await page.addInitScript(signIn);
      await page.goto(servers[of] + path);
      await show(page, servers[of]);
      const session = await page.context().newCDPSession(page);
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
      await Bun.write(join(folder, `${name}-${look}.webp`), Buffer.from(data, 'base64'));
      await page.close();
    }
  }
}
