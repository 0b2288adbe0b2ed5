import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Makes a folder with node, npm and a shell in it: a PATH of a machine that has nothing else. */
export function barePath(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const name of ['node', 'npm', 'npx', 'sh']) {
    const found = Bun.which(name);
    if (found === null) throw new Error(`there is no ${name} on the PATH`);
    symlinkSync(found, join(bin, name));
  }
  return bin;
}
