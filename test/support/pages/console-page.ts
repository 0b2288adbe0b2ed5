/** Opens the console in Chromium; what the page complains about is collected. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { runKeys } from '../../../src/cli/commands/keys.ts';
import { collections } from '../../../src/collections/registry.ts';
import type { TestServer } from '../servers/server.ts';

const axe = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8');

/** A key named after its scope, which has to be asked for once only. */
export async function keyFor({ store }: TestServer, scope: 'read' | 'write' | 'admin'): Promise<string> {
  const order = { kind: 'create', name: `key-${scope}`, scope, collections: undefined, lastsMs: undefined } as const;
  return (await runKeys(store.admin.apiKeys, order, new Date(), collections)).output.trimEnd();
}

export type Look = { readonly width?: number; readonly colorScheme?: 'light' | 'dark'; readonly key?: string };

export type ConsolePage = {
  readonly page: Page;
  /** Errors, warnings, dialogs, and requests to other hosts. A refused request is the test's own business. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
};

export async function openConsole(browser: Browser, url: string, path: string, look: Look = {}): Promise<ConsolePage> {
  const { width = 1280, colorScheme = 'light', key } = look;
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, ignoreHTTPSErrors: true });
  const page = await context.newPage();
  page.setDefaultTimeout(45_000);
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${url}/`))
      complaints.push(`foreign: ${request.url()}`);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  page.on('console', (message) => {
    const isRefused = /the server responded with a status of (4\d\d|503)|net::ERR_/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isRefused) complaints.push(message.text());
  });
  if (key !== undefined)
    await page.addInitScript((value) => Reflect.get(globalThis, 'sessionStorage').setItem('shelf.key', value), key);
  await page.goto(url + path);
  return { page, complaints, close: () => context.close() };
}

/** Selects the first rows of a long list. Its second page follows the first one by itself. */
export async function selectLoaded(page: Page): Promise<void> {
  const all = page.getByText('250 selected: all that are loaded');
  while (!(await all.isVisible())) await page.getByLabel('Select all rows').check();
}

/** axe-core reads style sheets only for rules that are switched off. */
const options = { resultTypes: ['violations'], preload: { assets: ['media'] } };

/** The looks in which every screen is checked; for a dialog over one and for another page, the first and the last are enough. */
const looks = [1280, 360].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ colorScheme, width })),
);

/**
 * What is wrong with a screen in each look: what axe-core finds, and whether it scrolls sideways. axe-core runs in a world of its
 * own, where the Content-Security-Policy of the page does not count. `except` selects elements that look like others on the page.
 */
export async function violations(
  page: Page,
  of: 'screen' | 'dialog' | 'page' = 'screen',
  except: readonly string[] = [],
): Promise<readonly unknown[]> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  const run = async (expression: string): Promise<unknown[]> => {
    const call = { expression, contextId: executionContextId, awaitPromise: true, returnByValue: true };
    return (await session.send('Runtime.evaluate', call)).result.value;
  };
  await run(axe);
  const context = JSON.stringify({ include: [['html']], exclude: except.map((selector) => [selector]) });
  const found: unknown[] = [];
  const chosen = of === 'screen' ? looks : [...looks.slice(0, 1), ...looks.slice(-1)];
  let checked: number | undefined;
  for (const { colorScheme, width } of chosen) {
    // Otherwise each row of a table takes 0.6 s to change its color, and is drawn in every frame between.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 800 });
    await until(page, 'document.getAnimations().every(({ playState }) => playState === "finished")');
    // The DOM and the layout depend on the width alone, so in the second color scheme of a width only the rules for colors can find more.
    const rules = width === checked ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {};
    checked = width;
    const broken = await run(
      `axe.run(${context}, ${JSON.stringify({ ...options, ...rules })}).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))`,
    );
    if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) broken.push('scrolls sideways');
    found.push(...broken.map((one) => ({ colorScheme, width, broken: one })));
  }
  await session.detach();
  return found;
}

/** For a suite on several engines: what axe-core finds does not depend on the engine, and takes it seconds, so it runs on SQLite alone. */
export const violationsOn = (engine: string): typeof violations => (engine === 'sqlite' ? violations : async () => []);

/** Waits for a condition in the page; `waitForFunction` would need an `eval`, which the Content-Security-Policy forbids. */
export async function until(page: Page, condition: string): Promise<void> {
  await page.evaluate(
    `new Promise((done) => { const look = () => ((${condition}) ? done() : requestAnimationFrame(look)); look(); })`,
  );
}
