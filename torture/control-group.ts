/** A control group of Linux with a limit on memory, and a group in it for the process, which has none of its own. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Files = { readonly base: string; readonly limit: string; readonly peak: string; readonly kills: string };

const version1: Files = {
  base: '/sys/fs/cgroup/memory',
  limit: 'memory.limit_in_bytes',
  peak: 'memory.max_usage_in_bytes',
  kills: 'memory.oom_control',
};
const version2: Files = { base: '/sys/fs/cgroup', limit: 'memory.max', peak: 'memory.peak', kills: 'memory.events' };

export class ControlGroup {
  private constructor(
    readonly files: Files,
    readonly outer: string,
    readonly inner: string,
  ) {}

  /** Answers why it cannot be had where it cannot. */
  static make(limitBytes: number): ControlGroup | string {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux can limit memory';
    const files = existsSync(version1.base) ? version1 : version2;
    const outer = join(files.base, `shelf-torture-${process.pid}`);
    try {
      if (files === version2) writeFileSync(join(files.base, 'cgroup.subtree_control'), '+memory');
      mkdirSync(outer);
      writeFileSync(join(outer, files.limit), String(limitBytes));
      const inner = join(outer, 'server');
      mkdirSync(inner);
      return new ControlGroup(files, outer, inner);
    } catch (error) {
      return `control groups cannot be made: ${(error as Error).message}`;
    }
  }

  /** What starts a command inside the group. */
  get command(): string[] {
    return ['/bin/sh', '-c', `echo $$ > ${join(this.inner, 'cgroup.procs')} && exec "$@"`, 'sh'];
  }

  get peakMegabytes(): number {
    return Number(readFileSync(join(this.outer, this.files.peak), 'utf8')) / 1024 ** 2;
  }

  /** Processes that were killed because there was no memory left. */
  get kills(): number {
    const told = [this.outer, this.inner].map((folder) => readFileSync(join(folder, this.files.kills), 'utf8'));
    return Math.max(...told.map((text) => Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0)));
  }

  /** Once its processes have ended. */
  remove(): void {
    for (const folder of [this.inner, this.outer]) rmdirSync(folder);
  }
}
