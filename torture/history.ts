/**
 * Concurrent clients use every API under random faults, and all answers are checked as one history. SEED=N repeats the
 * faults and requests of an earlier run, as far as timing allows.
 */
import { postgresBinaries } from '../test/postgres/binaries.ts';
import { runHistory } from './history/run.ts';
import { postgresSetup } from './history/servers/postgres.ts';
import type { Setup } from './history/servers/setup.ts';
import { sqliteSetup } from './history/servers/sqlite.ts';
import { standbysSetup } from './history/servers/standbys.ts';
import type { Engine, Judged, Run, Torture } from './support/torture.ts';

const engines: Readonly<Record<Engine, (run: Run) => Promise<Setup>>> = {
  sqlite: (run) => sqliteSetup(run),
  postgres: postgresSetup,
  standbys: standbysSetup,
};

async function onEngine(engine: string, open: (run: Run) => Promise<Setup>, run: Run): Promise<Judged> {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));
  run.say(`${engine}: SEED=${seed}`);
  const minutes = run.full ? run.minutes : undefined;
  const setup = await open(run);
  try {
    const { figures, complaints } = await runHistory(setup, { engine, seed, minutes, say: run.say });
    return {
      figures: Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${engine} ${name}`, value])),
      complaints: complaints.map((complaint) => `${engine}: ${complaint}`),
    };
  } finally {
    await setup.close();
  }
}

export const history: Torture = async (run) => {
  const chosen = Object.entries(engines).filter(([name]) => run.engine === undefined || run.engine === name);
  const binaries = postgresBinaries();
  const missing = 'reason' in binaries ? binaries.reason : undefined;
  if (missing !== undefined && run.engine !== undefined && run.engine !== 'sqlite') return { skipped: missing };
  if (missing !== undefined) run.say(`SKIPPED on PostgreSQL: ${missing}`);
  const possible = chosen.filter(([engine]) => engine === 'sqlite' || missing === undefined);
  const judged: Judged[] = [];
  // The short run mostly waits for its faults, so all engines run at the same time.
  if (run.full) for (const [engine, open] of possible) judged.push(await onEngine(engine, open, run));
  else {
    const all = await Promise.allSettled(possible.map(([engine, open]) => onEngine(engine, open, run)));
    // All runs have ended, so none uses the folder any more.
    for (const one of all) {
      if (one.status === 'rejected') throw one.reason;
      judged.push(one.value);
    }
  }
  return {
    figures: Object.assign({}, ...judged.map(({ figures }) => figures)),
    complaints: judged.flatMap(({ complaints }) => complaints),
  };
};
