/**
 * The instances on PostgreSQL, with reads from two standbys. Each commit waits until one of the two has applied it, so a standby
 * shows most commits before the primary does.
 */
import { Cluster } from '../../../test/postgres/cluster.ts';
import type { Random } from '../../../test/support/data/random.ts';
import type { Run } from '../../support/torture.ts';
import { instancesOn, startAgain } from './postgres.ts';
import type { Fault, ServerOptions, Setup } from './setup.ts';

/** Short, so that a standby soon follows a primary that was restarted. */
const settings = { wal_retrieve_retry_interval: '100ms', hot_standby_feedback: 'on' };
const names = ['one', 'two'];

export async function standbysSetup({ full }: Run, options?: ServerOptions): Promise<Setup> {
  const primary = await new Cluster().start();
  const standbys: Cluster[] = [];
  for (const name of names) standbys.push(await (await primary.standby(settings, name)).start());
  await primary.run("alter system set synchronous_commit = 'remote_apply'");
  await waitFor(primary, 'ANY 1');
  const setup = await instancesOn(primary, standbys, options);
  const faults = [...setup.standbyNetwork, ...standbyFaults(primary, standbys)];
  // The short run on PostgreSQL alone has the other faults.
  return { ...setup, readers: names.length, faults: full ? [...setup.faults, ...faults] : faults };
}

/** Sets which of the standbys each commit waits for. */
async function waitFor(primary: Cluster, which: 'ANY 1' | 'FIRST 2'): Promise<void> {
  const setting = `alter system set synchronous_standby_names = '${which} (${names.join()})'`;
  await primary.run(setting, 'select pg_reload_conf()');
}

function standbyFaults(primary: Cluster, standbys: readonly Cluster[]): Fault[] {
  const paused = async (some: readonly Cluster[], ms: number) => {
    for (const standby of some) await standby.run('select pg_wal_replay_pause()');
    await Bun.sleep(ms);
    for (const standby of some) await standby.run('select pg_wal_replay_resume()');
  };
  return [
    { name: 'replay paused', inflict: (random) => paused([random.pick(standbys)], random.between(20, 2000)) },
    {
      // Each commit waits for both: meanwhile the other standby shows what the primary does not.
      name: 'replay paused that commits wait for',
      inflict: async (random) => {
        await waitFor(primary, 'FIRST 2');
        await paused([random.pick(standbys)], random.between(500, 2000));
        await waitFor(primary, 'ANY 1');
      },
    },
    { name: 'replay of both paused', inflict: (random) => paused(standbys, random.between(20, 500)) },
    {
      name: 'standby killed',
      inflict: async (random) => {
        const standby = random.pick(standbys);
        await standby.kill();
        await startAgain(standby);
      },
    },
    { name: 'standby stopped and continued', inflict: (random) => suspended(random.pick(standbys), random) },
    {
      name: 'reads on a standby cancelled',
      inflict: async (random) =>
        void (await random
          .pick(standbys)
          .run("select pg_cancel_backend(pid) from pg_stat_activity where application_name = 'shelf'")),
    },
  ];
}

async function suspended(standby: Cluster, random: Random): Promise<void> {
  standby.pause();
  await Bun.sleep(random.between(50, 1500));
  standby.resume();
}
