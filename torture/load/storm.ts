/** Far fewer database connections than the instances need: requests wait or get 503, and no instance fails. */

import { postgresBinaries } from '../../test/postgres/binaries.ts';
import { Cluster } from '../../test/postgres/cluster.ts';
import { startShelf } from '../../test/support/servers/process.ts';
import type { Torture } from '../support/torture.ts';

const instances = 4;
/** Each instance keeps one to listen, and all of them share one more: with fewer, an instance may never get one. */
const connections = instances + 1;

export const storm: Torture = async ({ full, say }) => {
  const requests = full ? 1000 : 300;
  const binaries = postgresBinaries();
  if ('reason' in binaries) return { skipped: binaries.reason };
  const cluster = await new Cluster().start();
  const complaints: string[] = [];
  const counts = new Map<number, number>();
  const acknowledged: number[] = [];
  const shelves: Awaited<ReturnType<typeof startShelf>>[] = [];
  try {
    // Creates the tables, as their owner.
    await (await startShelf({ args: ['--database', cluster.url(), '--log', 'off'] })).stop();
    // The owner is a superuser, to whom connection limits do not apply.
    await cluster.run(
      'create role few login',
      'grant select, insert, update, delete on all tables in schema public to few',
      `alter role few connection limit ${connections}`,
    );
    const args = ['--database', cluster.url('postgres', 'few'), '--log', 'off', '--database-wait', '60s'];
    shelves.push(...(await Promise.all(Array.from({ length: instances }, () => startShelf({ args })))));
    say(`${instances} instances share ${connections} connections`);

    await Promise.all(
      Array.from({ length: requests }, async (_, n) => {
        const url = shelves[n % instances]?.url;
        const init = n % 2 === 0 ? { method: 'POST', body: `{"id":${n + 2},"name":"storm","price":1}` } : {};
        const answer = await fetch(`${url}/api/items${n % 2 === 0 ? '' : '/1'}`, init);
        const text = await answer.text();
        counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
        if (answer.status === 201) acknowledged.push(n + 2);
        if (![200, 201, 503].includes(answer.status)) complaints.push(`expected 200, 201 or 503, got ${answer.status}`);
        if (answer.status === 503 && answer.headers.get('Retry-After') === null && !text.includes('is unknown'))
          complaints.push('a 503 has no Retry-After');
      }),
    );
    const stored = new Set((await cluster.run('select id from items')).map(([id]) => Number(id)));
    for (const id of acknowledged) if (!stored.has(id)) complaints.push(`${id} was acknowledged and is missing`);
    await Promise.all(
      shelves.map(async (shelf) => {
        if (!(await fetch(`${shelf.url}/healthz`)).ok) complaints.push('an instance is not healthy');
        if ((await shelf.stop()) !== 0) complaints.push('an instance did not stop cleanly');
      }),
    );
  } finally {
    for (const shelf of shelves) shelf.stop('SIGKILL');
    await cluster.remove();
  }
  const served = (counts.get(200) ?? 0) + (counts.get(201) ?? 0);
  say(`${served} of ${requests} served, ${requests - served} refused`);
  return { figures: { connections, instances, requests, served, acknowledged: acknowledged.length }, complaints };
};
