/**
 * npm run bench -- --tls: GET one and POST with and without TLS, on kept connections, beside Go and nginx. A peer is
 * compared with itself: the share of its plain throughput that it keeps over TLS.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Authority } from '../../test/support/servers/network/certificate.ts';
import { freePort } from '../../test/support/servers/network/free-port.ts';
import { type Claim, median } from '../measure/claim.ts';
import { type Comparison, inTurns, type Plan } from '../measure/two-servers.ts';
import { type Work, works } from '../measure/work.ts';
import type { Peer, TlsPaths } from '../servers/launch.ts';
import { peers } from '../servers/peers.ts';

export const tlsPeers = peers.filter(({ name }) => ['shelf', 'go net/http', 'nginx'].includes(name));
export const tlsWorks = works.filter(({ name }) => name === 'get' || name === 'post');

export type TlsComparison = Comparison & { readonly work: string; readonly peer: string };

function certificateIn(folder: string): TlsPaths {
  const { cert, key } = new Authority('bench').issue({ name: 'localhost', hosts: ['localhost', '127.0.0.1'] });
  const paths = { cert: join(folder, 'bench.crt'), key: join(folder, 'bench.key') };
  writeFileSync(paths.cert, cert);
  writeFileSync(paths.key, key);
  return paths;
}

export async function tlsBench(
  { peers, works, plan, folder }: { peers: readonly Peer[]; works: readonly Work[]; plan: Plan; folder: string },
  say: (text: string) => void,
): Promise<{ comparisons: readonly TlsComparison[]; notMeasured: Readonly<Record<string, string>> }> {
  const tls = certificateIn(folder);
  const comparisons: TlsComparison[] = [];
  const notMeasured: Record<string, string> = {};
  for (const peer of peers) {
    const reason = peer.setUp();
    if (reason !== undefined) {
      notMeasured[peer.name] = reason;
      continue;
    }
    for (const work of works) {
      const script = work.script(peer);
      if (script === undefined) continue;
      const side = (paths?: TlsPaths) => ({ start: () => peer.start(freePort(), paths), script });
      const compared = await inTurns([side(tls), side()], plan, folder, (text) =>
        say(`${peer.name}  ${work.name}  ${text}`),
      );
      comparisons.push({ work: work.name, peer: peer.name, ...compared });
    }
  }
  return { comparisons, notMeasured };
}

/**
 * Go is the floor. wrk spends as much on TLS as a server does, so on one core it often reaches its own limit first. Then the server
 * waits for wrk, and throughput says nothing about the server: so throughput per second of its processor time is what counts.
 */
export function tlsClaims(comparisons: readonly TlsComparison[]): Claim[] {
  return comparisons.map(({ work, peer, ratios, cpuRatios, micros }) => {
    const go = comparisons.find((one) => one.work === work && one.peer === 'go net/http');
    const share = median(cpuRatios);
    const floor = peer === 'shelf' && go !== undefined ? median(go.cpuRatios) : undefined;
    const [secure, plain] = micros.map((one) => one.toFixed(1));
    return {
      title: `${work}: ${peer} keeps over TLS`,
      value: `${percent(share)} of its plain throughput per processor second (${secure} and ${plain} µs), ${percent(median(ratios))} as measured`,
      must: floor === undefined ? 'measured' : `>= ${percent(floor)}, as Go`,
      holds: floor === undefined || share >= floor,
    };
  });
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`;
