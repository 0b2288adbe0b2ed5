/**
 * The torture inside namespaces of its own, where all processes end with this one: [folder, seed, rounds, programs] as JSON.
 * Prints its progress, and writes its result to the folder.
 */
import { join } from 'node:path';
import { Recorder } from '../history/clients/recorder.ts';
import { runHistory } from '../history/run.ts';
import type { Judged } from '../support/torture.ts';
import type { Programs } from './member.ts';
import type { Round } from './round.ts';
import { clusterSetup } from './setup.ts';

export const resultFile = 'result.json';
export type Order = {
  readonly folder: string;
  readonly seed: number;
  readonly rounds: number;
  readonly programs: Programs;
};

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

function roundText({ fault, withoutWrites, withoutCommits, failover }: Round): string {
  const led = failover === undefined ? 'the leader stayed' : `another leader after ${seconds(failover)}`;
  return `${fault}: no write for ${seconds(withoutWrites)}; PostgreSQL committed nothing for ${seconds(withoutCommits)}; ${led}`;
}

/** Medians in milliseconds, for each fault. */
function roundFigures(rounds: readonly Round[]): Readonly<Record<string, number>> {
  const median = (values: readonly number[]) =>
    Math.ceil(values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0);
  return Object.fromEntries(
    [...Map.groupBy(rounds, ({ fault }) => fault)].flatMap(([fault, all]) => [
      [`ms without writes, ${fault}`, median(all.map(({ withoutWrites }) => withoutWrites))],
      [`ms without commits in PostgreSQL, ${fault}`, median(all.map(({ withoutCommits }) => withoutCommits))],
    ]),
  );
}

async function main({ folder, seed, rounds, programs }: Order): Promise<Judged> {
  const recorder = new Recorder();
  const done: Round[] = [];
  const say = (text: string) => process.stdout.write(`${text}\n`);
  const onRound = (round: Round) => {
    done.push(round);
    say(`round ${done.length}, ${roundText(round)}`);
  };
  const setup = await clusterSetup({ folder, programs, recorder, onRound });
  say('the cluster serves');
  try {
    const { figures, complaints } = await runHistory(setup, { engine: 'cluster', seed, rounds, recorder, say });
    return { figures: { ...figures, ...roundFigures(done) }, complaints };
  } finally {
    await setup.close();
  }
}

if (import.meta.main) {
  const order = JSON.parse(process.argv[2] ?? '') as Order;
  await Bun.write(join(order.folder, resultFile), JSON.stringify(await main(order)));
  process.exit(0);
}
