/** npm run torture -- NAME [--short]: hurts a real server on purpose and checks what it promised. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blackhole } from './blackhole.ts';
import { bulk } from './bulk.ts';
import { failover } from './failover.ts';
import { fullDisk } from './full-disk.ts';
import { kill } from './kill.ts';
import { listeners } from './listeners.ts';
import { readers } from './readers.ts';
import { storm } from './storm.ts';
import { failingSync, slowSync } from './sync.ts';

export type Run = { readonly folder: string; readonly full: boolean; say(progress: string): void };
export type Outcome =
  | { readonly skipped: string }
  | { readonly figures: Readonly<Record<string, number>>; readonly complaints: readonly string[] };
export type Torture = (run: Run) => Promise<Outcome>;

export const tortures: Readonly<Record<string, Torture>> = {
  kill,
  'full-disk': fullDisk,
  'slow-sync': slowSync,
  'failing-sync': failingSync,
  readers,
  bulk,
  listeners,
  failover,
  blackhole,
  storm,
};

/** Runs one in a folder of its own, which is removed afterwards. */
export async function inflict(torture: Torture, full: boolean, say: Run['say']): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'shelf-torture-'));
  try {
    return await torture({ folder, full, say });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(names: readonly string[], full: boolean): Promise<number> {
  let failed = 0;
  for (const name of names) {
    const torture = tortures[name];
    if (torture === undefined) {
      process.stderr.write(`Usage: npm run torture -- [${Object.keys(tortures).join(' | ')}] [--short]\n`);
      return 2;
    }
    process.stdout.write(`${name}\n`);
    const outcome = await inflict(torture, full, (progress) => process.stdout.write(`  ${progress}\n`));
    if ('skipped' in outcome) {
      process.stdout.write(`  SKIPPED: ${outcome.skipped}\n`);
      continue;
    }
    for (const [figure, value] of Object.entries(outcome.figures)) process.stdout.write(`  ${figure}: ${value}\n`);
    for (const complaint of outcome.complaints.slice(0, 20)) process.stdout.write(`  FAIL  ${complaint}\n`);
    if (outcome.complaints.length > 0) failed++;
    process.stdout.write(outcome.complaints.length === 0 ? '  ok\n' : `  ${outcome.complaints.length} complaints\n`);
  }
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) {
  const given = process.argv.slice(2);
  const names = given.filter((argument) => argument !== '--short');
  process.exit(await main(names.length > 0 ? names : Object.keys(tortures), !given.includes('--short')));
}
