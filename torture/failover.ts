/** The primary is killed under load and its standby takes over: no acknowledged write is lost, doubled or out of order. */

import { postgresBinaries } from '../test/postgres/binaries.ts';
import { Cluster } from '../test/postgres/cluster.ts';
import { Forwarder } from '../test/postgres/forwarder.ts';
import { startShelf } from '../test/support/servers/process.ts';
import type { Torture } from './support/torture.ts';
import { Writers } from './support/writers.ts';

/** Waits until the server accepts reads and writes again; returns the milliseconds that this took. */
async function untilServed(url: string, round: number): Promise<number> {
  const start = performance.now();
  const ok = (path: string, init?: RequestInit) =>
    fetch(url + path, init).then(
      (answer) => answer.ok,
      () => false,
    );
  const body = `{"id":${round},"name":"probe"}`;
  while (!((await ok('/api/users', { method: 'POST', body })) && (await ok('/api/items/1')))) await Bun.sleep(10);
  return performance.now() - start;
}

export const failover: Torture = async ({ full, say }) => {
  const binaries = postgresBinaries();
  if ('reason' in binaries) return { skipped: binaries.reason };
  const rounds = full ? 20 : 1;
  const writers = new Writers(16);
  const complaints: string[] = [];
  const times: number[] = [];

  let primary = await new Cluster().start();
  let standby = await (await primary.standby()).start();
  const forwarder = new Forwarder(primary.port);
  const shelves: Awaited<ReturnType<typeof startShelf>>[] = [];
  try {
    await primary.waitForStandby();
    const args = ['--database', forwarder.through(primary.url()), '--log', 'off'];
    shelves.push(await startShelf({ args }), await startShelf({ args }));
    const urls = shelves.map(({ url }) => url);

    for (let round = 1; round <= rounds; round++) {
      let writing = true;
      const before = writers.acknowledged.size;
      const load = writers.write(urls, () => !writing);
      const goal = before + 200 + Math.floor(Math.random() * 800);
      while (writers.acknowledged.size < goal) await Bun.sleep(5);

      await primary.kill();
      const killedAt = writers.acknowledged.size;
      await standby.run('select pg_promote()');
      forwarder.target = standby.port;
      forwarder.cutAll();
      const served = Math.max(...(await Promise.all(urls.map((url) => untilServed(url, round + 1)))));
      times.push(served);

      const after = writers.acknowledged.size + 200;
      while (writers.acknowledged.size < after) await Bun.sleep(5);
      writing = false;
      await load;
      for (const url of urls) complaints.push(...(await writers.verify(url)));
      say(
        `round ${round}: ${killedAt - before} acknowledged before the kill, full service ${served.toFixed(0)} ms after the switch to the standby`,
      );
      // How soon depends on the machine, so only the full run checks it.
      if (full && served > 2000) complaints.push(`round ${round}: full service took ${served.toFixed(0)} ms`);
      if (complaints.length > 0) break;

      if (round === rounds) break;
      await primary.remove();
      primary = standby;
      standby = await (await primary.standby()).start();
      await primary.waitForStandby();
    }
    const gaps = await standby.run("select value from settings where name = 'gaps'");
    if (gaps.length > 0) complaints.push('a failover that lost nothing began a new epoch');
    for (const shelf of shelves) if ((await shelf.stop()) !== 0) complaints.push('an instance did not stop cleanly');
  } finally {
    for (const shelf of shelves) shelf.stop('SIGKILL');
    forwarder.stop();
    await primary.remove();
    await standby.remove();
  }
  // Not a figure: it is 0 if every request waited until the standby answered.
  say(`${writers.refusals.get(503) ?? 0} requests answered 503`);
  times.sort((left, right) => left - right);
  return {
    figures: {
      rounds: times.length,
      acknowledged: writers.acknowledged.size,
      'ms to full service, median': Math.ceil(times[Math.floor(times.length / 2)] ?? 0),
      'ms to full service, longest': Math.ceil(times.at(-1) ?? 0),
    },
    complaints,
  };
};
