/** A Chromium for the tests: the one that is there, or Debian's. */
import { existsSync } from 'node:fs';

const places = [
  // Debian's own; /usr/bin/chromium is a script around it that needs more on the PATH.
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

/** Installs Debian's package where root may; answers why not otherwise. */
export function installBrowser(): { path: string } | { reason: string } {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get')) {
    return { reason: 'no Chromium was found, and this system has no apt-get to install it with' };
  }
  if (process.getuid?.() !== 0) return { reason: 'no Chromium was found, and only root may install it' };
  process.stderr.write('shelf: installing Chromium for the browser tests (once, about a minute) ...\n');
  const quiet = {
    stdout: 'ignore',
    stderr: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  } as const;
  Bun.spawnSync(['apt-get', 'update', '-qq'], quiet);
  Bun.spawnSync(['apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'chromium'], quiet);
  const path = findBrowser();
  return path === undefined ? { reason: 'apt-get could not install the package chromium' } : { path };
}
