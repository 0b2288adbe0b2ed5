/**
 * 32 clients move money among 100 accounts, each with one transaction per move, under random faults. Every answer and every part of the feed
 * that ends with a transaction has the same sum, and every transaction is there once or not at all. SEED=N repeats the faults and requests of
 * an earlier run, as far as timing allows.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configuration } from './bank/accounts.ts';
import { runBank } from './bank/run.ts';
import { onEachEngine } from './history/servers/each-engine.ts';
import { engines, type Torture } from './support/torture.ts';

/** Of the short run, which lasts some seconds. */
const shortFaults = ['kill', 'clients cut', 'some backends terminated'];

/** Declares the collections, in a file in this folder. */
export function bankArgs(folder: string): readonly string[] {
  const config = join(folder, 'bank.json');
  writeFileSync(config, JSON.stringify(configuration));
  return ['--config', config];
}

export const bank: Torture = (run) => {
  const among = run.full ? engines : engines.filter((engine) => engine !== 'standbys');
  return onEachEngine(run, among, { args: bankArgs(run.folder) }, (setup, engine, seed) => {
    const faults = setup.faults.filter(({ name }) => run.full || shortFaults.includes(name));
    const say = (progress: string) => run.say(`${engine}: ${progress}`);
    return runBank({ ...setup, faults }, { seed, minutes: run.full ? run.minutes : undefined, say });
  });
};
