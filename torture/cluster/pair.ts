/** The short form: a primary and a standby. The primary is paused, its standby promoted, and the former primary continues. */
import { Cluster } from '../../test/postgres/cluster.ts';
import { Forwarder } from '../../test/postgres/forwarder.ts';
import { Server } from '../history/servers/server.ts';
import type { Setup } from '../history/servers/setup.ts';

const timeoutMs = 1000;
/** A commit must be acknowledged by the new primary while the former one answers. */
const overlapMs = 4000;

export async function pairSetup(): Promise<Setup> {
  const primary = await new Cluster().start();
  const standby = await (await primary.standby()).start();
  await primary.waitForStandby();
  // The first instance reaches the former primary alone for a while.
  const toStandby = new Forwarder(standby.port);
  const urlTo = (port: number) => `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${port}/postgres`;
  const servers = [toStandby.port, standby.port].map(
    (port) => new Server(['--database', urlTo(port), '--database-timeout', `${timeoutMs}ms`]),
  );
  for (const server of servers) await server.start();
  return {
    faults: [
      {
        name: 'primary paused',
        inflict: async (random) => {
          primary.pause();
          await standby.run('select pg_promote()');
          await Bun.sleep(random.between(0, 2000));
          toStandby.swallows = true;
          primary.resume();
          await Bun.sleep(overlapMs);
          toStandby.swallows = false;
          toStandby.cutAll();
        },
      },
    ],
    ports: () => servers.map(({ port }) => port),
    verify: async () => {
      for (const server of servers) await server.end('SIGTERM');
      const gaps = await standby.run("select value from settings where name = 'gaps'");
      return gaps.length === 0 ? [] : ['epoch: a failover that loses nothing began a new epoch'];
    },
    close: async () => {
      for (const server of servers) await server.end('SIGKILL');
      toStandby.stop();
      await primary.remove();
      await standby.remove();
    },
  };
}
