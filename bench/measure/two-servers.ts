/**
 * Compares two servers that do the same work.
 *
 * On a shared machine, throughput drifts by more than the few percent to measure, and two starts of one program differ by
 * several percent. So both servers run at the same time, the load alternates between them, and both are
 * restarted several times; the result is the median over the starts.
 */

import type { Server } from '../servers/launch.ts';
import { median } from './claim.ts';
import { load, type Sample, type Script } from './load.ts';

/** `warmUps` are loads before the first measured one, and `turns` those that are measured, of `seconds` each. */
export type Plan = {
  readonly starts: number;
  readonly warmUps: number;
  readonly turns: number;
  readonly seconds: number;
};

/**
 * The runtime compiles the hot code for about ten seconds: of a POST, its compiler takes 4 % of the processor in the fourth second, and nothing
 * that can be measured after twenty.
 */
export const warmUps = 10;

/** How a server is started, and the work for it. `rare`: for every other warm-up, what few of its requests do. */
export type Side = { readonly start: () => Promise<Server>; readonly rare?: Script; readonly script: Script };

export type Comparison = {
  /** Throughput of the first divided by that of the second, one value per start. */
  readonly ratios: readonly number[];
  /** The same for requests per second of the server's processor time, which does not depend on other load on the machine, nor on wrk. */
  readonly cpuRatios: readonly number[];
  /** Requests per second of the first and of the second, medians. */
  readonly perSecond: readonly [number, number];
  /** Processor time per request in microseconds, medians. */
  readonly micros: readonly [number, number];
  readonly errors: number;
};

export async function inTurns(
  sides: readonly [Side, Side],
  { starts, ...plan }: Plan,
  folder: string,
  say: (text: string) => void,
): Promise<Comparison> {
  const all: (readonly [Total, Total])[] = [];
  for (let start = 1; start <= starts; start++) {
    say(`start ${start} of ${starts}`);
    const [first, second] = await oneStart(sides, plan, folder);
    all.push([total(first), total(second)]);
  }
  const middle = (of: (total: Total) => number) =>
    [median(all.map(([first]) => of(first))), median(all.map(([, second]) => of(second)))] as const;
  return {
    ratios: all.map(([first, second]) => first.requests / second.requests),
    cpuRatios: all.map(([first, second]) => micros(second) / micros(first)),
    perSecond: middle(({ requests }) => requests / plan.turns),
    micros: middle(micros),
    errors: all.flat().reduce((sum, { errors }) => sum + errors, 0),
  };
}

type Total = { readonly requests: number; readonly cpuSeconds: number; readonly errors: number };

/** Of samples that all take the same time, per second. */
function total(samples: readonly Sample[]): Total {
  const sum = (of: keyof Sample) => samples.reduce((all, sample) => all + sample[of], 0);
  return { requests: sum('perSecond'), cpuSeconds: sum('cpu'), errors: sum('errors') };
}

const micros = ({ requests, cpuSeconds }: Total) => (cpuSeconds / requests) * 1e6;

/** The measured samples of both. Their order alternates from turn to turn. */
async function oneStart(
  [first, second]: readonly [Side, Side],
  { warmUps, turns, seconds }: Omit<Plan, 'starts'>,
  folder: string,
): Promise<readonly [Sample[], Sample[]]> {
  const servers = [await first.start(), await second.start()] as const;
  for (let turn = 0; turn < warmUps; turn++) {
    const scriptOf = ({ rare, script }: Side) => (turn % 2 === 0 ? (rare ?? script) : script);
    await load(servers[0], scriptOf(first), seconds, folder);
    await load(servers[1], scriptOf(second), seconds, folder);
  }
  const loadFirst = () => load(servers[0], first.script, seconds, folder);
  const loadSecond = () => load(servers[1], second.script, seconds, folder);
  const samples = [[], []] as readonly [Sample[], Sample[]];
  for (let turn = 0; turn < turns; turn++) {
    if (turn % 2 === 0) samples[0].push(await loadFirst());
    samples[1].push(await loadSecond());
    if (turn % 2 === 1) samples[0].push(await loadFirst());
  }
  for (const server of servers) await server.stop();
  return samples;
}
