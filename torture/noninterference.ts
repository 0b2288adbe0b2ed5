/** Pairs of databases that differ only in what a caller may not see answer random requests alike; and no change by a former owner is allowed. SEED=N repeats the requests of an earlier run. */
import { join } from 'node:path';
import { newDatabase, postgresUrl } from '../test/postgres/database.ts';
import { runRaces } from './noninterference/races.ts';
import { runPairs } from './noninterference/run.ts';
import type { Torture } from './support/torture.ts';

const short = 300;

export const noninterference: Torture = async ({ folder, full, engine, requests = 20_000, say }) => {
  let made = 0;
  const all = {
    memory: () => 'memory:',
    sqlite: () => `sqlite:${join(folder, `${made++}.db`)}`,
    ...(postgresUrl === undefined ? {} : { postgres: () => newDatabase() }),
  };
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
  const figures: Record<string, number> = { seed };
  const complaints: string[] = [];
  for (const [name, newUrl] of Object.entries(all)) {
    if (engine !== undefined && engine !== name) continue;
    const done = await runPairs({ seed, requests: full ? requests : short, newUrl });
    figures[`${name}: requests`] = done.requests;
    figures[`${name}: of these answered with 2xx`] = done.succeeded;
    complaints.push(...done.complaints.map((one) => `${name}: ${one}`));
    if (full) complaints.push(...done.uncovered.map((route) => `${name}: no request has come to ${route}`));
    const races = await runRaces((full ? requests : short) / 2, await newUrl());
    figures[`${name}: changes while a record was handed over, allowed`] = races.allowed;
    figures[`${name}: refused`] = races.refused;
    complaints.push(...races.complaints.map((one) => `${name}: ${one}`));
    say(`${name}: ${done.complaints.length === 0 ? 'alike' : 'DIFFERENT'}`);
  }
  return { figures, complaints };
};
