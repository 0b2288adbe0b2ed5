/** A small disk of its own, for tortures that fill it. */
import { systemTool } from '../../scripts/tools/system-tool.ts';
import type { TortureResult } from '../support/torture.ts';

/** Runs `work` with a disk of this size mounted at `folder`. */
export async function onSmallDisk(
  folder: string,
  megabytes: number,
  work: () => Promise<TortureResult>,
): Promise<TortureResult> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return { skipped: 'only root on Linux can mount a small disk' };
  const [mount, umount] = [systemTool('mount'), systemTool('umount')];
  if (mount === undefined || umount === undefined) return { skipped: 'mount is not installed' };
  const mounted = Bun.spawnSync([mount, '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  if (mounted.exitCode !== 0) return { skipped: `mount failed: ${mounted.stderr.toString().trim()}` };
  try {
    return await work();
  } finally {
    Bun.spawnSync([umount, '-l', folder]);
  }
}
