/** Stored scripts: text that a page would run if it were not escaped, checked on every page. */
import { browserPath, launch, watch } from '../../test/support/pages/browser.ts';
import { startShelf } from '../../test/support/servers/process.ts';
import type { Threads } from '../support/torture.ts';

const script = `<img src=x onerror="document.title='pwned'"><script>document.title='pwned'</script>"'></title>{{7*7}}`;

/** Undefined if no browser is installed. */
export async function scripted({ threads }: Threads): Promise<string[] | undefined> {
  if (browserPath === undefined) return undefined;
  const shelf = await startShelf({ args: ['--database', 'memory:', '--threads', String(threads), '--log', 'off'] });
  try {
    return await visitAll(shelf.url);
  } finally {
    await shelf.stop();
  }
}

async function visitAll(url: string): Promise<string[]> {
  for (const path of ['/api/items', '/api/users']) {
    const body = JSON.stringify({ id: 66, name: script, price: 1 });
    await fetch(url + path, { method: 'POST', body });
  }
  const complaints: string[] = [];
  const browser = await launch();
  try {
    for (const path of [
      '/',
      '/docs',
      '/redoc',
      '/problems/invalid-body',
      '/api/items/66',
      '/api/v2/items',
      `/${encodeURIComponent(script)}`,
    ]) {
      const { page, foreign } = await watch(browser, url);
      let dialogOpened = false;
      page.on('dialog', () => {
        dialogOpened = true;
      });
      await page.goto(url + path, { waitUntil: 'networkidle' });
      if (path === '/docs') {
        await page.click('#operations-items-listItems .opblock-summary');
        await page.click('#operations-items-listItems button.execute');
        await page.waitForSelector('#operations-items-listItems .live-responses-table .response');
      }
      if (dialogOpened || (await page.title()) === 'pwned') complaints.push(`a stored script runs at ${path}`);
      if (foreign.length > 0) complaints.push(`${path} requests ${foreign[0]}`);
      await page.close();
    }
  } finally {
    await browser.close();
  }
  return complaints;
}
