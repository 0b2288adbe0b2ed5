/** Installs Debian packages, as root. */
import { existsSync } from 'node:fs';

/** Undefined if the package is installed, else the reason why not. Prints what it installs. */
export function aptInstall(name: string, purpose: string): string | undefined {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get'))
    return `this system has no apt-get to install ${name} with`;
  if (process.getuid?.() !== 0) return `only root may install ${name}`;
  process.stderr.write(`shelf: installing ${name} for ${purpose} (once) ...\n`);
  const quiet = {
    stdout: 'ignore',
    stderr: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  } as const;
  Bun.spawnSync(['apt-get', 'update', '-qq'], quiet);
  const { exitCode } = Bun.spawnSync(['apt-get', 'install', '-y', '-qq', '--no-install-recommends', name], quiet);
  return exitCode === 0 ? undefined : `apt-get could not install ${name}`;
}
