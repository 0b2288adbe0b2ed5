/** Three machines with PostgreSQL, Patroni and etcd, and two with Shelf; every fault is measured as a round. */
import { SQL } from 'bun';
import { Forwarder } from '../../test/postgres/forwarder.ts';
import type { Random } from '../../test/support/data/random.ts';
import { command } from '../../test/support/servers/process.ts';
import type { Recorder } from '../history/clients/recorder.ts';
import { Server } from '../history/servers/server.ts';
import type { Fault, Setup } from '../history/servers/setup.ts';
import { Database } from './database.ts';
import { clusterFaults, type Instance } from './faults.ts';
import { Member, type Programs } from './member.ts';
import { Machine, openNetwork } from './network.ts';
import { CommitProbe, longestGap, type Round, watchFailover, writeTimes } from './round.ts';

const shelfPort = 8000;
const databaseName = 'shelf';
const timeoutMs = 3000;
/** Attempts and not time, as in database.ts. */
const maxAttempts = 1200;

export type Options = {
  readonly folder: string;
  readonly programs: Programs;
  readonly recorder: Recorder;
  readonly onRound: (round: Round) => void;
};

export async function clusterSetup({ folder, programs, recorder, onRound }: Options): Promise<Setup> {
  openNetwork();
  const machines = [1, 2, 3].map((number) => new Machine(`db${number}`, 10 + number));
  const database = new Database(machines.map((machine) => new Member(machine, machines, programs, folder)));
  await database.start();
  await database.createDatabase(databaseName);
  const hosts = machines.map(({ address }) => address).join(',');
  const args = [
    ...['--host', '0.0.0.0', '--port', String(shelfPort)],
    ...['--database', `postgres://${databaseName}@${hosts}/${databaseName}`],
    ...['--database-timeout', `${timeoutMs}ms`, '--database-wait', '180s'],
  ];
  const instances: Instance[] = [1, 2].map((number) => {
    const machine = new Machine(`shelf${number}`, 20 + number, true);
    return { machine, server: new Server(args, undefined, machine.command(...command)) };
  });
  await Promise.all(instances.map(({ server }) => server.start()));
  const doors = instances.map(({ machine }) => new Forwarder(shelfPort, machine.clientAddress));
  const probe = new CommitProbe(database.members);

  const measured = ({ name, inflict }: Fault): Fault => ({
    name,
    inflict: async (random: Random) => {
      const former = await database.leader();
      const from = performance.now();
      const failover = watchFailover(database, former);
      await inflict(random);
      await database.untilWell();
      await untilWritten(recorder);
      const to = performance.now();
      onRound({
        fault: name,
        withoutWrites: longestGap(writeTimes(recorder.operations), from, to),
        withoutCommits: probe.longestGap(from, to),
        failover: await failover(),
      });
    },
  });

  return {
    faults: clusterFaults(database, instances).map(measured),
    ports: () => doors.map(({ port }) => port),
    verify: async () => {
      const leader = await database.untilLed();
      const url = leader.databaseUrl.replace(/postgres$/, databaseName);
      const sql = new SQL({ url, max: 1 });
      const gaps = await sql`select value from settings where name = 'gaps'`.values();
      await sql.close();
      for (const { server } of instances) await server.end('SIGTERM');
      return gaps.length === 0 ? [] : ['epoch: a failover that must lose nothing began a new epoch'];
    },
    close: async () => {
      probe.stop();
      for (const door of doors) door.stop();
      await Promise.all([
        ...instances.map(({ server }) => server.end('SIGKILL')),
        ...database.members.flatMap((member) => [member.killDatabase(), member.killEtcd()]),
      ]);
    },
  };
}

/** Waits for a write that is acknowledged after now. */
async function untilWritten({ operations }: Recorder): Promise<void> {
  const before = operations.length;
  for (let attempts = 0; attempts < maxAttempts; attempts++) {
    if (writeTimes(operations.slice(before)).length > 0) return;
    await Bun.sleep(50);
  }
  throw new Error(`no write after the recovery, after ${maxAttempts} attempts`);
}
