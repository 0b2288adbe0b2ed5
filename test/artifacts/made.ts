/** The files of a release that are tested: those in the folder RELEASED, else those of this machine, made twice. */
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { hostTarget } from '../../scripts/release/targets.ts';
import { cloneTo } from '../support/servers/clone.ts';
import { runCommand } from '../support/servers/command.ts';
import { root } from '../support/servers/process.ts';

export const released = process.env.RELEASED;
export const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };

/** From a copy of the sources, of this machine's target alone: every other target takes as long again, and a download. */
export async function make(folder: string, name: string): Promise<string> {
  const clone = join(folder, name);
  cloneTo(clone);
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  const made = join(folder, `made-of-${name}`);
  const script = join(clone, 'scripts/release/make.ts');
  const { code, stderr } = await runCommand(
    [process.execPath, script, made, 'revision', '1800000000', hostTarget?.name ?? ''],
    { cwd: clone, env: { ...process.env, SHELF_RELEASE_CACHE: join(root, 'dist/cache') } },
  );
  if (code !== 0) throw new Error(stderr);
  return made;
}

/** The content of each file, by name. */
export const filesOf = (folder: string): ReadonlyMap<string, Buffer> =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
