/**
 * npm run bench -- --cores all --threads N: Shelf with N serving threads beside Shelf with one, in the same table; what a request costs
 * with each, and how much memory the records need.
 */
import { type Claim, median } from '../measure/claim.ts';
import type { Result } from '../measure/report.ts';
import { durations, threadMemory } from './thread-memory.ts';

/** Of what one thread needs. */
const most = { processorTime: 1.1, memory: 1.15 };

export const withThreads = (threads: number) => `shelf ${threads} threads`;

/** Processor time of the server per request, with `threads` and with one, for each work that both did. */
export function processorTimes(results: readonly Result[], threads: number): Claim[] {
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

/** Memory of the process with `records`, some seconds after reads that reach all threads, with one thread and with `threads`. */
export async function memoryByThreads(
  folder: string,
  records: number,
  threads: number,
  rounds: number,
  say: (text: string) => void,
): Promise<Claim[]> {
  const [one, several] = await threadMemory(folder, records, [1, threads], rounds, durations, say);
  if (one === undefined || several === undefined) return [];
  const ratio = several.idle / one.idle;
  const both = (when: 'busy' | 'idle') => `${several[when].toFixed(0)} and ${one[when].toFixed(0)} MB`;
  return [
    {
      title: `memory of ${records.toLocaleString('en')} items, ${threads} threads and one: ${both('idle')}, ${durations.returning} s before, under load, ${both('busy')}`,
      value: `${ratio.toFixed(2)}x`,
      must: `<= ${most.memory}x`,
      holds: ratio <= most.memory,
    },
  ];
}
