/** A Linux control group with a memory limit, and a group inside it for the process, without a limit of its own. */
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

  /** Returns the reason if it cannot be created. */
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
      return `cannot create a control group: ${(error as Error).message}`;
    }
  }

  /** Put before a command, it starts the command inside the group. */
  get command(): string[] {
    return ['/bin/sh', '-c', `echo $$ > ${join(this.inner, 'cgroup.procs')} && exec "$@"`, 'sh'];
  }

  get peakMegabytes(): number {
    return Number(readFileSync(join(this.outer, this.files.peak), 'utf8')) / 1024 ** 2;
  }

  /** The number of processes that were killed because the group was out of memory. */
  get kills(): number {
    const texts = [this.outer, this.inner].map((folder) => readFileSync(join(folder, this.files.kills), 'utf8'));
    return Math.max(...texts.map((text) => Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0)));
  }

  /** Only after its processes have ended. */
  remove(): void {
    for (const folder of [this.inner, this.outer]) rmdirSync(folder);
  }
}
