/**
 * npm run bench -- --collections: a declared collection of ten fields, with a reference and a unique field, beside the same
 * collection in PocketBase, with the same indexes. Both sync every commit to the disk; PocketBase as it is shipped does
 * not, so its POST is measured that way as well, without a floor.
 */

import type { Script } from '../measure/load.ts';
import type { Work } from '../measure/work.ts';
import { type BookPeer, pageSize, pocketbasesWithBooks, shelfWithBooks } from '../servers/book-peers.ts';
import { book, bookCount, books, states } from '../servers/books.ts';
import type { Peer, Server } from '../servers/launch.ts';

const stored = `${bookCount.toLocaleString('en')} books of 10 fields stored`;

/** Text of JSON is text of Lua, as long as it is ASCII. */
const luaList = (texts: readonly string[]) => `{${texts.map((text) => JSON.stringify(text)).join(',\n')}}`;

const randomGet = (name: string, paths: readonly string[]): Script => ({
  name,
  path: paths[0] ?? '',
  lua: `math.randomseed(os.time())
local paths = ${luaList(paths)}
request = function() return wrk.format("GET", paths[math.random(#paths)]) end`,
});

/** Every book has an ISBN of its own: the second in which wrk starts is a part of it, because wrk starts twice on one file. */
function randomPost(peer: BookPeer): Script {
  const placeholder = 'isbn-of-the-book';
  const bodies = books.slice(0, 500).map((one) => JSON.stringify(peer.body({ ...one, isbn: placeholder })));
  const halves = bodies.map((body) => body.split(placeholder));
  return {
    name: 'post',
    path: peer.books,
    lua: `wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local before = ${luaList(halves.map(([text = '']) => text))}
local after = ${luaList(halves.map(([, text = '']) => text))}
local run, n = os.time() % 10000, 0
request = function()
  n = n + 1
  local at = n % #before + 1
  return wrk.format(nil, "${peer.books}", nil, before[at] .. string.format("979%04d%06d", run, n) .. after[at])
end`,
  };
}

/** Many different pages, each of them full: cheap only if the index finds where a page begins. */
const lowestPrices = Array.from({ length: 500 }, (_, n) => (5 + n * 0.17).toFixed(2));

export function collectionsBench(folder: string): { peers: readonly Peer[]; works: readonly Work[] } {
  const shipped = 'pocketbase normal';
  const peers = [
    shelfWithBooks(folder),
    ...pocketbasesWithBooks(folder, { pocketbase: 'FULL', [shipped]: 'NORMAL' }),
  ].map((peer) => ({ ...peer, start: checked(peer) }));

  const work = (name: string, title: string, floor: number, script: (peer: BookPeer) => Script): Work => ({
    name,
    title,
    script: ({ name: wanted }) => {
      const peer = peers.find((one) => one.name === wanted);
      // How commits are synced makes no difference to a read.
      return peer === undefined || (wanted === shipped && name !== 'post') ? undefined : script(peer);
    },
    floors: { pocketbase: floor },
  });
  const works = [
    work('post', `POST a book, ${stored} (both sync every commit; ${shipped} does not)`, 5, randomPost),
    work('get', `GET one book, ${stored}`, 3, ({ one }) =>
      randomGet(
        'get',
        books.map((_, n) => one(n + 1)),
      ),
    ),
    work('page', `GET ${pageSize} books of one state by price, ${stored}`, 3, ({ page }) =>
      randomGet(
        'page',
        states.map((state) => page(state)),
      ),
    ),
    work('range', `GET ${pageSize} books of one state from a price upwards by price, ${stored}`, 3, ({ page }) =>
      randomGet(
        'range',
        states.flatMap((state) => lowestPrices.map((price) => page(state, price))),
      ),
    ),
  ];
  return { peers, works };
}

/** The first start of a peer checks that it does the same work as the others; a run that compares other work is not valid. */
function checked(peer: BookPeer): Peer['start'] {
  let isChecked = false;
  return async (port) => {
    const server = await peer.start(port);
    if (!isChecked) await check(peer, server);
    isChecked = true;
    return server;
  };
}

async function check(peer: BookPeer, { base }: Server): Promise<void> {
  const same = (what: string, found: unknown, expected: unknown) => {
    if (JSON.stringify(found) !== JSON.stringify(expected))
      throw new Error(`${peer.name}: ${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
  };
  const one = (await (await fetch(base + peer.one(7))).json()) as { isbn: string };
  same('one book', one.isbn, book(7).isbn);
  for (const price of [undefined, lowestPrices[0], lowestPrices.at(-1)]) {
    const expected = books
      .filter((from) => from.state === 'published' && Number(from.price) >= Number(price ?? 0))
      .sort((a, b) => Number(a.price) - Number(b.price))
      .slice(0, pageSize);
    const page = await (await fetch(base + peer.page('published', price))).json();
    same(
      `the page from ${price ?? 'any price'}`,
      peer.records(page).map(({ isbn }) => isbn),
      expected.map(({ isbn }) => isbn),
    );
    same('the size of a page', expected.length, pageSize);
  }
  const isRefused = async (from: ReturnType<typeof book>) => {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify(peer.body(from));
    const { status } = await fetch(base + peer.books, { method: 'POST', headers, body });
    return status >= 400 && status < 500;
  };
  same('an ISBN that exists is refused', await isRefused(book(1)), true);
  same(
    'an author that does not exist is refused',
    await isRefused({ ...book(1), isbn: '9790000000000', author: 999 }),
    true,
  );
}
