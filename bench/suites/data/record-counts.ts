/** Throughput by the number of records; with `--records` also with more of them than memory has room for. */
import { join } from 'node:path';
import { seed } from '../../../test/support/data/seed.ts';
import { freePort } from '../../../test/support/servers/network/free-port.ts';
import { type Claim, median } from '../../measure/claim.ts';
import { load, type Sample } from '../../measure/load.ts';
import { recordCountScripts, skewedScript } from '../../measure/work.ts';
import { recordsInMemory, startShelfOn } from '../../servers/shelf.ts';

/** `largest` is a file with a million records. */
export async function recordCounts(
  folder: string,
  largest: string,
  seconds: number,
  say: (text: string) => void,
): Promise<Claim[]> {
  const sizes = [1_000, 100_000, 1_000_000];
  const paths = sizes.map((size) => (size === 1_000_000 ? largest : join(folder, `${size}.db`)));
  for (const [index, size] of sizes.slice(0, -1).entries()) await seed(paths[index] ?? '', size);
  const rates = new Map<string, number[][]>();
  for (let round = 0; round < 3; round++) {
    for (const [index, size] of sizes.entries()) {
      say(`growth, round ${round + 1}: ${size.toLocaleString('en')} items`);
      const shelf = await startShelfOn(paths[index] ?? '', 8203);
      await recordsInMemory(shelf);
      for (const script of recordCountScripts(size)) {
        await load(shelf, script, 1, folder);
        const { perSecond } = await load(shelf, script, seconds, folder);
        const known = rates.get(script.name) ?? sizes.map(() => []);
        known[index]?.push(perSecond);
        rates.set(script.name, known);
      }
      await shelf.stop();
    }
  }
  return [...rates].map(([name, bySize]) => {
    const medians = bySize.map(median);
    const least = Math.min(...medians) / Math.max(...medians);
    const perSecond = medians.map((rate) => Math.round(rate).toLocaleString('en')).join(', ');
    return {
      title: `${name.toUpperCase()} at 1k, 100k, 1M items: ${perSecond} a second`,
      value: `within ${((1 - least) * 100).toFixed(0)}%`,
      must: 'within 15%',
      holds: least >= 0.85,
    };
  });
}

const fewRecords = 1000;
/** In seconds. The warm-up is long: threads keep the records that are read often only after they have read them. */
type Plan = { readonly rounds: number; readonly warmUp: number; readonly seconds: number };

/** Single records among `count`, beside those among a thousand, in turns; and the start with them. */
export async function beyondMemory(
  folder: string,
  count: number,
  { rounds, warmUp, seconds }: Plan,
  say: (text: string) => void,
): Promise<Claim[]> {
  const files = [fewRecords, count].map((size) => ({ size, path: join(folder, `${size}.db`) }));
  for (const { size, path } of files) {
    say(`storing ${size.toLocaleString('en')} items`);
    await seed(path, size);
  }
  const startsMs: number[] = [];
  const samples = new Map<string, Sample[]>();
  for (let round = 1; round <= rounds; round++) {
    for (const { size, path } of round % 2 === 1 ? files : files.toReversed()) {
      const started = performance.now();
      const shelf = await startShelfOn(path, freePort());
      await (await fetch(`${shelf.base}/api/items/${size / 2}`)).arrayBuffer();
      if (size === count) startsMs.push(performance.now() - started);
      for (const script of [recordCountScripts(size)[0], skewedScript(size)]) {
        say(`round ${round}/${rounds}: ${script.name} among ${size.toLocaleString('en')} items`);
        await load(shelf, script, size === count ? warmUp : Math.min(warmUp, 1), folder);
        const key = `${script.name} ${size}`;
        samples.set(key, [...(samples.get(key) ?? []), await load(shelf, script, seconds, folder)]);
      }
      await shelf.stop();
    }
  }
  const all = (name: string, size: number) => samples.get(`${name} ${size}`) ?? [];
  const of = (name: string, size: number, figure: 'perSecond' | 'p99') =>
    median(all(name, size).map((sample) => sample[figure]));
  /** Processor time of the server per request: on a busy machine it says more than the rate. */
  const time = (name: string, size: number) => median(all(name, size).map(({ cpu, perSecond }) => cpu / perSecond));
  const ratio = (name: string, figure: 'perSecond' | 'p99') => of(name, count, figure) / of(name, fewRecords, figure);
  const title = (name: string) =>
    [count, fewRecords].map((size) => Math.round(of(name, size, 'perSecond')).toLocaleString('en')).join(' and ');
  const many = count.toLocaleString('en');
  const atLeast = (name: string, what: string, least: number): Claim => ({
    title: `${what}, ${many} and 1,000 items: ${title(name)} a second`,
    value: `${ratio(name, 'perSecond').toFixed(2)}x, with ${(time(name, count) / time(name, fewRecords)).toFixed(2)}x the processor time per request`,
    must: `>= ${least}x`,
    holds: ratio(name, 'perSecond') >= least,
  });
  const slower = ratio('get', 'p99');
  const startMs = median(startsMs);
  return [
    atLeast('get', 'GET one, random ids', 0.45),
    {
      title: `its p99: ${of('get', count, 'p99').toFixed(2)} and ${of('get', fewRecords, 'p99').toFixed(2)} ms`,
      value: `${slower.toFixed(1)}x`,
      must: '<= 4x',
      holds: slower <= 4,
    },
    atLeast('skewed', 'GET one, 1% of the ids get 90% of the reads', 0.8),
    {
      title: `start with ${many} items, to the first answer`,
      value: `${startMs.toFixed(0)} ms`,
      must: '<= 1000 ms',
      holds: startMs <= 1000,
    },
  ];
}
