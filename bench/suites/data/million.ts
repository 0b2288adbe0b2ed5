/** A million items: the list for eight readers, one of them slow; the first answer after a start. */
import { join } from 'node:path';
import { seed } from '../../../test/support/data/seed.ts';
import { type Claim, median } from '../../measure/claim.ts';
import { load, readLists, rssMb } from '../../measure/load.ts';
import { recordCountScripts } from '../../measure/work.ts';
import type { Server } from '../../servers/launch.ts';
import { startNginx } from '../../servers/peers.ts';
import { recordsInMemory, startShelfOn } from '../../servers/shelf.ts';
import { productionCosts } from '../v2.ts';
import { recordCounts } from './record-counts.ts';

/** Reads 100 KB per second until `until.stop`; resolves to false if the server cuts the connection first. */
function readSlowly(server: Server, path: string, until: { stop: boolean }): Promise<boolean> {
  const { hostname, port } = new URL(server.base);
  return new Promise((resolve) => {
    let cut = false;
    Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) => void socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
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

/** Seven fast readers and a slow one. */
async function listThroughput(server: Server, path: string, seconds: number) {
  const until = { stop: false };
  const slow = readSlowly(server, path, until);
  const fast = readLists(server, path, 7, seconds);
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, rssMb(server.pid));
  }, 100);
  const bytesPerSecond = await fast;
  clearInterval(watch);
  until.stop = true;
  const uncut = await Promise.race([slow, Bun.sleep(5000).then(() => true)]);
  return { bytesPerSecond, peak, uncut };
}

export async function million(folder: string, seconds: number, say: (text: string) => void): Promise<Claim[]> {
  const claims: Claim[] = [];
  const path = join(folder, 'million.db');
  say('storing 1,000,000 items');
  await seed(path, 1_000_000);

  const started = performance.now();
  const shelf = await startShelfOn(path, 8201);
  await (await fetch(`${shelf.base}/api/items/500000`)).arrayBuffer();
  const startMs = performance.now() - started;
  claims.push({
    title: 'start with 1,000,000 items, to the first answer',
    value: `${startMs.toFixed(0)} ms`,
    must: '<= 500 ms',
    holds: startMs <= 500,
  });

  say('reading the list of 1,000,000');
  await recordsInMemory(shelf);
  const bytes = await (await fetch(`${shelf.base}/api/items`)).bytes();
  const listMb = bytes.byteLength / 1024 / 1024;
  const nginx = await startNginx(8202, { list: bytes });
  const [getOne] = recordCountScripts(1_000_000);
  const quiet = await load(shelf, getOne, seconds, folder);
  const ours: number[] = [];
  const theirs: number[] = [];
  let peak = 0;
  for (let round = 0; round < 3; round++) {
    const a = await listThroughput(shelf, '/api/items', seconds);
    const b = await listThroughput(nginx, '/list', seconds);
    ours.push(a.bytesPerSecond);
    theirs.push(b.bytesPerSecond);
    peak = Math.max(peak, a.peak);
    if (!a.uncut) claims.push({ title: 'the slow reader', value: 'was cut', must: 'is served', holds: false });
  }
  const ratio = median(ours) / median(theirs);
  claims.push({
    title: `GET the list of 1,000,000 items (${listMb.toFixed(0)} MB)`,
    value: `${ratio.toFixed(2)}x nginx`,
    must: '>= 0.5x nginx',
    holds: ratio >= 0.5,
  });
  const bound = 3 * listMb + 100;
  claims.push({
    title: 'its memory with 8 readers, one at 100 KB/s',
    value: `${peak.toFixed(0)} MB`,
    must: `<= ${bound.toFixed(0)} MB`,
    holds: peak <= bound,
  });

  const until = { stop: false };
  const slow = readSlowly(shelf, '/api/items', until);
  const readers = readLists(shelf, '/api/items', 7, seconds + 1);
  const busy = await load(shelf, getOne, seconds, folder);
  until.stop = true;
  await Promise.race([Promise.all([slow, readers]), Bun.sleep(5000)]);
  const slower = busy.p99 / quiet.p99;
  claims.push({
    title: 'GET one p99 meanwhile',
    value: `${slower.toFixed(1)}x its quiet p99`,
    must: '<= 5x',
    holds: slower <= 5,
  });
  await nginx.stop();
  await shelf.stop();

  claims.push(
    ...(await recordCounts(folder, path, seconds, say)),
    ...(await productionCosts(folder, path, seconds, say)),
  );
  return claims;
}
