/** The work that every peer does, and the floors that Shelf must reach in the same run. */

import type { Peer } from '../servers/launch.ts';
import type { Script } from './load.ts';

export type Work = {
  readonly name: string;
  readonly title: string;
  /** Undefined if the peer cannot do this work. */
  script(peer: Peer): Script | undefined;
  /** The lowest accepted ratio of Shelf's throughput to a peer's. */
  readonly floors: Readonly<Record<string, number>>;
};

const random = 'math.randomseed(os.time())\n';
const jsonPost = `wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\n`;
const item = (field: string) => `string.format('{"${field}":%d,"name":"Item number %d","price":%d.5}', n, n, n)`;

/** The ids count up from the last stored record, as those of clients that choose their own ids do. */
const postLua = (path: string, field = 'id') => `${jsonPost}local n = 1000
request = function() n = n + 1; return wrk.format(nil, "${path}", nil, ${item(field)}) end`;

const oneLua = (path: string) =>
  `${random}request = function() return wrk.format("GET", "${path}/" .. math.random(1000)) end`;

/** Adds users and reads items, so that the list keeps its thousand items. */
const mixedLua = `${random}${jsonPost}local n = 1000
request = function()
  local dice = math.random(100)
  if dice == 1 then return wrk.format("GET", "/api/items") end
  if dice <= 10 then
    n = n + 1
    return wrk.format("POST", "/api/users", nil, string.format('{"id":%d,"name":"User number %d"}', n, n))
  end
  return wrk.format("GET", "/api/items/" .. math.random(1000))
end`;

const plainItems = (peer: Peer) => peer.paths === undefined;

export const works: readonly Work[] = [
  {
    name: 'get',
    title: 'GET one item, 1,000 items stored',
    script: ({ paths }) => {
      if (paths !== undefined && paths.one === undefined) return undefined;
      const path = paths?.one ?? '/api/items';
      return { name: 'get', path: `${path}/1`, lua: oneLua(path) };
    },
    floors: { fastify: 2.2, fastapi: 3.5, 'go net/http': 0.9, nginx: 0.42 },
  },
  {
    name: 'post',
    title: 'POST an item (shelf and pocketbase on disk, the others in memory)',
    script: (peer) => {
      if (peer.keeps === 'files') return undefined;
      const path = peer.paths?.list ?? '/api/items';
      return { name: 'post', path, lua: postLua(path, plainItems(peer) ? 'id' : 'number') };
    },
    floors: { fastify: 1.9, fastapi: 3, pocketbase: 3, 'shelf memory:': 0.8 },
  },
  {
    name: 'list',
    title: 'GET the list of 1,000 items',
    script: ({ name, paths }) =>
      name === 'pocketbase' ? undefined : { name: 'list', path: paths?.list ?? '/api/items', lua: '' },
    floors: { nginx: 0.7, fastify: 8 },
  },
  {
    name: 'mixed',
    title: 'Mixed: 90% GET one, 9% POST, 1% list',
    script: (peer) => (plainItems(peer) ? { name: 'mixed', path: '/api/items', lua: mixedLua } : undefined),
    floors: { fastify: 2 },
  },
];

/** Compared between versions of Shelf only. */
export const patchWork: Work = {
  name: 'patch',
  title: 'PATCH one item, 1,000 items stored',
  script: () => ({
    name: 'patch',
    path: '/api/v2/items/1',
    lua: `${random}wrk.headers["Content-Type"] = "application/merge-patch+json"
request = function()
  local n = math.random(1000)
  return wrk.format("PATCH", "/api/v2/items/" .. n, nil, string.format('{"name":"Changed %d"}', n * 7 % 1000))
end`,
  }),
  floors: {},
};

export const recordCountScripts = (stored: number): readonly [Script, Script] => [
  {
    name: 'get',
    path: '/api/items/1',
    lua: `${random}request = function() return wrk.format("GET", "/api/items/" .. math.random(${stored})) end`,
  },
  { name: 'post', path: '/api/items', lua: postLua('/api/items').replace('local n = 1000', `local n = ${stored}`) },
];

/** 1% of the ids get 90% of the reads. They are not beside each other in the file. */
export const skewedScript = (stored: number): Script => ({
  name: 'skewed',
  path: '/api/items/1',
  lua: `${random}request = function()
  if math.random(10) == 1 then return wrk.format("GET", "/api/items/" .. math.random(${stored})) end
  return wrk.format("GET", "/api/items/" .. math.random(${stored / 100}) * 100)
end`,
});
