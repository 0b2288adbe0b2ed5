/** The animation at the top of the README: a file is dropped on an empty Shelf, and becomes a collection. */
import type { Browser } from 'playwright-core';
import { animated } from './apng.ts';
import { pace, Recorder } from './recorder.ts';

const authors = ['Borges', 'Le Guin', 'Calvino', 'Lispector', 'Lem'];
const titles = [
  ['Ficciones', 'El Aleph', 'El hacedor'],
  ['The Dispossessed', 'The Lathe of Heaven', 'Always Coming Home'],
  ['Le città invisibili', 'Il barone rampante', 'Palomar'],
  ['A hora da estrela', 'Água viva', 'Laços de família'],
  ['Solaris', 'Cyberiada', 'Głos Pana'],
];

export function csv(): string {
  const rows = Array.from({ length: 60 }, (_, number) => {
    const author = number % authors.length;
    const title = titles[author]?.[Math.floor(number / authors.length) % 3] ?? '';
    const price = (5 + ((number * 317) % 3490) / 100).toFixed(2);
    const pages = number % 9 === 4 ? '' : 120 + ((number * 53) % 480);
    const day = `19${40 + (number % 55)}-0${1 + (number % 9)}-15`;
    return [9780802130000 + number, title, authors[author], price, pages, ['in print', 'rare'][number % 2], day].join();
  });
  return `${['ISBN', 'Title', 'Author', 'Price', 'Pages', 'State', 'Published on'].join()}\n${rows.join('\n')}\n`;
}

export async function recordCsvToTable(browser: Browser, url: string): Promise<Uint8Array> {
  const page = await browser.newPage({ viewport: { width: 1200, height: 675 }, reducedMotion: 'reduce' });
  const recorder = await Recorder.in(page);
  await page.goto(`${url}/console`);
  await page.getByText('The service is ready.').waitFor();
  await recorder.say('An empty Shelf, and a CSV file', pace.glance);
  await recorder.pointAt(page.getByText('Choose a file', { exact: true }));
  const buffer = Buffer.from(csv());
  await page.getByLabel('Choose a file').setInputFiles({ name: 'books.csv', mimeType: 'text/csv', buffer });
  await page.getByText('60 records in books.csv').waitFor();
  await recorder.say('Each field has the strictest type that all of its values have, and the reason beside it');

  await recorder.say('Change what you know better', pace.glance);
  await recorder.type(page.getByLabel('Field of State'), 'edition');
  const create = page.getByRole('button', { name: 'Create books and import 60 records' });
  await recorder.say('One button', pace.glance);
  await recorder.pointAt(create);
  await create.click();
  await page.getByRole('columnheader', { name: 'edition' }).waitFor();
  await page.locator('tbody tr').filter({ hasText: 'Solaris' }).first().waitFor();
  await page.locator('.feed-light.on').waitFor();
  await recorder.say('A table, an API, its OpenAPI document and a file that says so', pace.read * 1.5);
  await page.close();
  return animated(recorder.frames);
}
