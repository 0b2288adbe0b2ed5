/**
 * npm run bench -- --tls: GET one and POST with and without TLS, on kept connections, beside Go and nginx. A peer is
 * compared with itself: the share of its plain throughput that it keeps over TLS.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Authority } from '../test/certificate.ts';
import type { Finding } from './finding.ts';
import type { Peer, TlsPaths } from './launch.ts';
import { peers } from './peers.ts';
import type { Result } from './report.ts';
import { type Work, works } from './work.ts';

const compared = ['shelf', 'go net/http', 'nginx'] as const;
const overTls = (peer: string) => `${peer} tls`;

function certificateIn(folder: string): TlsPaths {
  const { cert, key } = new Authority('bench').issue({ name: 'localhost', hosts: ['localhost', '127.0.0.1'] });
  const paths = { cert: join(folder, 'bench.crt'), key: join(folder, 'bench.key') };
  writeFileSync(paths.cert, cert);
  writeFileSync(paths.key, key);
  return paths;
}

export function tlsBench(folder: string): { peers: readonly Peer[]; works: readonly Work[] } {
  const tls = certificateIn(folder);
  return {
    peers: compared.flatMap((name) => {
      const peer = peers.find((one) => one.name === name);
      if (peer === undefined) return [];
      return [peer, { ...peer, name: overTls(name), start: (port: number) => peer.start(port, tls) }];
    }),
    works: works.filter(({ name }) => name === 'get' || name === 'post').map((work) => ({ ...work, floors: {} })),
  };
}

/**
 * The share of its plain throughput that a peer keeps; undefined if it was not measured. Of the best round of each,
 * because other load on the machine can only slow a round down.
 */
function kept(results: readonly Result[], work: string, peer: string): number | undefined {
  const best = (name: string) => {
    const found = results.find((one) => one.work.name === work && one.peer === name);
    return found === undefined ? undefined : Math.max(...found.samples.map(({ perSecond }) => perSecond));
  };
  const [plain, secure] = [best(peer), best(overTls(peer))];
  return plain === undefined || secure === undefined ? undefined : secure / plain;
}

/** Go is the floor. */
export function tlsFindings(results: readonly Result[]): Finding[] {
  return ['get', 'post'].flatMap((work) => {
    const floor = kept(results, work, 'go net/http');
    return compared.flatMap((peer) => {
      const share = kept(results, work, peer);
      if (share === undefined) return [];
      const isJudged = peer === 'shelf' && floor !== undefined;
      return {
        title: `${work}: ${peer} keeps over TLS`,
        value: `${(share * 100).toFixed(1)}% of its plain throughput`,
        must: isJudged ? `>= ${(floor * 100).toFixed(1)}%, as Go` : 'measured',
        holds: !isJudged || share >= floor,
      };
    });
  });
}
