/** More records than memory: a server with a small memory limit starts, serves and is not killed. */
import { join } from 'node:path';
import { seed } from '../../test/support/data/seed.ts';
import { type Shelf, command as shelfCommand, startShelf } from '../../test/support/servers/process.ts';
import { ControlGroup } from '../support/control-group.ts';
import { sqliteArgs, type Torture } from '../support/torture.ts';

/** In both runs the records together exceed the memory limit; the short run uses fewer and longer ones. */
const sizes = {
  full: { records: 2_000_000, nameLength: 20, megabytes: 256 },
  short: { records: 30_000, nameLength: 4800, megabytes: 192 },
};
/** A page has about a megabyte. */
const pageBytes = 1024 ** 2;
/** For one answer. A server that is out of memory may hang instead of being killed. */
const patienceMs = 60_000;
/** In bytes: the cache has been dropped, and holds the few records that are read here and the lists that find them. */
const dropped = 4 * 1024 ** 2;
const mostRounds = 500;

type Size = (typeof sizes)['full' | 'short'];

/** From the metrics. */
async function cacheBytes({ url }: Shelf): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(patienceMs) })).text();
  return Number(/^shelf_cache_bytes (\d+)/m.exec(text)?.[1]);
}

/** Sends reads, a write, a page and a health check; returns the unexpected answers. */
async function use({ url }: Shelf, { records, nameLength }: Size, round: number): Promise<string[]> {
  const body = `{"id":${records + round + 2},"name":"more","price":1}`;
  const requests: readonly (readonly [status: number, path: string, init?: RequestInit])[] = [
    [200, `/api/items/${Math.floor(records / 2)}`],
    [201, '/api/items', { method: 'POST', body }],
    [200, `/api/items/${records + round + 2}`],
    [200, `/api/v2/items?limit=${Math.min(1000, Math.ceil(pageBytes / nameLength))}&sort=-id`],
    [200, '/readyz'],
  ];
  const complaints: string[] = [];
  for (const [expected, path, init] of requests) {
    const response = await fetch(url + path, { ...init, signal: AbortSignal.timeout(patienceMs) });
    await response.arrayBuffer();
    if (response.status !== expected) complaints.push(`${path}: expected ${expected}, got ${response.status}`);
  }
  return complaints;
}

export const memoryLimit: Torture = async (run) => {
  const { folder, full, say } = run;
  const size = full ? sizes.full : sizes.short;
  const { records, nameLength, megabytes } = size;
  const group = ControlGroup.make(megabytes * 1024 ** 2);
  if (typeof group === 'string') return { skipped: group };
  const path = join(folder, 'large.db');
  try {
    await seed(path, records, nameLength);
    say(`${records} records, memory limit ${megabytes} MB`);
    const command = [...group.command, ...shelfCommand];
    const shelf = await startShelf({ command, args: [...sqliteArgs(path, run), '--log', 'off', '--metrics'] });
    const complaints: string[] = [];
    let rounds = 0;
    let peak = 0;
    try {
      // A cache that begins to fill grows until it is over its budget, and is then dropped. Memory use is highest just before that.
      let kept = 0;
      for (; rounds < 20 || (kept > dropped && rounds < mostRounds); rounds++) {
        complaints.push(...(await use(shelf, size, rounds)));
        kept = await cacheBytes(shelf);
        peak = Math.max(peak, kept);
      }
      if (kept > dropped) complaints.push(`the cache still has ${kept} bytes after ${rounds} rounds`);
      let listed = 0;
      for await (const chunk of (await fetch(`${shelf.url}/api/items`)).body ?? []) listed += chunk.length;
      if (listed < records * nameLength) complaints.push(`the list ended after ${listed} bytes`);
    } catch (error) {
      complaints.push(`the server was gone after ${rounds} rounds: ${(error as Error).message}`);
    }
    if ((await shelf.stop()) !== 0) complaints.push('the server did not stop cleanly');
    if (group.kills > 0) complaints.push('the server was killed because it was out of memory');
    const used = Math.round(group.peakMegabytes);
    say(`at most ${used} MB in use, at most ${Math.round(peak / 1024 ** 2)} MB of them by the cache`);
    return { figures: { records, 'limit in MB': megabytes, 'MB in use at most': used, rounds }, complaints };
  } finally {
    group.remove();
  }
};
