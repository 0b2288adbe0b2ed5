/** Readers and the writer of shared memory race; then each of its rules is broken once, and the race must find it. */
import { join } from 'node:path';
import { buildFaultyThreads, faults } from './race/faults.ts';
import { race } from './race/run.ts';
import type { Run, Torture } from './support/torture.ts';

const reads = { full: 10_000_000, short: 40_000 };
/** A fault is visible only to a read at the right moment. */
const mostFaultyReads = 1_000_000;
const endEvery = 20_000;

export const raceTorture: Torture = async (run) => {
  const { figures, mistakes } = await race({ readers: 3, reads: run.full ? reads.full : reads.short, endEvery });
  const complaints = [...mistakes];
  if (run.full) complaints.push(...(await unfound(run)));
  return { figures: { ...figures, 'planted faults': Object.keys(faults).length }, complaints };
};

/** The planted faults that the race does not find. */
async function unfound({ folder, say }: Run): Promise<string[]> {
  const complaints: string[] = [];
  for (const [name, fault] of Object.entries(faults)) {
    const files = await buildFaultyThreads(join(folder, name), fault);
    const { figures, mistakes } = await race({ readers: 3, reads: mostFaultyReads, endEvery, files });
    say(`${name}: ${mistakes[0] ?? 'NOT FOUND'} (${figures.reads} reads)`);
    if (mistakes.length === 0) complaints.push(`${name}: not found in ${figures.reads} reads`);
  }
  return complaints;
}
