/** npm run bench -- --memory: the memory of a process with several serving threads, in turns. */
import { join } from 'node:path';
import { seed } from '../../test/support/data/seed.ts';
import { freePort } from '../../test/support/servers/network/free-port.ts';
import { median } from '../measure/claim.ts';
import { load, rssMb } from '../measure/load.ts';
import { recordCountScripts } from '../measure/work.ts';
import { flagsOf, recordsInMemory, startShelfOn } from '../servers/shelf.ts';
import { allCores, sharing } from '../suites/cores.ts';

/** In seconds. */
export type Durations = {
  /** All threads have started; the runtime goes on compiling for a moment. */
  readonly starting: number;
  /** Of each of two kinds of reads. Each thread compiles the code anew, so more of them need longer until all have. */
  readonly readingPerThread: number;
  /** How long the runtime gets to return the memory that it needed for the reads. */
  readonly returning: number;
};
export const durations: Durations = { starting: 2, readingPerThread: 2, returning: 10 };

/** Resident, in MB: after the start, at the end of reads that reach all threads, and some seconds later. */
export type Memory = { readonly started: number; readonly busy: number; readonly idle: number };
export type ThreadMemory = Memory & { readonly threads: number; readonly requests: number };

/** The median of all rounds, for each number of threads. */
export async function threadMemory(
  folder: string,
  records: number,
  counts: readonly number[],
  rounds: number,
  durations: Durations,
  say: (text: string) => void,
): Promise<ThreadMemory[]> {
  const path = join(folder, 'threads.db');
  say(`storing ${records.toLocaleString('en')} items`);
  await seed(path, records);
  const found = new Map(counts.map((count) => [count, [] as ThreadMemory[]]));
  for (let round = 1; round <= rounds; round++) {
    for (const count of round % 2 === 1 ? counts : counts.toReversed()) {
      say(`memory, round ${round}/${rounds}: threads ${count}`);
      found.get(count)?.push(await measured(path, records, count, durations, folder));
    }
  }
  return counts.map((threads) => {
    const all = found.get(threads) ?? [];
    const of = (figure: keyof ThreadMemory) => median(all.map((one) => one[figure]));
    return { threads, started: of('started'), busy: of('busy'), idle: of('idle'), requests: of('requests') };
  });
}

async function measured(
  path: string,
  records: number,
  threads: number,
  { starting, readingPerThread, returning }: Durations,
  folder: string,
): Promise<ThreadMemory> {
  const page = { name: 'page-30', path: '/api/v2/items?limit=30', lua: '' };
  const server = await sharing(startShelfOn(path, freePort(), flagsOf(threads), allCores));
  await recordsInMemory(server);
  await Bun.sleep(starting * 1000);
  const started = rssMb(server.pid);
  const reading = readingPerThread * threads;
  const one = await load(server, recordCountScripts(records)[0], reading, folder);
  const pages = await load(server, page, reading, folder);
  await Bun.sleep(returning * 1000);
  const idle = rssMb(server.pid);
  await server.stop();
  return { threads, started, busy: pages.rssMb, idle, requests: reading * (one.perSecond + pages.perSecond) };
}

export function memoryTable(records: number, memories: readonly ThreadMemory[]): string {
  const row = (cells: readonly string[]) => `  ${cells.map((cell) => cell.padStart(12)).join('')}\n`;
  const [first] = memories;
  const added = ({ threads, idle }: ThreadMemory) =>
    first === undefined || threads === first.threads ? [] : [(idle - first.idle) / (threads - first.threads)];
  const rows = memories.map((memory) => {
    const figures = [memory.started, memory.busy, memory.idle, ...added(memory)].map((figure) => figure.toFixed(0));
    return row([String(memory.threads), `${(memory.requests / 1000).toFixed(0)}k`, ...figures]);
  });
  const heading = `Memory with ${records.toLocaleString('en')} items, in MB: after the start, after the requests, and ${durations.returning} s later\n`;
  return `${heading}${row(['threads', 'requests', 'started', 'busy', 'idle', 'per thread'])}${rows.join('')}`;
}
