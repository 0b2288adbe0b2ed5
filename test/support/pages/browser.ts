/** A real Chromium whose pages record requests to other origins, errors and warnings. */
import type { Browser, Page } from 'playwright-core';
import { findBrowser } from '../../../scripts/tools/browser.ts';

export const browserPath = findBrowser();
if (browserPath === undefined && process.env.CI)
  throw new Error('there is no browser, and in CI no test may be skipped');

/**
 * Each window of Chromium renders the pop-up of its address bar as a page of its own, which takes longer than most pages that
 * are tested. Chromium heeds only the last list of features, so this one repeats those of Playwright that matter here.
 */
const withoutFeatures = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
  ...['AimEnabled', 'HttpsUpgrades', 'LensOverlay', 'MediaRouter', 'NetworkTimeServiceQuerying'],
  ...['OptimizationHints', 'PaintHolding', 'PreconnectToSearch', 'AvoidUnnecessaryBeforeUnloadCheckSync'],
  ...['DestroyProfileOnBrowserClose', 'ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect'],
];

/** `names` are host names that the browser resolves to this machine. */
export async function launch(...names: string[]): Promise<Browser> {
  // To load it takes 0.7 s of processor time, and most runs of the benchmarks and tortures start no browser.
  const { chromium } = await import('playwright-core');
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
  return chromium.launch({
    executablePath: browserPath ?? '',
    // As root, Chromium does not start with its sandbox.
    args: [
      '--disable-gpu',
      '--disable-quic',
      ...quiet,
      `--disable-features=${withoutFeatures.join(',')}`,
      `--host-resolver-rules=${names.map((name) => `MAP ${name} 127.0.0.1`).join(',')}`,
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  });
}

export type Watched = { readonly page: Page; readonly foreign: string[]; readonly complaints: string[] };

/** Opens a page at an origin; `foreign` collects requests to other origins, `complaints` the errors of the page. */
export async function watch(browser: Browser, origin: string): Promise<Watched> {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  const foreign: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) foreign.push(url);
  });
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  return { page, foreign, complaints };
}
