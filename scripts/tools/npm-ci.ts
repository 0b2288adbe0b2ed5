/** Installs the dependencies of a folder that has its own package.json, lockfile and .npmrc. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const rootSettings = join(import.meta.dir, '../..', '.npmrc');

/** Undefined if everything is installed, else the reason why not. */
export function npmCi(folder: string): string | undefined {
  if (Bun.which('npm') === null) return 'npm is not installed';
  const { exitCode, stderr } = Bun.spawnSync(
    ['npm', 'ci', '--ignore-scripts', '--loglevel=error', '--prefer-offline'],
    {
      cwd: folder,
      env: withoutRootSettings(process.env),
      stdout: 'ignore',
      stderr: 'pipe',
    },
  );
  if (exitCode === 0) return undefined;
  return `npm could not install it: ${stderr.toString().trim().split('\n')[0]}`;
}

/** `npm run` passes the settings of this package on in the environment, where they override those of the other folder. */
export function withoutRootSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = [...readFileSync(rootSettings, 'utf8').matchAll(/^([a-z-]+)=/gm)].map(
    ([, name = '']) => `npm_config_${name.replaceAll('-', '_')}`,
  );
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name.toLowerCase())));
}
