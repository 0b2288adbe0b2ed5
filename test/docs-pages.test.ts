/** The documentation pages: exact digits, the color scheme of the reader, and accessibility. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { collections } from '../src/collections/registry.ts';
import { collection } from '../src/domain/collection.ts';
import { browserPath, launch } from './browser.ts';
import { startServer, type TestServer } from './server.ts';

const axe = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8');

/** A number that a double cannot hold. */
const odd = '9007199254740993';
const tags = collection('tags', {
  singular: 'tag',
  fields: { label: { type: 'text' } },
  first: { id: BigInt(odd), label: 'one' },
  contract: { operations: ['fetch'], id: 'id' },
});

describe.skipIf(browserPath === undefined)('in Chromium', () => {
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ collections: [...collections, tags] });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  type Look = { colorScheme?: 'light' | 'dark'; width?: number };

  async function visit(path: string, look: Look, see: (page: Page) => Promise<void>): Promise<void> {
    const { colorScheme = 'light', width = 1280 } = look;
    // The Content-Security-Policy of the pages would also block axe-core.
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
    try {
      await page.goto(server.url + path);
      await see(page);
    } finally {
      await page.close();
    }
  }

  async function open(page: Page, operation: string): Promise<void> {
    await page.click(`#operations-${operation} .opblock-summary-control`);
    await page.waitForSelector(`#operations-${operation} .opblock-body`);
  }

  describe('Swagger UI keeps the exact digits', () => {
    test('in an answer', () =>
      visit('/docs', {}, async (page) => {
        await open(page, 'tags-listTags');
        await page.click('#operations-tags-listTags button.execute');
        const answer = page.locator(
          '#operations-tags-listTags .live-responses-table .response .response-col_description',
        );
        await answer.waitFor();
        expect(await answer.innerText()).toContain(`[\n  {\n    "id": ${odd},\n    "label": "one"\n  }\n]`);
      }));

    test('in the examples of answers and bodies', () =>
      visit('/docs', {}, async (page) => {
        await open(page, 'tags-getTag');
        expect(await page.innerText('#operations-tags-getTag .responses-table [data-code="200"]')).toContain(
          `"id": ${odd}`,
        );
        await open(page, 'v2_tags-createTagV2');
        expect(await page.inputValue('#operations-v2_tags-createTagV2 textarea')).toContain(`"external_id": ${odd}`);
      }));

    test('in the body that it sends', () =>
      visit('/docs', {}, async (page) => {
        await open(page, 'tags-createTag');
        await page.click('#operations-tags-createTag button.execute');
        const answer = page.locator(
          '#operations-tags-createTag .live-responses-table .response .response-col_description',
        );
        await answer.waitFor();
        expect(await answer.innerText()).toContain(`"id": ${odd}`);
        expect(await (await fetch(`${server.url}/api/tags`)).text()).toEndWith(`{"id":${odd},"label":"one"}]`);
      }));

    test('JSON inside a string of an answer is shown as text', () =>
      visit('/docs', {}, async (page) => {
        const label = '{"a": [1,2]}, \\ "b": 12345678901234567890\u2028';
        await fetch(`${server.url}/api/tags`, { method: 'POST', body: JSON.stringify({ id: 5, label }) });
        await open(page, 'tags-getTag');
        await page.fill('#operations-tags-getTag [data-param-name="id"] input', '5');
        await page.click('#operations-tags-getTag button.execute');
        const answer = page
          .locator('#operations-tags-getTag .live-responses-table .response-col_description pre')
          .first();
        await answer.waitFor();
        expect(JSON.parse(await answer.innerText())).toEqual({ id: 5, label });
      }));
  });

  test('Swagger UI follows the color scheme, also when it changes', () =>
    visit('/docs', { colorScheme: 'dark' }, async (page) => {
      await page.waitForSelector('.opblock');
      const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
      expect(await ground()).toBe('rgb(28, 32, 34)');
      await page.emulateMedia({ colorScheme: 'light' });
      await page.waitForFunction("!document.documentElement.classList.contains('dark-mode')");
      expect(await ground()).toBe('rgba(0, 0, 0, 0)');
    }));

  describe('axe-core finds no violation', () => {
    const looks: Look[] = [
      { colorScheme: 'light', width: 1280 },
      { colorScheme: 'dark', width: 360 },
    ];
    const settled: Record<string, (page: Page) => Promise<unknown>> = {
      '/': async () => {},
      '/problems/invalid-body': async () => {},
      '/docs': async (page) => {
        for (const operation of [
          'items-createItem',
          'users-deleteUser',
          'v2_changes-listChangesV2',
          'v2_items-patchItemV2',
        ])
          await open(page, operation);
        await page.click('#operations-items-createItem button.execute');
        await page.waitForSelector('.live-responses-table');
      },
      '/redoc': async (page) => {
        await page.getByText('Show', { exact: false }).first().click();
        await page.getByText('Add one item at the end of the collection').first().waitFor({ state: 'attached' });
      },
    };

    test.each(
      Object.keys(settled).flatMap((path) => looks.map((look) => [path, look.colorScheme, look.width, look] as const)),
    )(
      '%s in %s at %d pixels, without horizontal scrolling',
      (path, _, __, look) =>
        visit(path, look, async (page) => {
          await settled[path]?.(page);
          await page.evaluate(axe);
          // axe-core must check the colors after the transitions have ended.
          await page.waitForFunction('document.getAnimations().every(({ playState }) => playState === "finished")');
          const found = await page.evaluate(
            "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))",
          );
          expect(found).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        }),
      // On a busy machine axe-core takes most of a minute for Swagger UI.
      180_000,
    );
  });
});
