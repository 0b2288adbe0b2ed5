/**
 * npm run torture -- NAME [--short] [--minutes N] [--requests N] [--engine NAME] [--threads N] [--tls]: injects faults and load into a real server and checks
 * its guarantees.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { abuse } from './abuse.ts';
import { accessFaultsFound } from './access-faults.ts';
import { bank } from './bank.ts';
import { bulk } from './bulk.ts';
import { cluster } from './cluster.ts';
import { fullDisk } from './disk/full-disk.ts';
import { migrationDisk } from './disk/migration-disk.ts';
import { failingSync, slowSync } from './disk/sync.ts';
import { failover } from './failover.ts';
import { followers } from './followers.ts';
import { history } from './history.ts';
import { kill } from './kill.ts';
import { lists } from './lists.ts';
import { blackhole } from './load/blackhole.ts';
import { listeners } from './load/listeners.ts';
import { memoryLimit } from './load/memory-limit.ts';
import { readers } from './load/readers.ts';
import { storm } from './load/storm.ts';
import { lostBulk } from './lost-bulk.ts';
import { migration } from './migration.ts';
import { noninterference } from './noninterference.ts';
import { patterns } from './patterns.ts';
import { plantedFaultsFound } from './planted-faults.ts';
import { raceTorture } from './race.ts';
import { soak } from './soak.ts';
import { defaultThreads, engines, type Run, type Torture, type TortureResult } from './support/torture.ts';

export const tortures = {
  kill,
  'full-disk': fullDisk,
  'slow-sync': slowSync,
  'failing-sync': failingSync,
  migration,
  'migration-disk': migrationDisk,
  race: raceTorture,
  readers,
  bulk,
  lists,
  listeners,
  followers,
  abuse,
  patterns,
  'memory-limit': memoryLimit,
  failover,
  cluster,
  blackhole,
  'lost-bulk': lostBulk,
  storm,
  history,
  bank,
  'planted-faults': plantedFaultsFound,
  noninterference,
  'access-faults': accessFaultsFound,
  soak,
} satisfies Record<string, Torture>;

/** These take too long to run with all the others. */
const onlyByName = ['soak', 'history', 'bank', 'cluster', 'noninterference', 'access-faults'];

/** Runs one torture in a temporary folder. */
export async function inflict(torture: Torture, run: Omit<Run, 'folder'>): Promise<TortureResult> {
  const folder = mkdtempSync(join(tmpdir(), 'shelf-torture-'));
  try {
    return await torture({ ...run, folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const usage = `Usage: npm run torture -- [${Object.keys(tortures).join(' | ')}] [--short] [--minutes N] [--requests N] [--engine ${engines.join('|')}] [--threads N] [--tls]\n`;

async function main(names: readonly string[], options: Omit<Run, 'folder' | 'say'>): Promise<number> {
  let failed = 0;
  for (const name of names) {
    const torture = new Map<string, Torture>(Object.entries(tortures)).get(name);
    if (torture === undefined) {
      process.stderr.write(usage);
      return 2;
    }
    process.stdout.write(`${name}\n`);
    const say = (progress: string) => process.stdout.write(`  ${progress}\n`);
    const outcome = await inflict(torture, { ...options, say });
    if ('skipped' in outcome) {
      process.stdout.write(`  SKIPPED: ${outcome.skipped}\n`);
      continue;
    }
    for (const [figure, value] of Object.entries(outcome.figures)) process.stdout.write(`  ${figure}: ${value}\n`);
    for (const complaint of outcome.complaints.slice(0, 20)) process.stdout.write(`  FAIL  ${complaint}\n`);
    if (outcome.complaints.length > 0) failed++;
    process.stdout.write(outcome.complaints.length === 0 ? '  ok\n' : `  ${outcome.complaints.length} failures\n`);
  }
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) {
  // What a torture has started ends with the exit of this process, which a signal alone does not cause.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
  const given = process.argv.slice(2);
  /** Removes an option and its value from the arguments, and returns the value. */
  const option = (name: string) => {
    const at = given.indexOf(name);
    return at < 0 ? undefined : given.splice(at, 2)[1];
  };
  const minutes = Number(option('--minutes') ?? 30);
  const threads = Number(option('--threads') ?? defaultThreads);
  const asked = option('--requests');
  const requests = asked === undefined ? undefined : Number(asked);
  const named = option('--engine');
  const engine = engines.find((one) => one === named);
  if ((named !== undefined && engine === undefined) || !Number.isInteger(threads) || threads < 1) {
    process.stderr.write(usage);
    process.exit(2);
  }
  const names = given.filter((argument) => argument !== '--short' && argument !== '--tls');
  const all = Object.keys(tortures).filter((name) => !onlyByName.includes(name));
  const full = !given.includes('--short');
  const tls = given.includes('--tls');
  process.exit(await main(names.length > 0 ? names : all, { full, threads, minutes, requests, engine, tls }));
}
