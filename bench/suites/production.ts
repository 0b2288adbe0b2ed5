/**
 * npm run bench -- --v2: reads of the production API beside Fastify with node:sqlite and PocketBase, on the same records with the same
 * indexes; and changes of random records beside additions.
 */
import { cpSync, mkdtempSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '../../test/support/servers/network/free-port.ts';
import { type Claim, median } from '../measure/claim.ts';
import { load, type Script } from '../measure/load.ts';
import type { Work } from '../measure/work.ts';
import type { Server } from '../servers/launch.ts';
import { shelfFiles, startShelf, type ThingPeer, thing, thingPeers } from '../servers/thing-peers.ts';

const sqlite = 'fastify node:sqlite';

/** Lua that asks for one of the paths that `path` returns for the numbers 1 to `count`; `mark` stands for the number in it. */
function randomGet(name: string, count: number, path: (mark: number) => string): Script {
  const mark = 7_777_777;
  const lua = `math.randomseed(os.time())
request = function() return wrk.format("GET", (string.gsub(${JSON.stringify(path(mark))}, "${mark}", string.format("%07d", math.random(${count})))))  end`;
  return { name, path: path(1), lua };
}

export function readWorks(folder: string, count: number) {
  const peers = thingPeers(folder, count).map((peer) => ({ ...peer, start: checked(peer, count) }));
  const stored = `${count.toLocaleString('en')} things stored`;
  const work = (name: string, title: string, floors: Work['floors'], script: (peer: ThingPeer) => Script): Work => ({
    name: `${name} of ${count}`,
    title: `${title}, ${stored}`,
    script: ({ name: wanted }) => {
      const peer = peers.find((one) => one.name === wanted);
      return peer === undefined ? undefined : script(peer);
    },
    floors,
  });
  const page = (limit: number, by?: 'price') => (peer: ThingPeer) => ({
    name: `page-${limit}`,
    path: peer.page(limit, by),
    lua: '',
  });
  const works = [
    work('get', 'GET one thing of v2', { [sqlite]: 1.5, pocketbase: 10 }, ({ one }) => randomGet('one', count, one)),
    work('page 1', 'GET a page of 1', { [sqlite]: 1.5 }, page(1)),
    work('external_id', 'GET the thing with an external_id', { [sqlite]: 1.5 }, ({ external }) =>
      randomGet('external', count, external),
    ),
    ...[30, 100].flatMap((limit) => [
      work(`page ${limit}`, `GET a page of ${limit}`, { [sqlite]: 2, pocketbase: 8 }, page(limit)),
      work(
        `page ${limit} by price`,
        `GET a page of ${limit} by price`,
        { [sqlite]: 2, pocketbase: 8 },
        page(limit, 'price'),
      ),
    ]),
  ];
  return { peers, works };
}

/** The first start of a peer checks its answers: a run that compares other work is not valid. */
function checked(peer: ThingPeer, count: number): ThingPeer['start'] {
  let isChecked = false;
  return async (port) => {
    const server = await peer.start(port);
    if (!isChecked) await check(peer, server, count);
    isChecked = true;
    return server;
  };
}

async function check(peer: ThingPeer, { base }: Server, count: number): Promise<void> {
  const json = async (path: string) => (await fetch(base + path)).json();
  const prices = Array.from({ length: count }, (_, n) => thing(n + 1).price);
  const same = (what: string, found: unknown, expected: unknown) => {
    if (JSON.stringify(found) !== JSON.stringify(expected))
      throw new Error(`${peer.name}: ${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
  };
  same('one thing', ((await json(peer.one(7))) as { price: number }).price, prices[6]);
  same('a page', peer.prices(await json(peer.page(30))), prices.slice(0, 30));
  same('the thing with an external_id', peer.prices(await json(peer.external(7))), [prices[6]]);
  const cheapest = prices.toSorted((a, b) => a - b).slice(0, 100);
  same('a page by price', peer.prices(await json(peer.page(100, 'price'))), cheapest);
}

const among = 100_000;
const least = 0.6;
/** A prime above `among`: multiples of a number below it visit each remainder once, in no order. */
const prime = 100_003;

const path = '/api/v2/things';
const posted = `string.format('{"name":"Thing number %d","price":%d.25}', n, n)`;
/** Each id once, before the first comes again. */
const randomId = `local n = 0
local function id()
  repeat n = n % ${prime} + 1 until n * 48271 % ${prime} <= ${among} and n * 48271 % ${prime} > 0
  return n * 48271 % ${prime}
end
`;
const changeScripts: Readonly<Record<string, Script>> = {
  POST: {
    name: 'v2-post',
    path,
    lua: `wrk.headers["Content-Type"] = "application/json"
local n = 0
request = function() n = n + 1; return wrk.format("POST", "${path}", nil, ${posted}) end`,
  },
  PATCH: {
    name: 'v2-patch',
    path,
    lua: `${randomId}wrk.headers["Content-Type"] = "application/merge-patch+json"
request = function() return wrk.format("PATCH", "${path}/" .. id(), nil, string.format('{"name":"Changed %d"}', n)) end`,
  },
  DELETE: {
    name: 'v2-delete',
    path,
    lua: `${randomId}request = function() return wrk.format("DELETE", "${path}/" .. id()) end`,
  },
};
/** A warm-up of DELETE adds records and deletes those, long after: the measured part deletes the others. */
const warmUpScripts: typeof changeScripts = {
  ...changeScripts,
  DELETE: {
    name: 'v2-delete-warm-up',
    path,
    lua: `local n, isDelete = 0, false
request = function()
  isDelete = not isDelete
  if isDelete and n > 1000 then return wrk.format("DELETE", "${path}/" .. (${among} + n - 1000)) end
  n = n + 1
  return wrk.format("POST", "${path}", { ["Content-Type"] = "application/json" }, ${posted})
end`,
  },
};

/** Each measurement begins with a new copy of the same file. */
export async function changeCosts(
  folder: string,
  rounds: number,
  [warmUpSeconds, seconds]: readonly [number, number],
  say: (text: string) => void,
): Promise<Claim[]> {
  const filled = shelfFiles(folder, among);
  const rates: Record<string, number[]> = { POST: [], PATCH: [], DELETE: [] };
  let errors = 0;
  for (let round = 1; round <= rounds; round++) {
    for (const [method, known] of Object.entries(rates)) {
      say(`${method} /api/v2/things, round ${round}/${rounds}`);
      const copy = mkdtempSync(join(folder, 'copy-'));
      cpSync(dirname(filled.database), copy, { recursive: true });
      const server = await startShelf({ ...filled, database: join(copy, 'shelf.db') }, freePort(), copy);
      const [warmUp, measured] = [warmUpScripts[method], changeScripts[method]];
      if (warmUp === undefined || measured === undefined) throw new Error(`there is no script for ${method}`);
      errors += (await load(server, warmUp, warmUpSeconds, folder)).errors;
      const sample = await load(server, measured, seconds, folder);
      errors += sample.errors;
      known.push(sample.perSecond);
      await server.stop();
    }
  }
  const [post = Number.NaN, ...others] = Object.values(rates).map(median);
  const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en')} a second`;
  return [
    ...['PATCH', 'DELETE'].map((method, index) => {
      const rate = others[index] ?? Number.NaN;
      return {
        title: `${method} of v2, random among ${among.toLocaleString('en')} (${perSecond(rate)}; POST ${perSecond(post)})`,
        value: `${(rate / post).toFixed(2)}x POST`,
        must: `>= ${least}x`,
        holds: rate / post >= least,
      };
    }),
    { title: 'answers that are errors', value: String(errors), must: '0', holds: errors === 0 },
  ];
}
