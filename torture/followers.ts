/**
 * A thousand clients follow a filtered feed while records change, through restarts and lost connections: at 50 moments and at the end each of them has exactly
 * the filtered list. SEED=N repeats the faults and requests of an earlier run, as far as timing allows.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configuration } from './followers/loans.ts';
import { runFollowers } from './followers/run.ts';
import { onEachEngine } from './history/servers/each-engine.ts';
import type { Setup } from './history/servers/setup.ts';
import type { Torture } from './support/torture.ts';

const sizes = {
  full: { followers: 1000, moments: 50, writes: 200 },
  short: { followers: 15, moments: 2, writes: 40 },
};

/** The faults that end connections: `history` has all others, too. */
const restarts = ['kill', 'restart', 'clients cut', 'worker killed', 'database restarted', 'some backends terminated'];

/** Declares the collection, in a file in this folder. */
export function followersArgs(folder: string): readonly string[] {
  const config = join(folder, 'followers.json');
  writeFileSync(config, JSON.stringify(configuration));
  return ['--config', config];
}

export const followers: Torture = (run) =>
  onEachEngine(run, ['sqlite', 'postgres'], { args: followersArgs(run.folder) }, (setup: Setup, engine, seed) => {
    const faults = setup.faults.filter(({ name }) => restarts.includes(name));
    const say = (progress: string) => run.say(`${engine}: ${progress}`);
    return runFollowers({ ...setup, faults }, { ...(run.full ? sizes.full : sizes.short), seed, say });
  });
