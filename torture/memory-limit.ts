/** More records than memory: a server with a small memory limit starts, serves and is not killed. */
import { join } from 'node:path';
import { items } from '../src/collections/items.ts';
import { collections } from '../src/collections/registry.ts';
import { openEngine } from '../src/storage/open.ts';
import { withCache } from '../test/engine.ts';
import { type Shelf, command as shelfCommand, startShelf } from '../test/process.ts';
import { ControlGroup } from './control-group.ts';
import type { Torture } from './torture.ts';

/** In both runs the records together exceed the memory limit; the short run uses fewer and longer ones. */
const sizes = {
  full: { records: 2_000_000, nameLength: 20, megabytes: 256 },
  short: { records: 120_000, nameLength: 1200, megabytes: 192 },
};

async function fill(path: string, records: number, nameLength: number): Promise<void> {
  const store = openEngine({ kind: 'sqlite', path }, collections, withCache(0));
  const bulk = await store.bulk(items, '');
  for (let next = 2; next <= records; ) {
    const lines: string[] = [];
    for (; next <= records && lines.length < 1000; next++)
      lines.push(items.encode({ id: BigInt(next), name: `Item ${next} `.padEnd(nameLength, '.'), price: next + 0.5 }));
    await bulk.add(lines);
  }
  await bulk.commit(undefined);
  await bulk.close();
  await store.close();
}

/** From the metrics. */
async function cacheBytes({ url }: Shelf): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^shelf_cache_bytes (\d+)/m.exec(text)?.[1]);
}

/** Sends reads, a write, a page and a health check; returns the unexpected answers. */
async function use({ url }: Shelf, records: number, round: number): Promise<string[]> {
  const body = `{"id":${records + round + 2},"name":"more","price":1}`;
  const requests: readonly (readonly [status: number, path: string, init?: RequestInit])[] = [
    [200, `/api/items/${Math.floor(records / 2)}`],
    [201, '/api/items', { method: 'POST', body }],
    [200, `/api/items/${records + round + 2}`],
    [200, '/api/v2/items?limit=1000&sort=-id'],
    [200, '/readyz'],
  ];
  const complaints: string[] = [];
  for (const [expected, path, init] of requests) {
    const response = await fetch(url + path, init);
    await response.arrayBuffer();
    if (response.status !== expected) complaints.push(`${path}: expected ${expected}, got ${response.status}`);
  }
  return complaints;
}

export const memoryLimit: Torture = async ({ folder, full, say }) => {
  const { records, nameLength, megabytes } = full ? sizes.full : sizes.short;
  const group = ControlGroup.make(megabytes * 1024 ** 2);
  if (typeof group === 'string') return { skipped: group };
  const path = join(folder, 'large.db');
  try {
    await fill(path, records, nameLength);
    say(`${records} records, memory limit ${megabytes} MB`);
    const command = [...group.command, ...shelfCommand];
    const shelf = await startShelf({ command, args: ['--database', `sqlite:${path}`, '--log', 'off', '--metrics'] });
    const complaints: string[] = [];
    let rounds = 0;
    let peak = 0;
    try {
      // The cache grows until it is over its budget, and is then dropped. Memory use is highest just before that.
      for (let kept = 0; rounds < 20 || (kept >= peak / 2 && rounds < 2000); rounds++) {
        complaints.push(...(await use(shelf, records, rounds)));
        kept = await cacheBytes(shelf);
        peak = Math.max(peak, kept);
      }
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
