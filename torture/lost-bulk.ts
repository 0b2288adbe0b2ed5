/** An instance is paused, cut off or killed while PostgreSQL waits for rows of its bulk: the writes of another instance go on, and nothing of the bulk is added. */
import { SQL } from 'bun';
import { bulkLock } from '../src/storage/postgres/connect/locks.ts';
import { postgresBinaries } from '../test/postgres/binaries.ts';
import { Cluster } from '../test/postgres/cluster.ts';
import { Forwarder } from '../test/postgres/forwarder.ts';
import { type Shelf, startShelf } from '../test/support/servers/process.ts';
import type { Torture } from './support/torture.ts';

/** How soon the writes of the other instance must go on. Only the full run checks it: that depends on the machine. */
const limitMs = 10_000;
const faults = ['paused', 'cut off', 'killed'] as const;

const sessionStatement = `select wait_event, query like 'copy %' and state = 'active'
  from pg_locks join pg_stat_activity using (pid) where objid = ${bulkLock} and granted`;

export const lostBulk: Torture = async ({ full, say }) => {
  const binaries = postgresBinaries();
  if ('reason' in binaries) return { skipped: binaries.reason };
  const timeoutMs = full ? 5000 : 1000;
  const rounds = full ? 5 : 1;
  const records = full ? 100_000 : 20_000;
  const cluster = await new Cluster().start();
  const forwarder = new Forwarder(cluster.port);
  const direct = new SQL({ url: cluster.url(), max: 1 });
  const complaints: string[] = [];
  let [lostBulks, stored, added, longest] = [0, 0, 0, 0];
  const startOn = (url: string) =>
    startShelf({ args: ['--database', url, '--log', 'off', '--database-timeout', `${timeoutMs}ms`] });
  const startLost = () => startOn(forwarder.through(cluster.url()));
  const other = await startOn(cluster.url());
  let lost = await startLost();

  const session = async () => {
    const [row] = await direct.unsafe(sessionStatement).values();
    return row === undefined ? undefined : { event: row[0], isCopying: row[1] === true };
  };
  /** The status; 0 if the connection broke. */
  const bulk = ({ url }: Shelf): Promise<number> =>
    fetch(`${url}/api/v2/items`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: '{"name":"many","price":1}\n'.repeat(records),
    }).then(
      ({ status }) => status,
      () => 0,
    );
  /** A bulk that has been stopped by `stop` while PostgreSQL waits for its rows. One that was not has been added. */
  const bulkInCopy = async (stop: () => void, goOn: () => void): Promise<{ readonly answer: Promise<number> }> => {
    for (;;) {
      const answer = bulk(lost);
      let isOver = false;
      answer.finally(() => {
        isOver = true;
      });
      while (!isOver && (await session())?.isCopying !== true) await Bun.sleep(1);
      stop();
      let found = await session();
      while (found !== undefined && found.event !== 'ClientRead') found = await session();
      if (found?.isCopying) return { answer };
      goOn();
      if ((await answer) === 201) added += records;
    }
  };
  /** Milliseconds until the other instance has stored a write. */
  const untilStored = async (): Promise<number> => {
    const start = performance.now();
    for (;;) {
      const { status } = await fetch(`${other.url}/api/users`, { method: 'POST', body: '{"id":7,"name":"other"}' });
      if (status === 201) break;
      if (status !== 503) complaints.push(`a write of the other instance: expected 201 or 503, got ${status}`);
    }
    stored++;
    return performance.now() - start;
  };

  const lose = async (fault: (typeof faults)[number]): Promise<void> => {
    const isCut = fault === 'cut off';
    const { answer } = await bulkInCopy(
      () => (isCut ? forwarder.hold() : process.kill(lost.pid, 'SIGSTOP')),
      () => (isCut ? forwarder.release() : process.kill(lost.pid, 'SIGCONT')),
    );
    lostBulks++;
    forwarder.swallows = isCut;
    if (fault === 'killed') process.kill(lost.pid, 'SIGKILL');
    const ms = await untilStored();
    longest = Math.max(longest, ms);
    if (full && ms > limitMs) complaints.push(`${fault}: a write of the other instance took ${ms.toFixed(0)} ms`);
    if (fault === 'paused') process.kill(lost.pid, 'SIGCONT');
    const expected = fault === 'killed' ? 0 : 503;
    if ((await answer) !== expected) complaints.push(`${fault}: the bulk was answered with ${await answer}`);
    if (isCut) forwarder.cutAll();
    forwarder.swallows = false;
    if (isCut) forwarder.release();
    if (fault === 'killed') lost = await startLost();
    complaints.push(...(await halfDone()).map((complaint) => `${fault}: ${complaint}`));
    // Whatever was lost, the next bulk of the instance is added. It may need new connections.
    while ((await bulk(lost)) !== 201) await Bun.sleep(10);
    added += records;
    complaints.push(...(await halfDone()).map((complaint) => `after a retry, ${fault}: ${complaint}`));
    say(`${fault}: the other instance wrote after ${ms.toFixed(0)} ms, timeout ${timeoutMs} ms`);
  };
  /** Rows that should not be there, or are missing. */
  const halfDone = async (): Promise<string[]> => {
    const [row = []] = await direct`select (select count(*) from items where name = 'many'),
      (select count(*) from changes where collection = 'items' and record like '%many%')`.values();
    const [items, changes] = row.map(Number);
    return items === added && changes === added
      ? []
      : [`expected ${added} records of bulks, got ${items}, with ${changes} changes`];
  };

  try {
    for (let round = 1; round <= rounds; round++) for (const fault of faults) await lose(fault);
    for (const shelf of [lost, other]) if ((await shelf.stop()) !== 0) complaints.push('a server did not stop cleanly');
  } finally {
    for (const shelf of [lost, other]) shelf.stop('SIGKILL');
    await direct.close({ timeout: 0 });
    forwarder.stop();
    await cluster.remove();
  }
  return {
    figures: {
      'lost bulks': lostBulks,
      'timeout ms': timeoutMs,
      'writes of the other instance': stored,
      'longest wait ms': Math.ceil(longest),
      'records added': added,
    },
    complaints,
  };
};
