/**
 * Swagger UI and Redoc: every operation, exact digits, the color scheme of the reader, and accessibility. Both take seconds to
 * render, and Swagger UI reads the whole document again for each operation that is opened. So the server has one collection, and
 * the tests share one page of each. A test opens the operations that it needs.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { collection } from '../../src/domain/record/collection.ts';
import { browserPath, launch, type Watched, watch } from '../support/pages/browser.ts';
import { until, violations } from '../support/pages/console-page.ts';
import { startServer, type TestServer } from '../support/servers/server.ts';

/** A number that a double cannot hold. */
const odd = '9007199254740993';
const tags = collection('tags', {
  singular: 'tag',
  fields: { label: { type: 'text' } },
  first: { id: BigInt(odd), label: 'one' },
  contract: { operations: ['fetch', 'delete'], id: 'id' },
});
/** Of Swagger UI, which follows the color scheme. */
const isDark = "document.documentElement.classList.contains('dark-mode')";
const attack = '<img src=x onerror="document.title=\'pwned\';alert(1)">';
const nested = '{"a": [1,2]}, \\ "b": 12345678901234567890\u2028';

describe.skipIf(browserPath === undefined)('in Chromium', () => {
  let browser: Browser;
  let server: TestServer;
  let docs: Watched;
  let redoc: Watched;
  beforeAll(async () => {
    [browser, server] = await Promise.all([launch(), startServer({ collections: [tags] })]);
    for (const [id, label] of [
      [5, nested],
      [666, attack],
    ]) {
      const added = await fetch(`${server.url}/api/tags`, { method: 'POST', body: JSON.stringify({ id, label }) });
      expect(added.status).toBe(201);
    }
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const opened = async (path: string): Promise<Watched> => {
    const watched = await watch(browser, server.url);
    await watched.page.goto(server.url + path);
    return watched;
  };
  const isQuiet = async ({ page, foreign, complaints }: Watched) => {
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
    expect(await page.title()).not.toBe('pwned');
  };

  describe('Swagger UI', () => {
    beforeAll(async () => {
      docs = await opened('/docs');
      await docs.page.waitForSelector('.opblock');
    }, 60_000);
    afterAll(() => isQuiet(docs));

    /** Opens an operation, unless it is open. */
    async function open(name: string) {
      const operation = docs.page.locator(`#operations-${name}`);
      if ((await operation.locator('.opblock-body').count()) === 0)
        await operation.locator('.opblock-summary-control').click();
      await operation.locator('.opblock-body').waitFor();
      return {
        operation,
        /** Sends the request, and returns the answer to it. */
        async execute() {
          const clear = operation.locator('button.btn-clear');
          if ((await clear.count()) > 0) await clear.click();
          await operation.locator('button.execute').click();
          const answer = operation.locator('.live-responses-table .response');
          await answer.waitFor();
          return answer;
        },
      };
    }

    test('lists every operation', async () => {
      const listed = await docs.page.$$eval('.opblock', (blocks) =>
        blocks.map((block) => {
          const part = (name: string) => block.querySelector(`.opblock-summary-${name}`)?.textContent ?? '';
          return `${part('method')} ${part('path')}`.replaceAll('\u200b', '');
        }),
      );
      expect(listed).toContain('GET /api/tags');
      expect(listed).toContain('POST /api/tags');
      expect(listed).toContain('GET /api/tags/{id}');
      expect(listed).toContain('DELETE /api/tags/{id}');
      expect(listed).toContain('PATCH /api/v2/tags/{id}');
      expect(listed).toContain('GET /healthz');
    });

    test('keeps the exact digits of an answer, and shows a stored script as text', async () => {
      const { operation, execute } = await open('tags-listTags');
      const answer = await (await execute()).locator('.response-col_description').innerText();
      expect(answer).toContain(`[\n  {\n    "id": ${odd},\n    "label": "one"\n  },\n`);
      expect(await operation.innerText()).toContain('onerror');
      expect(await docs.page.$$('img[src="x"]')).toEqual([]);
    });

    test('keeps the exact digits in the example of an answer', async () => {
      const { operation } = await open('tags-getTag');
      expect(await operation.locator('.responses-table [data-code="200"]').innerText()).toContain(`"id": ${odd}`);
    });

    test('keeps the exact digits in the example of a body, and in the body that it sends', async () => {
      const { operation, execute } = await open('tags-createTag');
      expect(await operation.locator('textarea').inputValue()).toContain(`"id": ${odd}`);
      const answer = await (await execute()).locator('.response-col_description').innerText();
      expect(answer).toContain(`"id": ${odd}`);
      expect(await (await fetch(`${server.url}/api/tags`)).text()).toEndWith(`{"id":${odd},"label":"one"}]`);
    });

    test('"Try it out" creates a record and shows the 201', async () => {
      const { operation, execute } = await open('tags-createTag');
      await operation.locator('textarea').fill('{"id": 4242, "label": "From the page"}');
      const answer = await execute();
      expect(await answer.locator('.response-col_status').innerText()).toStartWith('201');
      expect(await answer.innerText()).toContain('From the page');
      const stored = await fetch(`${server.url}/api/tags/4242`);
      expect((await stored.json()) as object).toEqual({ id: 4242, label: 'From the page' });
    });

    test('shows JSON inside a string of an answer as text', async () => {
      const { operation, execute } = await open('tags-getTag');
      await operation.locator('[data-param-name="id"] input').fill('5');
      const answer = (await execute()).locator('.response-col_description pre').first();
      expect(JSON.parse(await answer.innerText())).toEqual({ id: 5, label: nested });
    });

    test('follows the color scheme, also when it changes', async () => {
      const { page } = docs;
      const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
      await page.emulateMedia({ colorScheme: 'dark' });
      await until(page, isDark);
      expect(await ground()).toBe('rgb(18, 25, 26)');
      await page.emulateMedia({ colorScheme: 'light' });
      await until(page, `!${isDark}`);
      expect(await ground()).toBe('rgb(250, 247, 241)');
    });

    test('has no violation for axe-core, and does not scroll sideways', async () => {
      const { execute } = await open('tags-createTag');
      await execute();
      for (const name of ['tags-getTag', 'tags-deleteTag', 'v2_tags-patchTagV2']) await open(name);
      // Two are a GET, and the third documented answer of an operation and those after it look like the second.
      const except = ['#operations-tags-listTags', '.responses-table .response:nth-of-type(n + 3)'];
      expect(await violations(docs.page, 'page', except)).toEqual([]);
      // On a busy machine this takes most of a minute.
    }, 180_000);
  });

  describe('Redoc', () => {
    beforeAll(async () => {
      redoc = await opened('/redoc');
      const { page } = redoc;
      // Redoc renders the lower parts only when they are scrolled to.
      await page.getByText('/api/tags/{id}', { exact: true }).first().waitFor({ state: 'attached' });
      await page.getByText('Show', { exact: false }).first().click();
      await page.getByText('Add one tag at the end of the collection').first().waitFor();
    }, 60_000);
    afterAll(() => isQuiet(redoc));

    test('lists every operation', async () => {
      const { page } = redoc;
      for (const [group, path] of [
        ['v2 tags', '/api/v2/tags/{id}'],
        ['v1', '/api/v1/tags'],
        ['service', '/api/v2/figures'],
      ] as const) {
        await page.getByText(group, { exact: true }).first().click();
        await page.getByText(path, { exact: true }).first().waitFor({ state: 'attached' });
      }
    });

    test('has no violation for axe-core, and does not scroll sideways', async () => {
      expect(await violations(redoc.page, 'page')).toEqual([]);
    }, 180_000);
  });

  test('every page has the same ink, lines and font', async () => {
    const parts = { '/': 'main p', '/docs': '.swagger-ui .info p', '/redoc': '.menu-content' };
    const looks = { light: new Set<unknown>(), dark: new Set<unknown>() };
    const start = await opened('/');
    for (const [path, part] of Object.entries(parts)) {
      const { page } = path === '/docs' ? docs : path === '/redoc' ? redoc : start;
      // Redoc has no menu on a narrow screen.
      await page.setViewportSize({ width: 1200, height: 900 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        // Redoc chooses a scheme when it starts.
        if (path === '/redoc') await page.reload();
        await page.waitForSelector(part);
        if (path === '/docs') await until(page, colorScheme === 'dark' ? isDark : `!${isDark}`);
        const look = await page.evaluate(
          `(() => { const { color, fontFamily } = getComputedStyle(document.querySelector('${part}'));
            return [color, fontFamily, getComputedStyle(document.documentElement).getPropertyValue('--line')].join(); })()`,
        );
        looks[colorScheme].add(look);
      }
    }
    await start.page.close();
    expect([looks.light.size, looks.dark.size]).toEqual([1, 1]);
  }, 60_000);

  test.each(['/', '/problems/invalid-body'])('%s has no violation for axe-core', async (path) => {
    const watched = await opened(path);
    expect(await violations(watched.page, 'page')).toEqual([]);
    await isQuiet(watched);
    await watched.page.close();
  });
});
