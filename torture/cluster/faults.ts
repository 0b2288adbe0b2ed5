/** The faults of a cluster. Each ends when the cluster has recovered. */
import type { Random } from '../../test/support/data/random.ts';
import type { Server } from '../history/servers/server.ts';
import type { Fault } from '../history/servers/setup.ts';
import type { Database } from './database.ts';
import type { Machine } from './network.ts';

export type Instance = { readonly machine: Machine; readonly server: Server };

export function clusterFaults(database: Database, instances: readonly Instance[]): Fault[] {
  const { members } = database;
  /** Cuts the leader off, with or without a machine of Shelf, until another member leads and for a while after. */
  const cutLeaderOff = async (random: Random, instance?: Instance) => {
    const leader = await database.untilLed();
    const cut = [leader.machine, ...(instance === undefined ? [] : [instance.machine])];
    for (const machine of cut) machine.cutOff();
    await database.untilLed(leader);
    await Bun.sleep(random.between(500, 5000));
    for (const machine of cut) machine.rejoin();
  };
  return [
    {
      name: 'leader killed',
      inflict: async (random) => {
        const leader = await database.untilLed();
        await leader.killDatabase();
        await database.untilLed(leader);
        await Bun.sleep(random.between(0, 3000));
        leader.startPatroni();
      },
    },
    {
      name: 'leader paused past its lease',
      inflict: async (random) => {
        const leader = await database.untilLed();
        leader.pauseDatabase();
        await database.untilLed(leader);
        await Bun.sleep(random.between(500, 5000));
        leader.resumeDatabase();
      },
    },
    { name: 'switchover', inflict: () => database.switchOver() },
    {
      name: 'etcd member killed',
      inflict: async (random) => {
        const member = random.pick(members);
        await member.killEtcd();
        await Bun.sleep(random.between(2000, 8000));
        member.startEtcd();
      },
    },
    { name: 'leader cut off', inflict: (random) => cutLeaderOff(random) },
    { name: 'leader and an instance cut off', inflict: (random) => cutLeaderOff(random, random.pick(instances)) },
    {
      name: 'replica cut off',
      inflict: async (random) => {
        const leader = await database.untilLed();
        const { machine } = random.pick(members.filter((member) => member !== leader));
        machine.cutOff();
        await Bun.sleep(random.between(2000, 15_000));
        machine.rejoin();
      },
    },
    {
      name: 'everything restarted',
      inflict: async () => {
        await Promise.all([
          ...members.flatMap((member) => [member.killDatabase(), member.killEtcd()]),
          ...instances.map(({ server }) => server.end('SIGTERM')),
        ]);
        for (const member of members) member.startEtcd();
        for (const member of members) member.startPatroni();
        await Promise.all(instances.map(({ server }) => server.start()));
      },
    },
  ];
}
