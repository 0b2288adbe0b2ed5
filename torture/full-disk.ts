/** A disk that fills up under load: 503 for what does not fit, reads go on, and writes again once there is room. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemTool } from '../scripts/system-tool.ts';
import { startShelf } from '../test/process.ts';
import type { Torture } from './torture.ts';
import { integrity, Writers } from './writers.ts';

export const fullDisk: Torture = async ({ folder, say }) => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return { skipped: 'only root on Linux can mount a small disk' };
  const [mount, umount] = [systemTool('mount'), systemTool('umount')];
  if (mount === undefined || umount === undefined) return { skipped: 'there is no mount to make a small disk with' };
  const mounted = Bun.spawnSync([mount, '-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]);
  if (mounted.exitCode !== 0) return { skipped: `mount says ${mounted.stderr.toString().trim()}` };
  try {
    const path = join(folder, 'full.db');
    const ballast = join(folder, 'ballast');
    writeFileSync(ballast, new Uint8Array(4 * 1024 * 1024));
    const shelf = await startShelf({ args: ['--database', `sqlite:${path}`, '--log', 'off'] });
    const writers = new Writers(16);
    const refused = () => writers.refusals.get(503) ?? 0;
    await writers.write(shelf.url, () => refused() >= 200);
    const atFull = writers.acknowledged.size;
    say(`full after ${atFull} writes; ${refused()} refused with 503`);

    const complaints = await writers.verify(shelf.url);
    const { detail, retryAfter } = writers.refusal;
    if (retryAfter === null) complaints.push('a 503 does not say when to try again');
    if (writers.refusals.size > 1) complaints.push(`full, it answers ${[...writers.refusals.keys()].join(', ')}`);
    if (/SQLITE|disk I\/O|src\//i.test(detail)) complaints.push(`the answer tells of the inside: ${detail}`);

    rmSync(ballast);
    await writers.write(shelf.url, (acknowledged) => acknowledged >= atFull + 1000);
    say(`room again: ${writers.acknowledged.size - atFull} more written`);
    complaints.push(...(await writers.verify(shelf.url)));
    if ((await shelf.stop()) !== 0) complaints.push('it did not stop cleanly');
    if (integrity(path) !== 'ok') complaints.push(`integrity check says ${integrity(path)}`);

    const again = await startShelf({ args: ['--database', `sqlite:${path}`] });
    complaints.push(...(await writers.verify(again.url)));
    await again.stop();
    return {
      figures: {
        acknowledged: writers.acknowledged.size,
        'refused with 503': refused(),
        'written after room returned': writers.acknowledged.size - atFull,
      },
      complaints,
    };
  } finally {
    Bun.spawnSync([umount, '-l', folder]);
  }
};
