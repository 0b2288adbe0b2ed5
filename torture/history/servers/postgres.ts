/** Two instances on one PostgreSQL, one of them with two workers, each with its own network to the database. */
import { readFileSync } from 'node:fs';
import { Cluster } from '../../../test/postgres/cluster.ts';
import { Forwarder } from '../../../test/postgres/forwarder.ts';
import type { Random } from '../../../test/support/data/random.ts';
import { freePort } from '../../../test/support/servers/network/free-port.ts';
import { ClientNetwork } from '../clients/client-network.ts';
import { pause, Server } from './server.ts';
import type { Fault, ServerOptions, Setup } from './setup.ts';

/** Short, so that an outage can last longer. */
const timeoutMs = 1000;
const maxStarts = 100;

type Instance = {
  readonly server: Server;
  readonly toDatabase: Forwarder;
  readonly toStandbys: readonly Forwarder[];
};

export async function postgresSetup(options?: ServerOptions): Promise<Setup> {
  return instancesOn(await new Cluster().start(), [], options);
}

/** The standbys serve reads. The faults of the network to them are separate. */
export async function instancesOn(
  cluster: Cluster,
  standbys: readonly Cluster[],
  { args: more = [] }: ServerOptions = {},
): Promise<Setup & { readonly standbyNetwork: readonly Fault[] }> {
  const network = new ClientNetwork();
  const instance = async (args: readonly string[], started?: (port: number) => void): Promise<Instance> => {
    const toDatabase = new Forwarder(cluster.port);
    const toStandbys = standbys.map(({ port }) => new Forwarder(port));
    const replicas = toStandbys.map((forwarder) => forwarder.through(cluster.url())).join();
    const database = ['--database', toDatabase.through(cluster.url()), '--database-timeout', `${timeoutMs}ms`];
    if (replicas !== '') database.push('--database-replicas', replicas);
    return { server: await new Server([...database, ...more, ...args], started).start(), toDatabase, toStandbys };
  };
  const single = await instance([], (port) => network.leadTo(port));
  const several = await instance(['--workers', '2', '--port', String(freePort())]);
  const instances = [single, several];
  return {
    faults: [
      ...network.faults,
      ...instanceFaults(instances),
      ...workerFaults(several.server),
      ...databaseFaults(cluster),
      ...networkFaults(
        'database',
        instances.map(({ toDatabase }) => toDatabase),
      ),
    ],
    standbyNetwork: networkFaults(
      'standby',
      instances.flatMap(({ toStandbys }) => toStandbys),
    ),
    ports: () => [...instances.map(({ server }) => server.port), network.port].filter((port) => port !== 0),
    verify: async () => {
      for (const { server } of instances) await server.end('SIGTERM');
      return [];
    },
    close: async () => {
      network.close();
      for (const { server, toDatabase, toStandbys } of instances) {
        await server.end('SIGKILL');
        for (const forwarder of [toDatabase, ...toStandbys]) forwarder.stop();
      }
      for (const standby of standbys) await standby.remove();
      await cluster.remove();
    },
  };
}

function instanceFaults(instances: readonly Instance[]): Fault[] {
  const any = (random: Random) => random.pick(instances).server;
  return [
    { name: 'kill', inflict: (random) => any(random).restart('SIGKILL') },
    { name: 'restart', inflict: (random) => any(random).restart('SIGTERM') },
    { name: 'stop and continue', inflict: (random) => any(random).pause(random.between(50, 1500)) },
  ];
}

function workerFaults(server: Server): Fault[] {
  const any = (random: Random) => {
    const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8');
    return random.pick(children.trim().split(' ').map(Number));
  };
  return [
    { name: 'worker killed', inflict: async (random) => void process.kill(any(random), 'SIGKILL') },
    { name: 'worker stopped and continued', inflict: (random) => pause(any(random), random.between(50, 1500)) },
  ];
}

function databaseFaults(cluster: Cluster): Fault[] {
  const backends = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'shelf'";
  return [
    {
      name: 'database killed',
      inflict: async () => {
        await cluster.kill();
        await startAgain(cluster);
      },
    },
    {
      name: 'database restarted',
      inflict: async () => {
        await cluster.stop();
        await startAgain(cluster);
      },
    },
    { name: 'all backends terminated', inflict: async () => void (await cluster.run(backends)) },
    {
      name: 'some backends terminated',
      inflict: async () => void (await cluster.run(`${backends} and random() < 0.3`)),
    },
  ];
}

/** The shared memory or the port of the previous server may still be in use for a moment. */
export async function startAgain(cluster: Cluster): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await cluster.start();
      return;
    } catch (error) {
      if (tries === maxStarts) throw error;
      await Bun.sleep(100);
    }
  }
}

function networkFaults(to: string, forwarders: readonly Forwarder[]): Fault[] {
  if (forwarders.length === 0) return [];
  const any = (random: Random) => random.pick(forwarders);
  return [
    { name: `${to} connections cut`, inflict: async (random) => any(random).cutAll() },
    {
      name: `${to} black-holed`,
      inflict: async (random) => {
        const network = any(random);
        network.swallows = true;
        await Bun.sleep(random.between(50, 2.5 * timeoutMs));
        network.swallows = false;
        // A connection that has lost bytes cannot continue.
        network.cutAll();
      },
    },
    {
      name: `${to} connections held up`,
      inflict: async (random) => {
        const network = any(random);
        network.hold();
        await Bun.sleep(random.between(50, 2.5 * timeoutMs));
        network.release();
      },
    },
    {
      name: `${to} refuses connections`,
      inflict: async (random) => {
        const network = any(random);
        network.refuses = true;
        network.cutAll();
        await Bun.sleep(random.between(50, 1.5 * timeoutMs));
        network.refuses = false;
      },
    },
  ];
}
