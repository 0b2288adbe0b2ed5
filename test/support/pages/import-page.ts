/** The screen of the console that imports: files for it, and what tests do with it. */
import { expect } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { temporaryFolder } from '../data/folder.ts';

/** For one test file: its files are removed at the end. */
export function importPage() {
  const folder = temporaryFolder();
  return {
    path: '/console/-/import',
    fileOf(name: string, text: string): string {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
    press: (page: Page, name: string) => page.getByRole('button', { name, exact: true }).press('Enter'),
    done: (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor(),
    figure: (page: Page, name: string) =>
      page.locator('.import-figures div').filter({ hasText: name }).locator('dd').textContent(),
    loseAnswer,
  };
}

/** The next bulk is added, and its answer is lost; resolves when it is added. `isHeld`: the page waits for the answer. */
async function loseAnswer(page: Page, isHeld = false): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(
    '**/bulk?*',
    async (route) => {
      expect((await route.fetch()).status()).toBe(201);
      if (!isHeld) await route.abort();
      resolve();
    },
    { times: 1 },
  );
  return promise;
}
