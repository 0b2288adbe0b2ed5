/** npm run bench -- --against REVISION: compares the throughput of this checkout with another revision. */
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../test/support/servers/network/free-port.ts';
import { median } from '../../measure/claim.ts';
import type { Script } from '../../measure/load.ts';
import { type Comparison, inTurns, type Plan, type Side } from '../../measure/two-servers.ts';
import type { Work } from '../../measure/work.ts';
import type { Peer } from '../../servers/launch.ts';
import { shelfPeer } from '../../servers/shelf.ts';

const root = join(import.meta.dir, '../../..');
/** The lowest accepted ratio of throughput. */
export const againstFloor = 0.97;

export type WorkComparison = Comparison & { readonly work: Pick<Work, 'name' | 'title'> };

export async function compareWith(
  revision: string,
  works: readonly Work[],
  plan: Plan,
  folder: string,
  say: (text: string) => void,
): Promise<WorkComparison[] | { readonly reason: string }> {
  const other = checkOut(revision, folder);
  if ('reason' in other) return other;
  return comparePeers([shelfPeer('shelf'), shelfPeer(`shelf ${revision}`, other)], works, plan, folder, say);
}

/** `rareOf`: requests for every other warm-up, for code that few of the measured ones run. */
export async function comparePeers(
  [first, second]: readonly [Peer, Peer],
  works: readonly Work[],
  plan: Plan,
  folder: string,
  say: (text: string) => void,
  rareOf = (script: Script) => script,
): Promise<WorkComparison[]> {
  const all: WorkComparison[] = [];
  for (const work of works) {
    const side = (peer: Peer): Side => {
      const script = work.script(peer);
      if (script === undefined) throw new Error(`${peer.name} has no ${work.name}`);
      return { start: () => peer.start(freePort()), rare: rareOf(script), script };
    };
    const sides = [side(first), side(second)] as const;
    all.push({ work, ...(await inTurns(sides, plan, folder, (text) => say(`${work.name}  ${text}`))) });
  }
  return all;
}

/** The file that the other revision is started from. */
export function checkOut(revision: string, folder: string): { readonly main: string } | { readonly reason: string } {
  const checkout = join(folder, 'other');
  const git = Bun.spawnSync(['git', 'clone', '--quiet', '--no-checkout', root, checkout], { stderr: 'pipe' });
  const { exitCode, stderr } =
    git.exitCode === 0
      ? Bun.spawnSync(['git', '-C', checkout, 'checkout', '--quiet', revision], { stderr: 'pipe' })
      : git;
  if (exitCode !== 0) return { reason: stderr.toString().trim() };
  if (!existsSync(join(checkout, 'node_modules')))
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  return { main: join(checkout, 'src/cli/main.ts') };
}

/** `floor` is the lowest accepted ratio of throughput. */
export type Judged = WorkComparison & { readonly floor: number };

export function judged(all: readonly WorkComparison[], floor: number): readonly Judged[] {
  return all.map((one) => ({ ...one, floor }));
}

/** Which works are below their floors, in one line; undefined if none is. */
export function belowFloors(all: readonly Judged[]): string | undefined {
  const low = all.flatMap(({ work: { title }, ratios, floor }) => {
    const ratio = median(ratios);
    return ratio >= floor ? [] : [`${title}: ${ratio.toFixed(3)}x, and the floor is ${floor}`];
  });
  return low.length === 0 ? undefined : low.join('; ');
}

export function comparisonTable(all: readonly Judged[]): string {
  return all
    .map(({ work: { title }, ratios, cpuRatios, perSecond, errors, floor }) => {
      const ratio = median(ratios);
      const verdict = ratio >= floor ? 'reached' : 'NOT reached';
      const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} in ${ratios.length} starts`;
      const perCpu = `${median(cpuRatios).toFixed(3)}x per processor second`;
      const rate = `${Math.round(perSecond[0]).toLocaleString('en')} a second`;
      return `${title}\n  ${ratio.toFixed(3)}x (${range}), ${perCpu}, ${rate}, ${errors} errors  (floor ${floor}: ${verdict})\n`;
    })
    .join('');
}
