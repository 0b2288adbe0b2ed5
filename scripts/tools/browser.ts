/** Chromium for the tests: an installed one, or Debian's package. */
import { existsSync } from 'node:fs';
import { aptInstall } from './apt.ts';

/** Chromium without windows: opening a page takes two thirds of the processor time. Debian's package. */
const shell = '/usr/lib/chromium/chromium-headless-shell';

const places = [
  // Debian's own; /usr/bin/chromium is a script around it that needs more tools on the PATH.
  '/usr/lib/chromium/chromium',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  shell,
];

/** The path in CHROMIUM_PATH, or the first browser in the usual places. */
export function findBrowser(): string | undefined {
  return [process.env.CHROMIUM_PATH ?? '', ...places].find((path) => path !== '' && existsSync(path));
}

/** For `npm test`: the path in CHROMIUM_PATH, or the one without windows, or any other. Installs one if possible; else the reason. */
export function testBrowser(): { path: string } | { reason: string } {
  if (process.env.CHROMIUM_PATH) return { path: process.env.CHROMIUM_PATH };
  const install = (name: string) => aptInstall(name, 'the browser tests');
  if (!existsSync(shell)) install('chromium-headless-shell');
  if (existsSync(shell)) return { path: shell };
  const reason = findBrowser() === undefined ? install('chromium') : undefined;
  const path = findBrowser();
  return path === undefined ? { reason: reason ?? 'no Chromium was found' } : { path };
}
