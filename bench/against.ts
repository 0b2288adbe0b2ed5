/**
 * npm run bench -- --against REVISION: compares the throughput of this checkout with another revision.
 *
 * On a shared machine, throughput drifts by more than the few percent to measure, and two starts of one program differ by
 * several percent. So both servers run at the same time, the load alternates between them every second, and both are
 * restarted several times; the result is the median over the starts.
 */
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './finding.ts';
import type { Peer } from './launch.ts';
import { load } from './load.ts';
import { freePort } from './measure.ts';
import { shelfPeer } from './shelf.ts';
import type { Work } from './work.ts';

const root = join(import.meta.dir, '..');
/** The lowest accepted ratio of throughput. */
const floor = 0.97;

/**
 * Loads of a second before the first measured one. The runtime compiles the hot code for about ten seconds: of a POST, its compiler takes 4 % of
 * the processor in the fourth second, and nothing that can be measured after twenty.
 */
const warmUps = 10;

export type Plan = { readonly starts: number; readonly turns: number };

export type Comparison = {
  readonly work: Work;
  /** Throughput of this checkout divided by that of the revision, one value per start. */
  readonly ratios: readonly number[];
  /** The same for requests per second of processor time, which a machine that is shared with others disturbs less. */
  readonly cpuRatios: readonly number[];
  readonly perSecond: number;
  readonly errors: number;
};

export async function compareWith(
  revision: string,
  works: readonly Work[],
  { starts, turns }: Plan,
  folder: string,
  say: (text: string) => void,
): Promise<Comparison[] | { readonly reason: string }> {
  const other = otherShelf(revision, folder);
  const reason = other.setUp();
  if (reason !== undefined) return { reason };
  const peers = [shelfPeer('shelf'), other] as const;
  const all: Comparison[] = [];
  for (const work of works) {
    const ratios: number[] = [];
    const cpuRatios: number[] = [];
    const rates: number[] = [];
    let errors = 0;
    for (let start = 1; start <= starts; start++) {
      say(`${work.name}  start ${start} of ${starts}`);
      const samples = await takeTurns(peers, work, turns, folder);
      const sums = (of: 'perSecond' | 'cpu') => samples.map((some) => some.reduce((sum, one) => sum + one[of], 0));
      const [own = 0, others = 0] = sums('perSecond');
      const [ownCpu = 0, othersCpu = 0] = sums('cpu');
      ratios.push(own / others);
      cpuRatios.push(own / ownCpu / (others / othersCpu));
      rates.push(own / turns);
      errors += samples.flat().reduce((sum, sample) => sum + sample.errors, 0);
    }
    all.push({ work, ratios, cpuRatios, perSecond: median(rates), errors });
  }
  return all;
}

/** Returns one list of samples per peer. The order of the peers alternates from turn to turn. */
async function takeTurns(peers: readonly Peer[], work: Work, turns: number, folder: string) {
  const running: { readonly run: () => ReturnType<typeof load>; readonly stop: () => Promise<void> }[] = [];
  for (const peer of peers) {
    const script = work.script(peer);
    if (script === undefined) throw new Error(`${peer.name} has no ${work.name}`);
    const server = await peer.start(freePort());
    running.push({ run: () => load(server, script, 1, folder), stop: () => server.stop() });
  }
  const samples = running.map((): Awaited<ReturnType<typeof load>>[] => []);
  const order = running.map((one, index) => ({ ...one, index }));
  for (let load = 0; load < warmUps; load++) for (const { run } of order) await run();
  for (let turn = 0; turn < turns; turn++) {
    for (const { run, index } of turn % 2 === 0 ? order : order.toReversed()) samples[index]?.push(await run());
  }
  for (const { stop } of running) await stop();
  return samples;
}

function otherShelf(revision: string, folder: string): Peer {
  const checkout = join(folder, 'other');
  const setUp = () => {
    const git = Bun.spawnSync(['git', 'clone', '--quiet', '--no-checkout', root, checkout], { stderr: 'pipe' });
    const { exitCode, stderr } =
      git.exitCode === 0
        ? Bun.spawnSync(['git', '-C', checkout, 'checkout', '--quiet', revision], { stderr: 'pipe' })
        : git;
    if (exitCode !== 0) return stderr.toString().trim();
    if (!existsSync(join(checkout, 'node_modules')))
      symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
    return undefined;
  };
  return { ...shelfPeer(`shelf ${revision}`, { main: join(checkout, 'src/cli/main.ts') }), setUp };
}

export function comparisonTable(all: readonly Comparison[]): string {
  return all
    .map(({ work: { title }, ratios, cpuRatios, perSecond, errors }) => {
      const ratio = median(ratios);
      const verdict = ratio >= floor ? 'reached' : 'NOT reached';
      const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} in ${ratios.length} starts`;
      const perCpu = `${median(cpuRatios).toFixed(3)}x per processor second`;
      const rate = `${Math.round(perSecond).toLocaleString('en')} a second`;
      return `${title}\n  ${ratio.toFixed(3)}x (${range}), ${perCpu}, ${rate}, ${errors} errors  (floor ${floor}: ${verdict})\n`;
    })
    .join('');
}
