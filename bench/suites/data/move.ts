/** `shelf move` of a million records to PostgreSQL and back: time, and memory beyond that of a move of nothing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cluster } from '../../../test/postgres/cluster.ts';
import { seed } from '../../../test/support/data/seed.ts';
import { command } from '../../../test/support/servers/process.ts';
import type { Claim } from '../../measure/claim.ts';

type Measured = { readonly seconds: number; readonly peakMb: number };

/** Runs it in a process of its own, and watches its memory. */
async function measured(from: string, to: string): Promise<Measured> {
  const began = performance.now();
  const child = Bun.spawn([...command, 'move', '--from', from, '--to', to], { stdout: 'ignore', stderr: 'pipe' });
  let peakMb = 0;
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, highWaterMb(child.pid));
  }, 20);
  const code = await child.exited;
  clearInterval(watch);
  if (code !== 0) throw new Error(`shelf move failed: ${await new Response(child.stderr).text()}`);
  return { seconds: (performance.now() - began) / 1000, peakMb };
}

/** The most memory that a process has had; 0 when it has ended. */
function highWaterMb(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

export async function moveBench(folder: string, records: number, say: (text: string) => void): Promise<Claim[]> {
  const file = (name: string) => `sqlite:${join(folder, `${name}.db`)}`;
  say(`storing ${records.toLocaleString('en')} items`);
  await seed(join(folder, 'full.db'), records);
  await seed(join(folder, 'small.db'), 2);
  const cluster = await new Cluster().start();
  try {
    await cluster.run('create database small', 'create database whole');
    say('moving nothing');
    const idle = {
      there: await measured(file('small'), cluster.url('small')),
      back: await measured(cluster.url('small'), file('small-back')),
    };
    say('moving to PostgreSQL');
    const there = await measured(file('full'), cluster.url('whole'));
    say('moving back');
    const back = await measured(cluster.url('whole'), file('back'));
    return [
      ...claimsOf('SQLite to PostgreSQL', records, there, idle.there),
      ...claimsOf('PostgreSQL to SQLite', records, back, idle.back),
    ];
  } finally {
    await cluster.remove();
  }
}

function claimsOf(way: string, records: number, { seconds, peakMb }: Measured, idle: Measured): Claim[] {
  const rate = records / seconds;
  const above = peakMb - idle.peakMb;
  return [
    {
      title: `${way}: ${records.toLocaleString('en')} records and as many changes, verified`,
      value: `${seconds.toFixed(1)} s, ${Math.round(rate).toLocaleString('en')} records/s`,
      must: '>= 20,000 records/s',
      holds: rate >= 20_000,
    },
    {
      title: 'its memory beyond that of a move of two records',
      value: `${above.toFixed(0)} MB`,
      must: '<= 128 MB',
      holds: above <= 128,
    },
  ];
}
