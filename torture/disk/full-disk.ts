/** The disk fills up under load: writes that do not fit get 503, reads continue, and writes resume once there is room. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startShelf } from '../../test/support/servers/process.ts';
import { sqliteArgs, type Torture } from '../support/torture.ts';
import { integrity, Writers } from '../support/writers.ts';
import { onSmallDisk } from './small-disk.ts';

export const fullDisk: Torture = (run) =>
  onSmallDisk(run.folder, 8, async () => {
    const { folder, say, threads } = run;
    const path = join(folder, 'full.db');
    const ballast = join(folder, 'ballast');
    writeFileSync(ballast, new Uint8Array(4 * 1024 * 1024));
    const shelf = await startShelf({ args: [...sqliteArgs(path, run), '--log', 'off'] });
    const writers = new Writers(16);
    const refused = () => writers.refusals.get(503) ?? 0;
    await writers.write(shelf.url, () => refused() >= 200);
    const atFull = writers.acknowledged.size;
    say(`full after ${atFull} writes; ${refused()} refused with 503`);

    const complaints = [...writers.threads.complaints(threads), ...(await writers.verify(shelf.url))];
    const { detail, retryAfter } = writers.refusal;
    if (retryAfter === null) complaints.push('a 503 has no Retry-After');
    if (writers.refusals.size > 1)
      complaints.push(`on the full disk: expected 503, got ${[...writers.refusals.keys()].join(', ')}`);
    if (/SQLITE|disk I\/O|src\//i.test(detail)) complaints.push(`the answer reveals internals: ${detail}`);

    rmSync(ballast);
    await writers.write(shelf.url, (acknowledged) => acknowledged >= atFull + 1000);
    say(`after room was made: ${writers.acknowledged.size - atFull} more written`);
    complaints.push(...(await writers.verify(shelf.url)));
    if ((await shelf.stop()) !== 0) complaints.push('the server did not stop cleanly');
    if (integrity(path) !== 'ok') complaints.push(`integrity check: ${integrity(path)}`);

    const again = await startShelf({ args: [...sqliteArgs(path, run)] });
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
  });
