/** Reads through every API: the contract, v2 with its pages, searches and exports, and the feed. */
import { type ChangeBody, digestOf, type RecordBody } from '../check/change.ts';
import type { Client } from './client.ts';
import type { ReceivedReply } from './connection.ts';
import type { CollectionName } from './operation.ts';

export type Page = {
  readonly data: readonly RecordBody[];
  readonly next_cursor: string | null;
  readonly total?: number;
};

/** Longer exports are read in several parts, which may show different moments. */
const exportPart = 500;
const allInOnePage = 1000;

export function contractPath(client: Client, collection: CollectionName): string {
  return client.random.chance(0.2) ? `/api/v1/${collection}` : `/api/${collection}`;
}

const json = <Body>(reply: ReceivedReply): Body => JSON.parse(reply.body) as Body;
export const recordText = (reply: ReceivedReply): string[] => [JSON.stringify(json<RecordBody>(reply))];

/** Sends an ETag if one is known; a 304 counts as the answer that the ETag came with. */
async function conditionally(
  client: Client,
  path: string,
  request: Parameters<Client['record']>[1],
  read: (reply: ReceivedReply) => string[],
): Promise<string[]> {
  const held = client.random.chance(0.5) ? client.held.get(path) : undefined;
  const headers = held === undefined ? {} : { 'If-None-Match': held.tag };
  const outcome = await client.ask({ method: 'GET', path, headers }, request, (reply) => {
    if (reply.status === 304 && held !== undefined) return held.shown;
    const shown = read(reply);
    const tag = reply.headers.get('etag');
    if (tag !== undefined) {
      if (client.held.size > 100) client.held.clear();
      client.held.set(path, { tag, shown });
    }
    return shown;
  });
  return outcome.kind === 'ok' ? [...outcome.shown] : [];
}

export async function first(client: Client, collection: CollectionName): Promise<void> {
  await firstWith(client, collection, client.shop.external(collection, client.random));
}

export async function firstWith(client: Client, collection: CollectionName, external: number): Promise<void> {
  const path = `${contractPath(client, collection)}/${external}`;
  await conditionally(client, path, { kind: 'first', collection, external }, recordText);
}

export async function list(client: Client, collection: CollectionName): Promise<void> {
  const path = contractPath(client, collection);
  const shown = await conditionally(client, path, { kind: 'list', collection }, (reply) =>
    json<unknown[]>(reply).map((record) => JSON.stringify(record)),
  );
  if (shown.length === 0) return;
  client.shop.size[collection] = shown.length;
  const { id } = JSON.parse(client.random.pick(shown)) as { readonly id: number };
  client.shop.learnExternal(collection, id);
}

export async function record(client: Client, collection: CollectionName): Promise<void> {
  const { id, version } = client.shop.record(collection, client.random);
  await recordById(client, collection, id, client.random.chance(0.3) ? version : undefined);
}

export async function recordById(
  client: Client,
  collection: CollectionName,
  id: number,
  holds?: number,
): Promise<void> {
  const headers = holds === undefined ? {} : { 'If-None-Match': `"${holds}"` };
  const exchange = await client.exchange({ method: 'GET', path: `/api/v2/${collection}/${id}`, headers });
  if (exchange.reply?.status === 304) {
    client.record(exchange, { kind: 'version', collection, id }, () => [String(holds)]);
    return;
  }
  client.record(exchange, { kind: 'record', collection, id }, (reply) => {
    const found = json<RecordBody>(reply);
    if (reply.headers.get('etag') !== `"${found.version}"`) throw new Error('the ETag is not the version');
    client.shop.learn(collection, found);
    return recordText(reply);
  });
}

/** Reads one record through one API after the other, without a pause: each must show what the previous one has shown. */
export async function everyDoor(client: Client, collection: CollectionName): Promise<void> {
  const { id, external_id } = client.shop.record(collection, client.random);
  const requests = [
    () => recordById(client, collection, id),
    () => firstWith(client, collection, external_id),
    () => list(client, collection),
    () => pull(client, Math.max(0, client.shop.lastSeen - 1), 20),
  ];
  for (const send of client.random.shuffled(requests)) await send();
}

export async function head(client: Client, collection: CollectionName): Promise<void> {
  const { id } = client.shop.record(collection, client.random);
  const sending = { method: 'HEAD', path: `/api/v2/${collection}/${id}` };
  await client.ask(sending, { kind: 'version', collection, id }, (reply) => [
    /^"(\d+)"$/.exec(reply.headers.get('etag') ?? '')?.[1] ?? 'no version',
  ]);
}

