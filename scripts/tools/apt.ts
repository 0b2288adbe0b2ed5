/** Installs Debian packages, as root. */
import { existsSync } from 'node:fs';
import { systemTool } from './system-tool.ts';

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

/** Installs tools that are missing; `packages` has the name of the package of each. Undefined if all are there, else the reason why not. */
export function missingTools(packages: Readonly<Record<string, string>>, purpose: string): string | undefined {
  for (const [tool, name] of Object.entries(packages)) {
    const reason = systemTool(tool) === undefined ? aptInstall(name, purpose) : undefined;
    if (reason !== undefined) return `${tool} is not installed, and ${reason}`;
  }
  return undefined;
}
