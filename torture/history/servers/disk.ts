/** A separate disk that can be filled up, if the system allows it: a tmpfs whose size is changed. */
import { mkdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { systemTool, toolPath } from '../../../scripts/tools/system-tool.ts';

const size = '4g';

export class Disk {
  readonly folder: string;
  /** Why it cannot be filled up; undefined if it can. */
  readonly fixed: string | undefined;

  constructor(folder: string) {
    this.folder = join(folder, 'disk');
    mkdirSync(this.folder);
    if (process.platform !== 'linux' || process.getuid?.() !== 0)
      this.fixed = 'only root on Linux can mount a small disk';
    else if (systemTool('mount') === undefined) this.fixed = 'mount is not installed';
    else this.fixed = this.#mount(`size=${size}`);
  }

  /** Leaves room for this many more pages. */
  fill(pages: number): void {
    const { blocks, bfree, bsize } = statfsSync(this.folder);
    this.#mount(`remount,size=${(blocks - bfree + pages) * bsize}`);
  }

  empty(): void {
    this.#mount(`remount,size=${size}`);
  }

  close(): void {
    if (this.fixed === undefined) Bun.spawnSync([toolPath('umount'), '-l', this.folder]);
  }

  #mount(options: string): string | undefined {
    const { exitCode, stderr } = Bun.spawnSync([toolPath('mount'), '-t', 'tmpfs', '-o', options, 'tmpfs', this.folder]);
    return exitCode === 0 ? undefined : `mount failed: ${stderr.toString().trim()}`;
  }
}
