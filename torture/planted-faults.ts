/** Plants faults into the server, and checks that `history` reports violations of each: otherwise a run without any shows nothing. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../test/support/servers/process.ts';
import { runHistory } from './history/run.ts';
import { buildFaultyServer, plantedFaults } from './history/servers/faulty-server.ts';
import { sqliteSetup } from './history/servers/sqlite.ts';
import type { Run, Torture } from './support/torture.ts';

/** A fault is visible only to a read at the right moment. */
const mostTries = 20;
/** The kinds of violations that a planted fault causes. */
const kinds = /^(stale or early|torn or reordered|order|lost|not linearizable): /;
/** Kills in one try. */
const rounds = { full: 20, short: 2 };

/** Returns the violations. Kills are the only faults besides the planted one: they need no rights. */
async function violations(name: string, program: readonly string[], run: Run, attempt: number): Promise<string[]> {
  const folder = join(run.folder, `${name} ${attempt}`);
  mkdirSync(folder);
  const setup = await sqliteSetup({ ...run, folder, say: () => {} }, program);
  try {
    const faults = setup.faults.filter((fault) => fault.name === 'kill');
    const { complaints } = await runHistory(
      { ...setup, faults },
      {
        engine: name,
        seed: Math.floor(Math.random() * 2 ** 32),
        rounds: run.full ? rounds.full : rounds.short,
        floods: false,
        keepIn: folder,
        say: run.say,
      },
    );
    return [...complaints];
  } finally {
    await setup.close();
  }
}

export const plantedFaultsFound: Torture = async (run) => {
  const figures: Record<string, number> = {};
  const complaints: string[] = [];
  for (const [name, fault] of Object.entries(plantedFaults)) {
    const program = await buildFaultyServer(join(run.folder, name), fault);
    let found: string[] = [];
    let tries = 0;
    while (found.length === 0 && tries < mostTries)
      found = (await violations(name, program, run, ++tries)).filter((violation) => kinds.test(violation));
    run.say(`${name}: ${found[0]}`);
    if (found.length === 0) complaints.push(`${name}: not found in ${tries} runs`);
    figures[`${name}: runs`] = tries;
    figures[`${name}: violations`] = found.length;
  }
  complaints.push(...(await violations('no fault', command, run, 1)));
  return { figures, complaints };
};
