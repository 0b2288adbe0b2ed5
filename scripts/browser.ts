/** Chromium for the tests: an installed one, or Debian's package. */
import { existsSync } from 'node:fs';
import { aptInstall } from './apt.ts';

const places = [
  // Debian's own; /usr/bin/chromium is a script around it that needs more tools on the PATH.
  '/usr/lib/chromium/chromium',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The path in CHROMIUM_PATH, or the first browser in the usual places. */
export function findBrowser(): string | undefined {
  return [process.env.CHROMIUM_PATH ?? '', ...places].find((path) => path !== '' && existsSync(path));
}

/** Installs Debian's package if possible; returns the reason if not. */
export function installBrowser(): { path: string } | { reason: string } {
  const reason = aptInstall('chromium', 'the browser tests');
  const path = findBrowser();
  return path === undefined ? { reason: reason ?? 'no Chromium was found' } : { path };
}
