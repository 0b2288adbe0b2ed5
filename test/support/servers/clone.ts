/** A copy of the repository like a clone, without installed and built files. */
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './process.ts';

/** Every file that git does not ignore, also untracked ones. */
function files(): string[] {
  const listed = Bun.spawnSync(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  if (listed.exitCode !== 0) throw new Error('this test needs git and a git checkout');
  return listed.stdout
    .toString()
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)));
}

export function cloneTo(folder: string): void {
  for (const file of files()) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
}
