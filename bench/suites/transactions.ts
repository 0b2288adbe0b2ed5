/**
 * npm run bench -- --transactions: transactions of five operations, 64 clients, one core for each server, all durable. Beside Fastify with node:sqlite
 * and PocketBase's batches; on PostgreSQL, which shares its core with the load, beside Fastify with pg. A thousand creations beside a bulk of them.
 */
import { toolPath } from '../../scripts/tools/system-tool.ts';
import { Cluster } from '../../test/postgres/cluster.ts';
import { freePort } from '../../test/support/servers/network/free-port.ts';
import { type Claim, median } from '../measure/claim.ts';
import { loadCore } from '../measure/load.ts';
import { inTurns, type Plan } from '../measure/two-servers.ts';
import { type BankPeer, fastifyBank, fastifyPostgresBank, pocketbaseBank, shelfBank } from '../servers/bank-peers.ts';
import { thousandCreations } from './thousand-creations.ts';

type Found = { readonly claims: readonly Claim[]; readonly notMeasured: Readonly<Record<string, string>> };

export async function transactionsBench(plan: Plan, folder: string, say: (text: string) => void): Promise<Found> {
  const claims: Claim[] = [];
  const notMeasured: Record<string, string> = {};
  const compare = async (shelf: BankPeer, peer: BankPeer, floor: number) => {
    const reason = peer.setUp();
    if (reason !== undefined) {
      notMeasured[peer.name] = reason;
      return;
    }
    const side = ({ start, script }: BankPeer) => ({ start: () => start(freePort()), script });
    const { ratios, cpuRatios, perSecond, errors } = await inTurns([side(shelf), side(peer)], plan, folder, (text) =>
      say(`${peer.name}  ${text}`),
    );
    const ratio = median(ratios);
    const rates = perSecond.map((one) => Math.round(one).toLocaleString('en')).join(' and ');
    claims.push({
      title: `beside ${peer.name}`,
      value: `${ratio.toFixed(2)}x (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}), ${median(cpuRatios).toFixed(2)}x per processor second; ${rates} a second, ${errors} errors`,
      must: `>= ${floor}x`,
      holds: ratio >= floor && errors === 0,
    });
  };
  const inFile = shelfBank((own) => `sqlite:${own}/shelf.db`);
  await compare(inFile, fastifyBank, 3);
  await compare(inFile, pocketbaseBank, 5);
  claims.push(await thousandCreations(inFile.start));
  const cluster = await new Cluster().start();
  try {
    // Its child processes inherit the core.
    Bun.spawnSync([toolPath('taskset'), '-a', '-p', '-c', loadCore, String(cluster.pid)], { stdout: 'ignore' });
    await cluster.run('create database peer');
    await compare(
      shelfBank(() => cluster.url()),
      fastifyPostgresBank(cluster.url('peer')),
      1.5,
    );
  } finally {
    await cluster.remove();
  }
  return { claims, notMeasured };
}
