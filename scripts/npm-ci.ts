/** Installs what a folder with a package of its own needs, as its own lockfile and .npmrc say. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const rootSettings = join(import.meta.dir, '..', '.npmrc');

/** Undefined when all is installed, else why not. */
export function npmCi(folder: string): string | undefined {
  if (Bun.which('npm') === null) return 'there is no npm';
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

/** `npm run` hands the settings of this package on in the environment, where they outrank those of the other folder. */
export function withoutRootSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = [...readFileSync(rootSettings, 'utf8').matchAll(/^([a-z-]+)=/gm)].map(
    ([, name = '']) => `npm_config_${name.replaceAll('-', '_')}`,
  );
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name.toLowerCase())));
}
