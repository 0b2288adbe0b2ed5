/**
 * npm run bench -- --cores all --threads N: Shelf with N serving threads beside Shelf with one, in the same table; what a request costs
 * with each, and how much memory the records need.
 */
import { join } from 'node:path';
import { freePort } from '../test/free-port.ts';
import { seed } from '../test/seed.ts';
import { allCores, sharing } from './cores.ts';
import { type Finding, median } from './finding.ts';
import { load, rssMb } from './load.ts';
import type { Result } from './report.ts';
import { recordsInMemory, startShelfOn } from './shelf.ts';
import { growthScripts } from './work.ts';

/** Of what one thread needs. */
const most = { processorTime: 1.1, memory: 1.15 };
/** In seconds: how long the reads go on, and then how long the runtime gets to return the memory that it needed for them. */
const [reading, returning] = [2, 10];

export const flagsOf = (threads: number) => ['--threads', String(threads)];
export const withThreads = (threads: number) => `shelf ${threads} threads`;

/** Processor time of the server per request, with `threads` and with one, for each work that both did. */
export function processorTimes(results: readonly Result[], threads: number): Finding[] {
  const microseconds = (work: string, peer: string) => {
    const found = results.find((one) => one.work.name === work && one.peer === peer);
    return found && median(found.samples.map(({ cpu, perSecond }) => (cpu / perSecond) * 1e6));
  };
  const works = new Set(results.filter(({ peer }) => peer === withThreads(threads)).map(({ work }) => work.name));
  return [...works].flatMap((work) => {
    const [several, one] = [microseconds(work, withThreads(threads)), microseconds(work, 'shelf')];
    if (several === undefined || one === undefined) return [];
    const ratio = several / one;
    return {
      title: `${work}: processor time per request, ${threads} threads and one: ${several.toFixed(1)} and ${one.toFixed(1)} µs`,
      value: `${ratio.toFixed(2)}x`,
      must: `<= ${most.processorTime}x`,
      holds: ratio <= most.processorTime,
    };
  });
}

/** Memory of the process with `records`, at the end of reads that reach all threads and some seconds later, in turns with one thread and with `threads`. */
export async function memoryByThreads(
  folder: string,
  records: number,
  threads: number,
  rounds: number,
  say: (text: string) => void,
): Promise<Finding[]> {
  const path = join(folder, 'threads.db');
  say(`storing ${records.toLocaleString('en')} items`);
  await seed(path, records);
  const page = { name: 'page-30', path: '/api/v2/items?limit=30', lua: '' };
  const megabytes = async (count: number) => {
    const server = await sharing(startShelfOn(path, freePort(), flagsOf(count), allCores));
    await recordsInMemory(server);
    await load(server, growthScripts(records)[0], reading, folder);
    const busy = (await load(server, page, reading, folder)).rssMb;
    await Bun.sleep(returning * 1000);
    const idle = rssMb(server.pid);
    await server.stop();
    return { busy, idle };
  };
  const counts = [1, threads];
  const found = new Map(counts.map((count) => [count, [] as { busy: number; idle: number }[]]));
  for (let round = 1; round <= rounds; round++) {
    for (const count of round % 2 === 1 ? counts : counts.toReversed()) {
      say(`memory, round ${round}/${rounds}: threads ${count}`);
      found.get(count)?.push(await megabytes(count));
    }
  }
  const both = (when: 'busy' | 'idle') => {
    const [one = Number.NaN, several = Number.NaN] = counts.map((count) =>
      median((found.get(count) ?? []).map((memory) => memory[when])),
    );
    return { ratio: several / one, text: `${several.toFixed(0)} and ${one.toFixed(0)} MB` };
  };
  const [busy, idle] = [both('busy'), both('idle')];
  return [
    {
      title: `memory of ${records.toLocaleString('en')} items, ${threads} threads and one: ${idle.text}, ${returning} s before, under load, ${busy.text}`,
      value: `${idle.ratio.toFixed(2)}x`,
      must: `<= ${most.memory}x`,
      holds: idle.ratio <= most.memory,
    },
  ];
}
