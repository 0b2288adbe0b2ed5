/** Measures all peers at the same work, interleaved, in several rounds. */

import { freePort } from '../../test/support/servers/network/free-port.ts';
import type { Peer } from '../servers/launch.ts';
import { load } from './load.ts';
import type { Result } from './report.ts';
import type { Work } from './work.ts';

export type Plan = {
  readonly peers: readonly Peer[];
  readonly works: readonly Work[];
  readonly rounds: number;
  readonly warmUp: number;
  readonly seconds: number;
  readonly folder: string;
  readonly say: (text: string) => void;
};

/** A peer that cannot be set up is left out, with the reason. */
export async function measure({ peers, works, rounds, warmUp, seconds, folder, say }: Plan) {
  const notMeasured: Record<string, string> = {};
  const ready: Peer[] = [];
  for (const peer of peers) {
    say(`setting up ${peer.name}`);
    const reason = peer.setUp();
    if (reason === undefined) ready.push(peer);
    else notMeasured[peer.name] = reason;
  }

  const results = new Map<string, { result: Result; samples: Result['samples'][number][] }>();
  for (let round = 1; round <= rounds; round++) {
    // The previous peer may leave unwritten pages, so the order alternates.
    const inTurn = round % 2 === 1 ? ready : ready.toReversed();
    for (const work of works) {
      for (const peer of inTurn) {
        const script = work.script(peer);
        if (script === undefined) continue;
        say(`round ${round}/${rounds}  ${work.name}  ${peer.name}`);
        const server = await peer.start(freePort());
        if (warmUp > 0) await load(server, script, warmUp, folder);
        const sample = await load(server, script, seconds, folder);
        await server.stop();
        const key = `${work.name} ${peer.name}`;
        const samples = results.get(key)?.samples ?? [];
        samples.push(sample);
        results.set(key, { result: { work, peer: peer.name, samples }, samples });
      }
    }
  }
  return { results: [...results.values()].map(({ result }) => result), notMeasured };
}
