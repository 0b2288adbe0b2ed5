/** Runs the same checks on one engine after the other, each with its servers and faults. */
import { postgresBinaries } from '../../../test/postgres/binaries.ts';
import type { Engine, Judged, Run, TortureResult } from '../../support/torture.ts';
import { postgresSetup } from './postgres.ts';
import type { ServerOptions, Setup } from './setup.ts';
import { sqliteSetup } from './sqlite.ts';
import { standbysSetup } from './standbys.ts';

const setups: Readonly<Record<Engine, (run: Run, options?: ServerOptions) => Promise<Setup>>> = {
  sqlite: sqliteSetup,
  postgres: (_, options) => postgresSetup(options),
  standbys: standbysSetup,
};

/** `seed` repeats the faults and requests of an earlier run, as far as timing allows. */
export type Judge = (setup: Setup, engine: Engine, seed: number) => Promise<Judged>;

/** On the engine of `run`, or on all of `engines`. Without PostgreSQL, on SQLite alone. */
export async function onEachEngine(
  run: Run,
  engines: readonly Engine[],
  options: ServerOptions,
  judge: Judge,
): Promise<TortureResult> {
  const chosen = engines.filter((engine) => run.engine === undefined || run.engine === engine);
  const binaries = postgresBinaries();
  const missing = 'reason' in binaries ? binaries.reason : undefined;
  if (missing !== undefined && run.engine !== undefined && run.engine !== 'sqlite') return { skipped: missing };
  if (missing !== undefined) run.say(`SKIPPED on PostgreSQL: ${missing}`);
  const possible = chosen.filter((engine) => engine === 'sqlite' || missing === undefined);
  const judged: Judged[] = [];
  // The short run mostly waits for its faults, so all engines run at the same time.
  if (run.full) for (const engine of possible) judged.push(await onEngine(engine, options, judge, run));
  else {
    const all = await Promise.allSettled(possible.map((engine) => onEngine(engine, options, judge, run)));
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
}

async function onEngine(engine: Engine, options: ServerOptions, judge: Judge, run: Run): Promise<Judged> {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));
  run.say(`${engine}: SEED=${seed}`);
  const setup = await setups[engine](run, options);
  try {
    const { figures, complaints } = await judge(setup, engine, seed);
    return {
      figures: Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${engine} ${name}`, value])),
      complaints: complaints.map((complaint) => `${engine}: ${complaint}`),
    };
  } finally {
    await setup.close();
  }
}
