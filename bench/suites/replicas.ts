/** What a read costs the primary, with and without two standbys that serve reads: CPU time of all its processes. */
import { toolPath } from '../../scripts/tools/system-tool.ts';
import { Cluster } from '../../test/postgres/cluster.ts';
import { freePort } from '../../test/support/servers/network/free-port.ts';
import { type Claim, median } from '../measure/claim.ts';
import { load, runMicroseconds, type Script } from '../measure/load.ts';
import { launch, peerFolder, type Server } from '../servers/launch.ts';
import { shelfCommand, storeThousand } from '../servers/shelf.ts';

export type ReplicasPlan = {
  readonly works: readonly ReplicasWork[];
  readonly rounds: number;
  readonly warmUp: number;
  readonly seconds: number;
  readonly folder: string;
  readonly say: (text: string) => void;
};

type ReplicasWork = Script & { readonly title: string; readonly most: number };
type Cost = { readonly microseconds: number; readonly perSecond: number; readonly errors: number };

/** The servers of the database share their core with the load. */
const databaseCore = '1';
/** The share of its CPU time per request that the primary may still need. Writes cost it the same in both cases. */
const most = { reads: 0.5, withWrites: 1 };

const random = 'math.randomseed(os.time())\n';
const anyOne = (path: string) =>
  `${random}request = function() return wrk.format("GET", "${path}/" .. math.random(1000)) end`;
/** One in ten requests is a write, so that most reads follow a change. */
const withWrites = `${random}local n = 1000
request = function()
  if math.random(10) > 1 then return wrk.format("GET", "/api/items/" .. math.random(1000)) end
  n = n + 1
  return wrk.format("POST", "/api/users", { ["Content-Type"] = "application/json" }, string.format('{"id":%d,"name":"User number %d"}', n, n))
end`;

export const replicasWorks: readonly ReplicasWork[] = [
  { name: 'one', title: 'GET one item', most: most.reads, path: '/api/items/1', lua: anyOne('/api/items') },
  { name: 'page', title: 'GET a page of 50', most: most.reads, path: '/api/v2/items?limit=50', lua: '' },
  { name: 'list', title: 'GET the list of 1,000', most: most.reads, path: '/api/items', lua: '' },
  {
    name: 'written',
    title: 'GET one item, 10% of the requests are writes',
    most: most.withWrites,
    path: '/api/items/1',
    lua: withWrites,
  },
];

export async function replicasBench({ works, rounds, warmUp, seconds, folder, say }: ReplicasPlan): Promise<Claim[]> {
  const primary = await new Cluster().start();
  const standbys: Cluster[] = [];
  try {
    say('starting two standbys');
    for (const name of ['one', 'two']) standbys.push(await (await primary.standby({}, name)).start());
    for (const { pid } of [primary, ...standbys]) pin(pid);
    const replicas = standbys.map((standby) => standby.url()).join();
    const first = await start(primary, []);
    await storeThousand(first);
    await first.stop();
    const claims: Claim[] = [];
    for (const work of works) {
      const costs: { readonly without: Cost; readonly with: Cost }[] = [];
      for (let round = 1; round <= rounds; round++) {
        say(`round ${round}/${rounds}  ${work.title}`);
        const measured = async (extra: readonly string[]) => {
          const server = await start(primary, extra);
          if (warmUp > 0) await load(server, work, warmUp, folder);
          return costOf(server, primary, work, seconds, folder);
        };
        const withStandbys = () => measured(['--database-replicas', replicas]);
        // The order alternates, so that a machine that gets slower favours neither.
        if (round % 2 === 1) costs.push({ without: await measured([]), with: await withStandbys() });
        else {
          const first = await withStandbys();
          costs.push({ without: await measured([]), with: first });
        }
      }
      claims.push(claimOf(work, costs));
    }
    return claims;
  } finally {
    for (const standby of standbys) await standby.remove();
    await primary.remove();
  }
}

/** Its child processes inherit the core. */
function pin(pid: number): void {
  Bun.spawnSync([toolPath('taskset'), '-a', '-p', '-c', databaseCore, String(pid)], { stdout: 'ignore' });
}

async function start(primary: Cluster, extra: readonly string[]): Promise<Server> {
  const server = await launch([...shelfCommand(primary.url()), ...extra], freePort(), peerFolder);
  while (!(await fetch(`${server.base}/readyz`)).ok) await Bun.sleep(10);
  return server;
}

async function costOf(server: Server, primary: Cluster, work: Script, seconds: number, folder: string): Promise<Cost> {
  const before = runMicroseconds(primary.pid);
  const { perSecond, errors } = await load(server, work, seconds, folder);
  const spent = runMicroseconds(primary.pid) - before;
  await server.stop();
  return { microseconds: spent / (perSecond * seconds), perSecond, errors };
}

function claimOf(
  { title, most: bound }: ReplicasWork,
  costs: readonly { readonly without: Cost; readonly with: Cost }[],
): Claim {
  const middle = (of: (cost: (typeof costs)[number]) => number) => median(costs.map(of));
  const share = middle(({ without, with: own }) => own.microseconds / without.microseconds);
  const errors = costs.reduce((sum, { without, with: own }) => sum + without.errors + own.errors, 0);
  const figures = (kind: 'without' | 'with') =>
    `${middle((cost) => cost[kind].microseconds).toFixed(1)} µs of the primary per request ${kind} standbys at ${Math.round(middle((cost) => cost[kind].perSecond)).toLocaleString('en')} per second`;
  return {
    title,
    value: `${share.toFixed(2)}; ${figures('without')}, ${figures('with')}${errors === 0 ? '' : `; ${errors} requests failed`}`,
    must: `at most ${bound}`,
    holds: share <= bound && errors === 0,
  };
}
