/** The network to PostgreSQL drops all data: every request is answered in time, and service resumes afterwards. */

import { postgresBinaries } from '../../test/postgres/binaries.ts';
import { Cluster } from '../../test/postgres/cluster.ts';
import { Forwarder } from '../../test/postgres/forwarder.ts';
import { startShelf } from '../../test/support/servers/process.ts';
import type { Torture } from '../support/torture.ts';
import { Writers } from '../support/writers.ts';

/** Only the full run checks how soon the lock is released: that depends on the machine. */
const patienceMs = 60_000;

export const blackhole: Torture = async ({ full, say }) => {
  const binaries = postgresBinaries();
  if ('reason' in binaries) return { skipped: binaries.reason };
  const timeoutMs = full ? 5000 : 1000;
  const rounds = full ? 5 : 1;
  const cluster = await new Cluster().start();
  const forwarder = new Forwarder(cluster.port);
  const complaints: string[] = [];
  const writers = new Writers(16);
  let answered = 0;
  let longest = 0;
  let longestRecovery = 0;
  const shelf = await startShelf({
    args: ['--database', forwarder.through(cluster.url()), '--log', 'off', '--database-timeout', `${timeoutMs}ms`],
  });
  try {
    for (let round = 1; round <= rounds; round++) {
      await writers.write(shelf.url, (acknowledged) => acknowledged >= round * 200);
      // The network fails in the middle of a bulk, which holds the lock.
      const bulk = fetch(`${shelf.url}/api/v2/items`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-ndjson' },
        body: '{"name":"many","price":1}\n'.repeat(full ? 200_000 : 100_000),
      });
      while ((await cluster.run("select 1 from pg_locks where locktype = 'advisory' and granted")).length === 0)
        await Bun.sleep(1);
      forwarder.swallows = true;
      const answers = Array.from({ length: 100 }, async (_, n) => {
        const start = performance.now();
        const path = ['/api/items', '/api/items/1', '/readyz', '/api/users'][n % 4] ?? '';
        const init = n % 4 === 3 ? { method: 'POST', body: `{"id":${n},"name":"lost?"}` } : {};
        const { status } = await fetch(shelf.url + path, init);
        longest = Math.max(longest, performance.now() - start);
        answered++;
        if (status !== 503) complaints.push(`${path}: expected 503, got ${status}`);
      });
      await Promise.all(answers);
      if ((await bulk).status !== 503) complaints.push(`a bulk: expected 503, got ${(await bulk).status}`);
      const alive = await fetch(`${shelf.url}/healthz`);
      if (!alive.ok) complaints.push('the server is not healthy during the outage');
      forwarder.swallows = false;
      const restored = performance.now();
      while (!(await fetch(`${shelf.url}/readyz`)).ok) await Bun.sleep(5);
      longestRecovery = Math.max(longestRecovery, performance.now() - restored);
      // The session that was cut off while it held the lock must release it.
      const body = '{"id":1,"name":"again"}';
      const write = () => fetch(`${shelf.url}/api/users`, { method: 'POST', body });
      const deadline = performance.now() + (full ? timeoutMs * 2 : patienceMs);
      while ((await write()).status !== 201 && performance.now() < deadline) await Bun.sleep(10);
      if ((await write()).status !== 201) complaints.push('writes still fail after the outage');
      complaints.push(...(await writers.verify(shelf.url)));
      say(`round ${round}: longest answer ${longest.toFixed(0)} ms, deadline ${timeoutMs} ms`);
    }
    // One second more than the deadline, because the machine may be busy; it may also pause, so only the full run checks it.
    if (full && longest > timeoutMs + 1000)
      complaints.push(`an answer took ${longest.toFixed(0)} ms, deadline ${timeoutMs} ms`);
    if (full && longestRecovery > 2000)
      complaints.push(`the server took ${longestRecovery.toFixed(0)} ms to serve again`);
    if ((await shelf.stop()) !== 0) complaints.push('the server did not stop cleanly');
  } finally {
    shelf.stop('SIGKILL');
    forwarder.stop();
    await cluster.remove();
  }
  return {
    figures: {
      'requests answered': answered,
      'deadline ms': timeoutMs,
      'longest answer ms': Math.ceil(longest),
      'ms to serve again': Math.ceil(longestRecovery),
      acknowledged: writers.acknowledged.size,
    },
    complaints,
  };
};
