/** Plants faults into the server, and checks that `history`, `bank`, `followers` and the changes of running servers report violations of each: otherwise a run without any shows nothing. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../test/support/servers/process.ts';
import { bankFaults } from './bank/faults.ts';
import { runBank } from './bank/run.ts';
import { bankArgs } from './bank.ts';
import { followerFaults } from './followers/faults.ts';
import { runFollowers } from './followers/run.ts';
import { followersArgs } from './followers.ts';
import { runHistory } from './history/run.ts';
import { buildFaultyServer, plantedFaults } from './history/servers/faulty-server.ts';
import type { Setup } from './history/servers/setup.ts';
import { sqliteSetup } from './history/servers/sqlite.ts';
import type { PlantedFault } from './support/edited-source.ts';
import type { Judged, Run, Torture } from './support/torture.ts';
import { takeoverFaults, takeoverViolations } from './takeover/faults.ts';

/** A fault is visible only to a read at the right moment. */
const mostTries = 20;
/** Kills in one try of a full run. */
const fullRounds = 20;

type Plan = { readonly seed: number; readonly rounds: number; readonly keepIn: string; say(progress: string): void };

type Checker = {
  /** The folder of the files that faults are planted into. */
  readonly source: string;
  readonly faults: Readonly<Record<string, PlantedFault>>;
  /** Kills in one try of a short run: enough to find a fault in most first tries. */
  readonly shortRounds: number;
  /** The kinds of violations that a planted fault causes. */
  readonly kinds: RegExp;
  args?(folder: string): readonly string[];
  judge(setup: Setup, engine: string, plan: Plan): Promise<Judged>;
};

const writer = 'src/storage/sqlite/writer';

const checkers: readonly Checker[] = [
  {
    source: writer,
    faults: plantedFaults,
    shortRounds: 2,
    kinds: /^(stale or early|torn or reordered|order|lost|not linearizable): /,
    judge: (setup, engine, plan) => runHistory(setup, { ...plan, engine, floods: false }),
  },
  {
    source: writer,
    faults: bankFaults,
    shortRounds: 1,
    kinds: /^(sum|torn|phantom|repeated): /,
    args: bankArgs,
    judge: (setup, _, plan) => runBank(setup, plan),
  },
  {
    source: 'src/domain/feed',
    faults: followerFaults,
    shortRounds: 1,
    kinds: /^moment \d+: (match|list): /,
    args: followersArgs,
    judge: (setup, _, { rounds, ...plan }) =>
      runFollowers(setup, { ...plan, followers: 20, moments: rounds, writes: 40 }),
  },
];

/** Returns the violations. Kills are the only faults besides the planted one: they need no rights. */
async function violations(
  { args, judge, shortRounds }: Checker,
  name: string,
  program: readonly string[],
  run: Run,
): Promise<string[]> {
  const folder = join(run.folder, name);
  mkdirSync(folder);
  const options = { program, args: args?.(folder) ?? [] };
  const setup = await sqliteSetup({ ...run, folder, say: () => {} }, options);
  try {
    const faults = setup.faults.filter((fault) => fault.name === 'kill');
    const { complaints } = await judge({ ...setup, faults }, name, {
      seed: Math.floor(Math.random() * 2 ** 32),
      rounds: run.full ? fullRounds : shortRounds,
      keepIn: folder,
      say: run.say,
    });
    return [...complaints];
  } finally {
    await setup.close();
  }
}

export const plantedFaultsFound: Torture = async (run) => {
  const figures: Record<string, number> = {};
  const complaints: string[] = [];
  for (const [place, checker] of checkers.entries()) {
    for (const [name, fault] of Object.entries(checker.faults)) {
      const program = await buildFaultyServer(join(run.folder, name), checker.source, fault);
      let found: string[] = [];
      let tries = 0;
      while (found.length === 0 && tries < mostTries) {
        const all = await violations(checker, `${name} ${++tries}`, program, run);
        found = all.filter((violation) => checker.kinds.test(violation));
      }
      run.say(`${name}: ${found[0]}`);
      if (found.length === 0) complaints.push(`${name}: not found in ${tries} runs`);
      figures[`${name}: runs`] = tries;
      figures[`${name}: violations`] = found.length;
    }
    // Among the short forms, `history`, `bank` and `followers` run without a planted fault.
    if (run.full) complaints.push(...(await violations(checker, `no fault ${place}`, command, run)));
  }
  for (const [name, fault] of Object.entries(takeoverFaults)) {
    let found: string[] = [];
    let tries = 0;
    while (found.length === 0 && tries < mostTries) found = await takeoverViolations(name, fault, ++tries, run);
    run.say(`${name}: ${found[0]}`);
    if (found.length === 0) complaints.push(`${name}: not found in ${tries} runs`);
    figures[`${name}: runs`] = tries;
    figures[`${name}: violations`] = found.length;
  }
  return { figures, complaints };
};
