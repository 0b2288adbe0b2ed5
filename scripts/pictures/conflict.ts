/** The animation of the README: a record is found, and changed while another program changes it, too. */
import type { Browser } from 'playwright-core';
import { animated } from './apng.ts';
import { pace, Recorder } from './recorder.ts';

export async function recordConflict(browser: Browser, url: string): Promise<Uint8Array> {
  const page = await browser.newPage({ viewport: { width: 1200, height: 675 }, reducedMotion: 'reduce' });
  const recorder = await Recorder.in(page);
  await page.goto(`${url}/console/books?fields=title,state,price`);
  const row = page.locator('tbody tr').filter({ hasText: 'Solaris' }).first();
  await page.locator('.feed-light.on').waitFor();

  await recorder.say('Find a book: filter by any field', pace.glance);
  await recorder.click(page.getByRole('button', { name: 'Filter', exact: true }));
  await recorder.type(page.getByLabel('Value'), 'Solaris');
  await recorder.click(page.getByRole('button', { name: 'Apply' }));
  await row.waitFor();
  await recorder.say('The address is the query: ?title[contains]=Solaris');

  const drawer = page.getByRole('complementary');
  const price = drawer.getByLabel('price', { exact: true });
  await recorder.say('Change its price', pace.glance);
  await recorder.click(row.getByText('Solaris'));
  await price.waitFor();
  await recorder.type(price, '19.90');

  const id = new URL(page.url()).pathname.split('/').at(-1);
  const theirs = JSON.stringify({ price: '24.00', state: 'out of print' });
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  const changed = await fetch(`${url}/api/v2/books/${id}`, { method: 'PATCH', headers, body: theirs });
  if (!changed.ok) throw new Error(await changed.text());
  await drawer.getByText('Somebody else has changed this record').waitFor();
  await recorder.say('Meanwhile, another program changes price and state');

  await recorder.click(drawer.getByRole('button', { name: 'Save', exact: true }));
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await recorder.say('Nothing is overwritten: choose, field by field');
  await recorder.click(dialog.getByLabel('price: yours'));
  await recorder.click(dialog.getByRole('button', { name: 'Save what is chosen' }));
  await page.getByText('Saved.').waitFor();
  await recorder.say('Your price, their state');
  await page.close();
  return animated(recorder.frames);
}
