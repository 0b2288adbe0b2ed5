/** Makes the files of a release that this machine can run. */
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { libc } from '../../scripts/release/libc.ts';
import { hostTarget } from '../../scripts/release/targets.ts';
import { cloneTo } from '../support/servers/clone.ts';
import { runCommand } from '../support/servers/command.ts';
import { root } from '../support/servers/process.ts';
import { released } from './released.ts';

/** Why this machine cannot make the image; undefined if it can. Executables for macOS are not in it. */
const noImage =
  process.platform !== 'linux'
    ? 'this is not Linux'
    : await libc(process.arch === 'arm64' ? 'arm64' : 'amd64').then(
        () => undefined,
        (error: Error) => error.message,
      );
if (noImage !== undefined && released === undefined && process.platform === 'linux') {
  if (process.env.CI) throw new Error(`${noImage} In CI no test may be skipped.`);
  process.stderr.write(`\n!!! SKIPPED: the image was not made: ${noImage}\n`);
}

/** From a copy of the sources, of this machine's target alone: every other target takes as long again, and a download. */
export async function make(folder: string, name: string): Promise<string> {
  const clone = join(folder, name);
  cloneTo(clone);
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  const made = join(folder, `made-of-${name}`);
  const script = join(clone, 'scripts/release/make.ts');
  const { code, stderr } = await runCommand(
    [
      process.execPath,
      script,
      made,
      'revision',
      '1700000000',
      hostTarget?.name ?? '',
      ...(noImage === undefined ? ['image'] : []),
    ],
    { cwd: clone, env: { ...process.env, SHELF_RELEASE_CACHE: join(root, 'dist/cache') } },
  );
  if (code !== 0) throw new Error(stderr);
  return made;
}

/** The content of each file, by name. */
export const filesOf = (folder: string): ReadonlyMap<string, Buffer> =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
