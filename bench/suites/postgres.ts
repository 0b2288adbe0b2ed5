/** Shelf, Fastify and FastAPI on the same table of one PostgreSQL, which shares its core with the load. */
import { join } from 'node:path';
import { toolPath } from '../../scripts/tools/system-tool.ts';
import { Cluster } from '../../test/postgres/cluster.ts';
import { freePort } from '../../test/support/servers/network/free-port.ts';
import { type Work, works } from '../measure/work.ts';
import { launch, type Peer, peerFolder, type Server, venv } from '../servers/launch.ts';
import { setUpNode, setUpPython } from '../servers/peers.ts';
import { shelfCommand, storeThousand } from '../servers/shelf.ts';
import { allCores } from './cores.ts';

const otherCore = '1';

const floors: Readonly<Record<string, Work['floors']>> = {
  get: { 'fastify + pg': 2 },
  post: { 'fastify + pg': 3 },
};

/** A PostgreSQL with a thousand items. */
async function openDatabase() {
  const cluster = await new Cluster().start();
  const url = cluster.url();

  async function shelf(port: number, extra: readonly string[] = [], cores?: string): Promise<Server> {
    const server = await launch([...shelfCommand(url), ...extra], port, peerFolder, {}, undefined, cores);
    while (!(await fetch(`${server.base}/readyz`)).ok) await Bun.sleep(10);
    return server;
  }
  const first = await shelf(freePort());
  await storeThousand(first);
  await first.stop();
  return { cluster, url, shelf };
}

/** npm run bench -- --v2 --database postgres: pages. Both servers, the database and the load share all cores. */
export async function openPostgresPages() {
  const { cluster, url, shelf } = await openDatabase();
  const all = allCores;
  const shared = async (server: Promise<Server>) => ({ ...(await server), load: { cores: all, connections: 64 } });
  const peers: Peer[] = [
    { name: 'shelf', keeps: 'disk', setUp: () => undefined, start: (port) => shared(shelf(port, [], all)) },
    {
      name: 'fastify + pg',
      keeps: 'disk',
      setUp: setUpNode,
      start: (port) =>
        shared(launch(['node', 'fastify-postgres.mjs'], port, peerFolder, { DATABASE_URL: url }, undefined, all)),
    },
  ];
  const pageFloors = [
    [1, 1.5],
    [30, 1.3],
    [100, 1.2],
  ] as const;
  const works = pageFloors.map(
    ([limit, floor]): Work => ({
      name: `page ${limit}`,
      title: `GET a page of ${limit}, 1,000 items in PostgreSQL, all cores shared`,
      script: () => ({ name: `page-${limit}`, path: `/api/v2/items?limit=${limit}`, lua: '' }),
      floors: { 'fastify + pg': floor },
    }),
  );
  return { peers, works, close: () => cluster.remove() };
}

export async function openPostgresBench() {
  const { cluster, url, shelf } = await openDatabase();
  // Its child processes inherit the core.
  Bun.spawnSync([toolPath('taskset'), '-a', '-p', '-c', otherCore, String(cluster.pid)], { stdout: 'ignore' });

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
