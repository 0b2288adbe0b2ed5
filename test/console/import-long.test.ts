/** A long import by the console, in Chromium, through a killed server, lost answers and a reload. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { browserPath, launch } from '../support/pages/browser.ts';
import { openConsole, violationsOn } from '../support/pages/console-page.ts';
import { importPage } from '../support/pages/import-page.ts';
import { migratedEngines } from '../support/servers/engines.ts';
import { freePort } from '../support/servers/network/free-port.ts';
import { startShelf } from '../support/servers/process.ts';

const { path, fileOf, press, done, figure, loseAnswer } = importPage();
const rows = 100_000;

describe.skipIf(browserPath === undefined).each(migratedEngines())('a long import, %s', (engine, newUrl) => {
  const violations = violationsOn(engine);
  test('goes on after the server was killed and the page was loaded again, and adds nothing twice', async () => {
    const file = fileOf(
      'long.csv',
      `name,price\n${Array.from({ length: rows }, (_, n) => (n % 25_000 === 7 ? `row ${n},cheap` : `row ${n},${n}`)).join('\n')}\n`,
    );
    const args = ['--database', await newUrl(), '--port', String(await freePort())];
    let server = await startShelf({ args });
    const browser = await launch();
    const { page, close } = await openConsole(browser, server.url, `${path}?collection=items`);
    const until = (count: number) =>
      page.waitForFunction(
        (least) => {
          const text = Reflect.get(globalThis, 'document').querySelector('.import-figures dd')?.textContent ?? '';
          return Number(text.replaceAll(',', '')) >= least;
        },
        count,
        { polling: 20 },
      );
    await page.getByLabel('Choose a file').setInputFiles(file);
    await press(page, 'Import without a check');

    await until(20_000);
    expect(await figure(page, 'Rows a second')).toMatch(/^[\d,]+$/);
    expect(await figure(page, 'Time left')).toMatch(/^(\d+ min )?\d+ s$/);
    await server.stop('SIGKILL');
    await page.getByText('Waiting for the server, and trying again').waitFor();
    server = await startShelf({ args });

    await until(40_000);
    await loseAnswer(page);
    await until(60_000);
    await loseAnswer(page, true);
    await page.reload();
    await page.getByText('An import of long.csv was broken off').waitFor();
    expect(await violations(page)).toEqual([]);
    const again = page.getByLabel('Choose the file again');
    const other = readFileSync(file, 'utf8').replace('row 100,', 'row x,');
    await again.setInputFiles(fileOf('other.csv', other));
    await page.getByRole('alert').getByText('This is another file').waitFor();
    await press(page, 'Choose another file');
    await again.setInputFiles(file);
    await done(page, '99,996 records were added, 4 were refused.');
    expect(await figure(page, 'Rows read')).toBe('100,000');

    const headers = { Accept: 'application/x-ndjson' };
    const exported = await (await fetch(`${server.url}/api/v2/items/export?fields=name`, { headers })).text();
    const names = exported.trim().split('\n');
    expect(names.length).toBe(rows - 4 + 1);
    expect(new Set(names).size).toBe(names.length);

    // The same file is not added again either.
    await press(page, 'Import another file');
    await page.getByLabel('Choose a file').setInputFiles(file);
    await press(page, 'Import without a check');
    await until(10_000);
    await press(page, 'Stop');
    await page.getByRole('alert').getByText('You stopped it.').waitFor();
    expect(Number((await figure(page, 'In already'))?.replaceAll(',', ''))).toBeGreaterThanOrEqual(9_000);
    expect(await figure(page, 'Added')).toBe('0');
    const { total } = (await (await fetch(`${server.url}/api/v2/items?count=exact&limit=1`)).json()) as {
      total: number;
    };
    expect(total).toBe(names.length);
    await close();
    await browser.close();
    await server.stop();
  }, 180_000);
});
