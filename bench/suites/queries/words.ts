/**
 * A part of npm run bench -- --queries: a page of 30 by a rare word, beside PocketBase, whose filter `~` looks at every text. Both find the same notes.
 */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../test/support/servers/network/free-port.ts';
import type { Claim } from '../../measure/claim.ts';
import { measure } from '../../measure/interleaved.ts';
import { loadCore } from '../../measure/load.ts';
import { summarize } from '../../measure/report.ts';
import type { Work } from '../../measure/work.ts';
import { launch, newFolder, type Peer, root, type Server } from '../../servers/launch.ts';
import { newPocketbase, pocketbasePeer, startPocketbase } from '../../servers/pocketbase.ts';
import { shelfCommand } from '../../servers/shelf.ts';
import type { QueriesPlan } from '../queries.ts';

const pageSize = 30;
/** The lowest accepted ratio of throughput. */
const leastOfFilter = 5;
/** One note in so many has a rare word. */
const rarity = 20_000;
/** Few, and for long: a filter that takes seconds must be answered within a load, also after those of the warm-up that nobody waits for any more. */
const connections = 4;
const leastSeconds = 20;
/** Many different words, so that no answer is remembered. */
const rareWords = 100;

type NotePeer = Peer & {
  page(word: string): string;
  titles(page: unknown): readonly string[];
};

/** The note with the number `n`, from 1. */
function note(n: number) {
  const rare = n % (rarity / rareWords) === 0 ? ` rare${(n / (rarity / rareWords)) % rareWords}` : '';
  return { title: `Note number ${n}`, text: `About chapter ${n % 997} of the long way home${rare}, and what follows` };
}

const rareWord = (at: number) => `rare${at % rareWords}`;
const shelfFile = {
  collections: {
    notes: { singular: 'note', fields: { title: 'text', text: { type: 'text', search: true } } },
  },
};
const pocketbaseNotes = {
  name: 'notes',
  type: 'base',
  ...{ listRule: '', viewRule: '', createRule: '', updateRule: '', deleteRule: '' },
  fields: [
    { name: 'title', type: 'text' },
    { name: 'text', type: 'text' },
  ],
};

/** Several notes at a time. */
function* notes(count: number, atOnce: number): Generator<readonly ReturnType<typeof note>[]> {
  for (let from = 1; from <= count; from += atOnce)
    yield Array.from({ length: Math.min(atOnce, count - from + 1) }, (_, at) => note(from + at));
}

async function send(server: Server, path: string, body: string, type = 'application/json'): Promise<void> {
  const response = await fetch(server.base + path, { method: 'POST', headers: { 'Content-Type': type }, body });
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
}

/** Every start gets a copy of a folder that is filled once. */
function copies(within: string, name: string, fill: (folder: string) => Promise<void>): () => Promise<string> {
  const filled = join(within, name);
  let filling: Promise<void> | undefined;
  return async () => {
    if (filling === undefined) mkdirSync(filled);
    filling ??= fill(filled);
    await filling;
    const folder = newFolder();
    cpSync(filled, folder, { recursive: true });
    return folder;
  };
}

function shelf(within: string, count: number): NotePeer {
  const config = join(within, 'notes.json');
  const open = (folder: string, port: number, removed?: string) =>
    launch([...shelfCommand(`sqlite:${folder}/shelf.db`), '--config', config], port, root, {}, removed);
  const copy = copies(within, 'shelf-notes', async (folder) => {
    writeFileSync(config, JSON.stringify(shelfFile));
    const server = await open(folder, freePort());
    for (const some of notes(count, 50_000)) {
      const lines = some.map((one) => JSON.stringify(one)).join('\n');
      await send(server, '/api/v2/notes/bulk', lines, 'application/x-ndjson');
    }
    await server.stop();
  });
  return {
    name: 'shelf',
    keeps: 'disk',
    setUp: () => undefined,
    start: async (port) => {
      const folder = await copy();
      return open(folder, port, folder);
    },
    page: (word) => `/api/v2/notes?${new URLSearchParams({ 'text[words]': word, limit: String(pageSize) })}`,
    titles: (page) => (page as { data: { title: string }[] }).data.map(({ title }) => title),
  };
}

