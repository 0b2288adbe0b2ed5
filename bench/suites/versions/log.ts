/** npm run bench -- --log: the share of its throughput with --log off that Shelf keeps with a request log. */

import type { Plan } from '../../measure/two-servers.ts';
import { works } from '../../measure/work.ts';
import { shelfPeer } from '../../servers/shelf.ts';
import { comparePeers, type WorkComparison } from './against.ts';

/** The lowest accepted ratio of throughput. */
export const logFloor = 0.92;
/** GET one: of all works, a log line adds the largest share to it. */
const logged = works.filter(({ name }) => name === 'get');

/** The log is JSON, to /dev/null: a process that reads it would compete for the cores. */
export function logBench(plan: Plan, folder: string, say: (text: string) => void): Promise<WorkComparison[]> {
  const withLog = shelfPeer('shelf with a log', { flags: ['--log', 'json'] });
  return comparePeers([withLog, shelfPeer('shelf')], logged, plan, folder, say);
}
