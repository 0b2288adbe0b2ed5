/** A million items: the list to eight readers, one of them slow; the first answer after a start; the cost as it grows. */
import { join } from 'node:path';
import { items } from '../src/collections/items.ts';
import { collections } from '../src/collections/registry.ts';
import { openEngine } from '../src/storage/open.ts';
import { load, rssMb } from './load.ts';
import { type Server, startNginx, startShelfOn } from './peers.ts';
import { growthScripts } from './work.ts';

export type Finding = {
  readonly title: string;
  readonly value: string;
  readonly must: string;
  readonly holds: boolean;
};

/** Fills a new database through the store itself, which is faster than HTTP. */
export async function seed(path: string, count: number): Promise<void> {
  const store = openEngine({ kind: 'sqlite', path }, collections, 0);
  const batch: Promise<void>[] = [];
  for (let n = 2; n <= count; n++) {
    const row = { id: BigInt(n), name: `Item number ${n}`, price: n + 0.5 };
    batch.push(store.append(items, row, items.encode(row)));
    if (batch.length === 4000) await Promise.all(batch.splice(0));
  }
  await Promise.all(batch);
  await store.close();
}

/** Reads the list over and over until told to stop; answers how many bytes came. */
async function readLists(server: Server, path: string, until: { stop: boolean }): Promise<number> {
  let bytes = 0;
  while (!until.stop) {
    const response = await fetch(server.base + path);
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (until.stop) break;
    }
  }
  return bytes;
}

/** Takes a hundred kilobytes a second. */
function readSlowly(server: Server, path: string, until: { stop: boolean }): Promise<boolean> {
  const { hostname, port } = new URL(server.base);
  return new Promise((resolve) => {
    let cut = false;
    Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) => void socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`),
        data: (socket, data) => {
          socket.pause();
          setTimeout(() => (until.stop ? socket.end() : socket.resume()), (data.byteLength / 100_000) * 1000);
        },
        close: () => {
          cut = !until.stop;
          resolve(!cut);
        },
      },
    });
  });
}

async function listThroughput(server: Server, path: string, seconds: number, port: number) {
  const until = { stop: false };
  const start = performance.now();
  const slow = port > 0 ? readSlowly(server, path, until) : Promise.resolve(true);
  const readers = Array.from({ length: 7 }, () => readLists(server, path, until));
  let peak = 0;
  while (performance.now() - start < seconds * 1000) {
    peak = Math.max(peak, rssMb(server.pid));
    await Bun.sleep(50);
  }
  until.stop = true;
  const bytes = (await Promise.all(readers)).reduce((sum, count) => sum + count, 0);
  const uncut = await Promise.race([slow, Bun.sleep(5000).then(() => true)]);
  return { perSecond: bytes / ((performance.now() - start) / 1000), peak, uncut };
}

export async function million(folder: string, seconds: number, say: (text: string) => void): Promise<Finding[]> {
  const findings: Finding[] = [];
  const path = join(folder, 'million.db');
  say('storing 1,000,000 items');
  await seed(path, 1_000_000);

  const started = performance.now();
  const shelf = await startShelfOn(path, 8201);
  await (await fetch(`${shelf.base}/api/items/500000`)).arrayBuffer();
  const startMs = performance.now() - started;
  findings.push({
    title: 'start with 1,000,000 items, to the first answer',
    value: `${startMs.toFixed(0)} ms`,
    must: '<= 500 ms',
    holds: startMs <= 500,
  });

  say('reading the list of 1,000,000');
  while ((await fetch(`${shelf.base}/api/items`, { method: 'HEAD' })).headers.get('ETag') === null)
    await Bun.sleep(100);
  const bytes = await (await fetch(`${shelf.base}/api/items`)).bytes();
  const listMb = bytes.byteLength / 1024 / 1024;
  const nginx = await startNginx(8202, { list: bytes });
  const [, quietGet] = [0, growthScripts(1_000_000)[0]];
  const quiet = quietGet === undefined ? undefined : await load(shelf, quietGet, seconds, folder);
  const ours: number[] = [];
  const theirs: number[] = [];
  let peak = 0;
  for (let round = 0; round < 3; round++) {
    const a = await listThroughput(shelf, '/api/items', seconds, 1);
    const b = await listThroughput(nginx, '/list', seconds, 1);
    ours.push(a.perSecond);
    theirs.push(b.perSecond);
    peak = Math.max(peak, a.peak);
    if (!a.uncut) findings.push({ title: 'the slow reader', value: 'was cut', must: 'is served', holds: false });
  }
  const ratio = median(ours) / median(theirs);
  findings.push({
    title: `GET the list of 1,000,000 items (${listMb.toFixed(0)} MB)`,
    value: `${ratio.toFixed(2)}x nginx`,
    must: '>= 0.5x nginx',
    holds: ratio >= 0.5,
  });
  const bound = 3 * listMb + 100;
  findings.push({
    title: 'its memory with 8 readers, one at 100 KB/s',
    value: `${peak.toFixed(0)} MB`,
    must: `<= ${bound.toFixed(0)} MB`,
    holds: peak <= bound,
  });

  const until = { stop: false };
  const readers = [
    readSlowly(shelf, '/api/items', until),
    ...Array.from({ length: 7 }, () => readLists(shelf, '/api/items', until)),
  ];
  const busy = quietGet === undefined ? undefined : await load(shelf, quietGet, seconds, folder);
  until.stop = true;
  await Promise.race([Promise.all(readers), Bun.sleep(3000)]);
  const slower = (busy?.p99 ?? Number.NaN) / (quiet?.p99 ?? Number.NaN);
  findings.push({
    title: 'GET one p99 meanwhile',
    value: `${slower.toFixed(1)}x its quiet p99`,
    must: '<= 5x',
    holds: slower <= 5,
  });
  await nginx.stop();
  await shelf.stop();

  findings.push(...(await growth(folder, path, seconds, say)));
  return findings;
}

async function growth(
  folder: string,
  largest: string,
  seconds: number,
  say: (text: string) => void,
): Promise<Finding[]> {
  const sizes = [1_000, 100_000, 1_000_000];
  const paths = sizes.map((size) => (size === 1_000_000 ? largest : join(folder, `${size}.db`)));
  for (const [index, size] of sizes.slice(0, -1).entries()) await seed(paths[index] ?? '', size);
  const rates = new Map<string, number[][]>();
  for (let round = 0; round < 3; round++) {
    for (const [index, size] of sizes.entries()) {
      say(`growth, round ${round + 1}: ${size.toLocaleString('en')} items`);
      const shelf = await startShelfOn(paths[index] ?? '', 8203);
      while ((await fetch(`${shelf.base}/api/items`, { method: 'HEAD' })).headers.get('ETag') === null)
        await Bun.sleep(100);
      for (const script of growthScripts(size)) {
        await load(shelf, script, 1, folder);
        const { perSecond } = await load(shelf, script, seconds, folder);
        const known = rates.get(script.name) ?? sizes.map(() => []);
        known[index]?.push(perSecond);
        rates.set(script.name, known);
      }
      await shelf.stop();
    }
  }
  return [...rates].map(([name, bySize]) => {
    const medians = bySize.map(median);
    const least = Math.min(...medians) / Math.max(...medians);
    const told = medians.map((rate) => Math.round(rate).toLocaleString('en')).join(', ');
    return {
      title: `${name.toUpperCase()} at 1k, 100k, 1M items: ${told} a second`,
      value: `within ${((1 - least) * 100).toFixed(0)}%`,
      must: 'within 15%',
      holds: least >= 0.85,
    };
  });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
