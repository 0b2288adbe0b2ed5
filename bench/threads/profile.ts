/** npm run bench -- --profile [--threads N]: what each thread of Shelf spends on a request. Server and load share all cores. */

import { freePort } from '../../test/support/servers/network/free-port.ts';
import { load, type Sample, type Script } from '../measure/load.ts';
import { works } from '../measure/work.ts';
import { flagsOf, shelfPeer } from '../servers/shelf.ts';
import { allCores, sharing } from '../suites/cores.ts';
import { type ThreadTime, threadTimes, timePerRequest, timesTable } from './thread-times.ts';
import { withThreads } from './threads.ts';

export type Profile = {
  readonly title: string;
  readonly threads: number;
  readonly perSecond: number;
  readonly errors: number;
  /** Per request. */
  readonly times: readonly ThreadTime[];
};

/** Those of `works`, and a page. */
function profiled(): readonly { readonly title: string; readonly script: Script }[] {
  const peer = shelfPeer('shelf');
  const contract = ['get', 'post'].flatMap((wanted) => {
    const work = works.find(({ name }) => name === wanted);
    const script = work?.script(peer);
    return work === undefined || script === undefined ? [] : [{ title: work.title.replace(/ \(.*/, ''), script }];
  });
  const page = { name: 'page-30', path: '/api/v2/items?limit=30', lua: '' };
  return [...contract, { title: 'GET a page of 30 of v2, 1,000 items stored', script: page }];
}

/** Each work on a server of its own, with each number of threads. */
export async function profile(
  counts: readonly number[],
  warmUp: number,
  seconds: number,
  folder: string,
  say: (text: string) => void,
): Promise<Profile[]> {
  const found: Profile[] = [];
  for (const { title, script } of profiled()) {
    for (const threads of counts) {
      say(`${title}, threads ${threads}`);
      const peer = shelfPeer(withThreads(threads), { flags: flagsOf(threads) });
      const server = await sharing(peer.start(freePort(), undefined, allCores));
      if (warmUp > 0) await load(server, script, warmUp, folder);
      let before: ReturnType<typeof threadTimes>;
      let measured: Sample;
      // On a busy machine a short load can end before its first answer, and nothing can be divided by none.
      do {
        before = threadTimes(server.pid, 'first serving');
        measured = await load(server, script, seconds, folder);
      } while (measured.perSecond === 0 && measured.errors === 0);
      const { perSecond, errors } = measured;
      const times = timePerRequest(before, threadTimes(server.pid, 'first serving'), perSecond * seconds);
      await server.stop();
      found.push({ title, threads, perSecond, errors, times });
    }
  }
  return found;
}

export function profileTable(profiles: readonly Profile[]): string {
  return profiles
    .map(({ title, threads, perSecond, errors, times }) => {
      const rate = `${Math.round(perSecond).toLocaleString('en')} a second, ${errors} errors`;
      const serving = threads === 1 ? 'one serving thread' : `${threads} serving threads`;
      return `\n${title}, ${serving}: ${rate}; per request:\n${timesTable(times)}`;
    })
    .join('');
}
