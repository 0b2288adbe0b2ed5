/** Pairs of databases that differ only in what a caller may not see answer random requests alike; and no change by a former owner is allowed. SEED=N repeats the requests of an earlier run. */
import { runRaces } from './noninterference/races.ts';
import { runPairs } from './noninterference/run.ts';
import { onMemory, onPostgres, onSqlite, type StartService } from './noninterference/services.ts';
import { onEngines } from './support/engines.ts';
import type { Judged, Run, Torture } from './support/torture.ts';

/** Requests of the short run: with fewer, chance might refuse nearly all of them. */
const short = 100;

async function judge(name: string, start: StartService, seed: number, run: Run): Promise<Judged> {
  const { full, requests = 20_000, say } = run;
  const done = await runPairs({ seed, requests: full ? requests : short, start });
  // The races take long: the first difference is shown at once.
  say(`${name}: ${done.complaints[0] ?? 'alike'}`);
  const races = await runRaces((full ? requests : short) / 2, start);
  say(`${name}: ${races.complaints.length === 0 ? 'no race is won twice' : 'A RACE IS WON TWICE'}`);
  const figures = {
    [`${name}: requests`]: done.requests,
    [`${name}: of these answered with 2xx`]: done.succeeded,
    ...Object.fromEntries(Object.entries(done.kinds).map(([kind, count]) => [`${name}: answered with ${kind}`, count])),
    [`${name}: changes while a record was handed over, allowed`]: races.allowed,
    [`${name}: refused`]: races.refused,
  };
  const missing = [
    ...done.uncovered.map((route) => `no request has come to ${route}`),
    ...done.refused.map((route) => `${route} has never succeeded`),
  ];
  const complaints = [...done.complaints, ...(full ? missing : []), ...races.complaints].map(
    (one) => `${name}: ${one}`,
  );
  return { figures, complaints };
}

export const noninterference: Torture = async (run) => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
  const isAsked = (name: string) => run.engine === undefined || run.engine === name;
  const done = await onEngines(run, async (engines) => {
    const services: Record<string, StartService> = run.engine === undefined ? { memory: onMemory } : {};
    for (const { name, database } of engines)
      if (isAsked(name)) services[name] = name === 'sqlite' ? onSqlite(run.folder, run.threads) : onPostgres(database);
    const all: Judged[] = [];
    for (const [name, start] of Object.entries(services)) all.push(await judge(name, start, seed, run));
    return all;
  });
  return { figures: { seed, ...done.figures }, complaints: done.complaints };
};
