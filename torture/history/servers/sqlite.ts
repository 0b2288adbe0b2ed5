/** One server on a SQLite file, on a disk that fills up and whose syncs fail or are slow. */
import { join } from 'node:path';
import type { Random } from '../../../test/support/data/random.ts';
import { type Run, sqliteArgs } from '../../support/torture.ts';
import { integrity } from '../../support/writers.ts';
import { ClientNetwork } from '../clients/client-network.ts';
import { Disk } from './disk.ts';
import { Server } from './server.ts';
import type { Fault, ServerOptions, Setup } from './setup.ts';
import { canInject, inject } from './syncs.ts';

export async function sqliteSetup(
  run: Pick<Run, 'folder' | 'threads' | 'say'>,
  { args = [], program }: ServerOptions = {},
): Promise<Setup> {
  const { folder, threads, say } = run;
  const disk = new Disk(folder);
  const path = join(disk.folder, 'history.db');
  const network = new ClientNetwork();
  const server = await new Server([...sqliteArgs(path, run), ...args], (port) => network.leadTo(port), program).start();
  if (disk.fixed !== undefined) say(`SKIPPED full disk: ${disk.fixed}`);
  if (!canInject()) say('SKIPPED failing and slow syncs: strace is not installed');
  return {
    faults: [
      ...processFaults(server),
      ...network.faults,
      ...(canInject() ? syncFaults(server) : []),
      ...(disk.fixed === undefined ? diskFaults(server, disk) : []),
    ],
    ports: () => [server.port, network.port].filter((port) => port !== 0),
    isThreaded: threads > 1,
    verify: async () => {
      await server.end('SIGTERM');
      const verdict = integrity(path);
      return verdict === 'ok' ? [] : [`integrity: the check reports ${verdict}`];
    },
    close: async () => {
      network.close();
      await server.end('SIGKILL');
      disk.close();
    },
  };
}

function processFaults(server: Server): Fault[] {
  return [
    { name: 'kill', inflict: () => server.restart('SIGKILL') },
    { name: 'restart', inflict: () => server.restart('SIGTERM') },
    { name: 'stop and continue', inflict: (random) => server.pause(random.between(50, 800)) },
  ];
}

function syncFaults(server: Server): Fault[] {
  async function during(random: Random, what: Parameters<typeof inject>[1], last: () => Promise<void>): Promise<void> {
    const end = await inject(server.pid, what);
    await Bun.sleep(random.between(50, 600));
    await last();
    await end();
    await server.start();
  }
  const nothing = async () => {};
  return [
    { name: 'failing syncs', inflict: (random) => during(random, 'error=EIO', nothing) },
    { name: 'failing syncs and kill', inflict: (random) => during(random, 'error=EIO', () => server.end('SIGKILL')) },
    { name: 'failing syncs and stop', inflict: (random) => during(random, 'error=EIO', () => server.end('SIGTERM')) },
    {
      name: 'slow syncs',
      inflict: (random) => during(random, `delay_enter=${Math.round(random.between(5_000, 80_000))}`, nothing),
    },
  ];
}

function diskFaults(server: Server, disk: Disk): Fault[] {
  async function whileFull(random: Random, last: () => Promise<void>): Promise<void> {
    disk.fill(random.below(20));
    await Bun.sleep(random.between(50, 500));
    await last();
    disk.empty();
    await server.start();
  }
  return [
    { name: 'full disk', inflict: (random) => whileFull(random, async () => {}) },
    { name: 'full disk and kill', inflict: (random) => whileFull(random, () => server.end('SIGKILL')) },
  ];
}