function pocketbase(within: string, count: number): NotePeer {
  const path = '/api/collections/notes/records';
  const copy = copies(within, 'pocketbase-notes', async (folder) => {
    const { server, admin } = await newPocketbase(folder, freePort());
    const batch = { enabled: true, maxRequests: 500, timeout: 60 };
    await admin('PATCH', '/api/settings', { logs: { maxDays: 0 }, batch });
    await admin('POST', '/api/collections', pocketbaseNotes);
    for (const some of notes(count, batch.maxRequests)) {
      const requests = some.map((body) => ({ method: 'POST', url: path, body }));
      await send(server, '/api/batch', JSON.stringify({ requests }));
    }
    await server.stop();
  });
  return {
    name: 'pocketbase',
    keeps: 'disk',
    setUp: pocketbasePeer.setUp,
    start: async (port) => {
      const folder = await copy();
      return startPocketbase(folder, port, { removed: folder });
    },
    // Shelf counts all matches only if it is asked to, so PocketBase is asked not to. By id, as Shelf: the order of insertion is none of its indexes.
    page: (word) =>
      `${path}?${new URLSearchParams({ filter: `text~'${word},'`, sort: '@rowid', perPage: String(pageSize), skipTotal: '1' })}`,
    titles: (page) => (page as { items: { title: string }[] }).items.map(({ title }) => title),
  };
}

export const wordsPeers = [
  { name: 'shelf', made: shelf },
  { name: 'pocketbase', made: pocketbase },
] as const;

export type WordsPlan = QueriesPlan & { readonly chosen: readonly (typeof wordsPeers)[number][] };

/** The claim, if both peers were measured; and the peers that were not, with the reason. */
export async function wordsBench({ folder, records, rounds, seconds, chosen, say }: WordsPlan): Promise<{
  readonly claims: readonly Claim[];
  readonly notMeasured: Readonly<Record<string, string>>;
}> {
  const peers = chosen.map(({ made }) => {
    const peer = made(folder, records);
    return { ...peer, start: checked(peer, records) };
  });
  const words = Array.from({ length: rareWords }, (_, at) => rareWord(at));
  const work: Work = {
    name: 'words',
    title: `a page of ${pageSize} by a rare word among ${records.toLocaleString('en')} notes`,
    script: ({ name }) => {
      const peer = peers.find((one) => one.name === name);
      if (peer === undefined) return undefined;
      const paths = words.map((word) => JSON.stringify(peer.page(word)));
      const lua = `math.randomseed(os.time())
local paths = {${paths.join(',\n')}}
request = function() return wrk.format("GET", paths[math.random(#paths)]) end`;
      return { name: 'words', path: peer.page(rareWord(1)), lua };
    },
    floors: {},
  };
  const { results, notMeasured } = await measure({
    peers,
    works: [work],
    rounds,
    warmUp: seconds,
    seconds: records < 1_000_000 ? seconds : Math.max(seconds, leastSeconds),
    folder,
    say,
  });
  const rows = summarize(results);
  const [ours, theirs] = wordsPeers.map(({ name }) => rows.find(({ peer }) => peer === name));
  if (ours === undefined || theirs === undefined) return { claims: [], notMeasured };
  const ratio = ours.perSecond / theirs.perSecond;
  const errors = ours.errors + theirs.errors;
  const value = `${ratio.toFixed(1)}x PocketBase's filter ~ (${ours.perSecond} and ${theirs.perSecond} a second, ${errors} errors)`;
  const claim = {
    title: work.title,
    value,
    must: `>= ${leastOfFilter}x`,
    holds: theirs.perSecond > 0 && ratio >= leastOfFilter && errors === 0,
  };
  return { claims: [claim], notMeasured };
}

/** The first start of a peer checks its answer: a run that compares other work is not valid. */
function checked(peer: NotePeer, count: number): Peer['start'] {
  let isChecked = false;
  return async (port) => {
    const server = await peer.start(port);
    if (!isChecked) {
      const found = peer.titles(await (await fetch(server.base + peer.page(rareWord(1)))).json());
      const expected = Array.from({ length: count }, (_, n) => note(n + 1)).filter(({ text }) =>
        text.includes(` ${rareWord(1)},`),
      );
      if (
        found.join() !==
        expected
          .slice(0, pageSize)
          .map(({ title }) => title)
          .join()
      )
        throw new Error(`${peer.name}: a page by a rare word has ${found.join(', ')}`);
    }
    isChecked = true;
    return { ...server, load: { cores: loadCore, connections } };
  };
}
