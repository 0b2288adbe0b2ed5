/** Shelf, Fastify and FastAPI on the same table of one PostgreSQL, which shares its core with the load. */
import { join } from 'node:path';
import { toolPath } from '../scripts/system-tool.ts';
import { Cluster } from '../test/postgres/cluster.ts';
import {
  launch,
  type Peer,
  peerFolder,
  type Server,
  setUpNode,
  setUpPython,
  shelfCommand,
  thousand,
  venv,
} from './peers.ts';
import { type Work, works } from './work.ts';

const otherCore = '1';

const floors: Readonly<Record<string, Work['floors']>> = {
  get: { 'fastify + pg': 2 },
  post: { 'fastify + pg': 3 },
};

export async function openPostgresBench() {
  const cluster = await new Cluster().start();
  // Its child processes inherit the core.
  Bun.spawnSync([toolPath('taskset'), '-a', '-p', '-c', otherCore, String(cluster.pid)], { stdout: 'ignore' });
  const url = cluster.url();

  async function shelf(port: number, extra: readonly string[] = [], cores?: string): Promise<Server> {
    const server = await launch([...shelfCommand(url), ...extra], port, peerFolder, {}, undefined, cores);
    while (!(await fetch(`${server.base}/readyz`)).ok) await Bun.sleep(10);
    return server;
  }
  const first = await shelf(8299);
  for (const item of thousand) {
    await (await fetch(`${first.base}/api/items`, { method: 'POST', body: JSON.stringify(item) })).arrayBuffer();
  }
  await first.stop();

  const peers: Peer[] = [
    { name: 'shelf', keeps: 'disk', setUp: () => undefined, start: (port) => shelf(port) },
    {
      name: 'shelf 2 workers',
      keeps: 'disk',
      setUp: () => undefined,
      start: (port) => shelf(port, ['--workers', '2'], '0,1'),
    },
    {
      name: 'fastify + pg',
      keeps: 'disk',
      setUp: setUpNode,
      start: (port) => launch(['node', 'fastify-postgres.mjs'], port, peerFolder, { DATABASE_URL: url }),
    },
    {
      name: 'fastapi + asyncpg',
      keeps: 'disk',
      setUp: setUpPython,
      start: (port) =>
        launch(
          [
            join(venv, 'bin/uvicorn'),
            'postgres:app',
            '--port',
            String(port),
            '--log-level',
            'warning',
            '--no-access-log',
          ],
          port,
          join(peerFolder, 'fastapi'),
          { DATABASE_URL: url },
        ),
    },
  ];
  return {
    peers,
    works: works
      .filter(({ name }) => name in floors)
      .map((work) => ({ ...work, floors: floors[work.name] ?? {}, title: work.title.replace(/ \(.*/, '') })),
    close: () => cluster.remove(),
  };
}