/** Reads some pages in a row. Each is its own operation, and begins after the last id of the previous one. */
export async function pages(client: Client, collection: CollectionName): Promise<void> {
  const { random } = client;
  const limit = random.chance(0.3) ? allInOnePage : 1 + random.below(12);
  const descending = random.chance(0.3);
  const query = `limit=${limit}${descending ? '&sort=-id' : ''}${random.chance(0.3) ? '&count=exact' : ''}`;
  let after: number | undefined;
  let cursor = '';
  for (let walked = 0; walked < 4; walked++) {
    const exchange = await client.exchange({ method: 'GET', path: `/api/v2/${collection}?${query}${cursor}` });
    let page: Page | undefined;
    const request = {
      kind: 'page',
      collection,
      limit,
      ...(after === undefined ? {} : { after }),
      ...(descending ? { descending } : {}),
    } as const;
    const outcome = client.record(exchange, request, (reply) => {
      page = json<Page>(reply);
      return pageTexts(page);
    });
    if (outcome.kind !== 'ok' || page === undefined) return;
    // The total in the same answer is a second operation, at the same time.
    const { total } = page;
    if (total !== undefined) client.record(exchange, { kind: 'total', collection }, () => [String(total)]);
    for (const one of page.data.slice(-3)) client.shop.learn(collection, one);
    after = page.data.at(-1)?.id;
    if (page.next_cursor === null || after === undefined) return;
    cursor = `&cursor=${page.next_cursor}`;
  }
}

export const pageTexts = ({ data, next_cursor }: Page) => [
  ...data.map((one) => JSON.stringify(one)),
  next_cursor === null ? 'end' : 'more',
];

export async function search(client: Client, collection: CollectionName): Promise<void> {
  const external = client.shop.external(collection, client.random);
  const sending = { method: 'GET', path: `/api/v2/${collection}?external_id=${external}` };
  await client.ask(sending, { kind: 'page', collection, external, limit: 100 }, (reply) =>
    pageTexts(json<Page>(reply)),
  );
}

export async function exported(client: Client, collection: CollectionName): Promise<void> {
  const csv = client.random.chance(0.5);
  const headers = { Accept: csv ? 'text/csv' : 'application/x-ndjson' };
  const exchange = await client.exchange({ method: 'GET', path: `/api/v2/${collection}`, headers });
  const lines = exchange.reply?.body.trimEnd().split(csv ? '\r\n' : '\n') ?? [];
  if (exchange.reply?.status === 200 && lines.length > exportPart) return;
  client.record(exchange, { kind: 'page', collection, limit: allInOnePage }, () => {
    if (!csv) return [...lines.filter((line) => line !== '').map((line) => JSON.stringify(JSON.parse(line))), 'end'];
    const [names = '', ...rows] = lines;
    return [...rows.map((row) => fromCsv(names.split(','), row.split(','))), 'end'];
  });
}

/** No quotes are parsed: the fields of a run need none in CSV. */
function fromCsv(names: readonly string[], values: readonly string[]): string {
  const texts = ['name', 'created_at', 'updated_at'];
  const entries = names.map((name, index) => [name, texts.includes(name) ? values[index] : Number(values[index])]);
  return JSON.stringify(Object.fromEntries(entries));
}

type Feed = { readonly data: readonly ChangeBody[]; readonly last: number };

/** A part of the feed, from a random position. */
export async function feed(client: Client, collection: CollectionName): Promise<void> {
  const { random, shop } = client;
  const after = random.chance(0.9) ? Math.max(0, shop.lastSeen - random.below(30)) : random.below(shop.lastSeen + 1);
  await pull(client, after, 1 + random.below(50), random.chance(0.3) ? collection : undefined);
}

/** Returns the changes; undefined if the request failed. */
export async function pull(
  client: Client,
  after: number,
  limit: number,
  of?: CollectionName,
): Promise<Feed | undefined> {
  const path = `/api/v2/changes?after=${after}&limit=${limit}${of === undefined ? '' : `&collection=${of}`}`;
  let found: Feed | undefined;
  const request = { kind: 'feed', after, limit, ...(of === undefined ? {} : { collection: of }) } as const;
  const outcome = await client.ask({ method: 'GET', path }, request, (reply) => {
    found = json<Feed>(reply);
    return [...found.data.map(digestOf), `last ${found.last}`];
  });
  if (outcome.kind !== 'ok' || found === undefined) return undefined;
  client.shop.lastSeen = Math.max(client.shop.lastSeen, found.last);
  return found;
}
