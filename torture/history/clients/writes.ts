/** Writes through every API: the contract, v2 with conditions and keys, and bulks. */
import type { RecordBody } from '../check/change.ts';
import type { Client } from './client.ts';
import type { ReceivedReply } from './connection.ts';
import type { CollectionName, Draft } from './operation.ts';
import { contractPath, recordText } from './reads.ts';
import type { Exchange } from './recorder.ts';

const maxAttempts = 20;
const maxInBulk = 6;

function draft(client: Client, collection: CollectionName): Draft {
  const { random, shop } = client;
  return {
    name: shop.name(),
    ...(collection === 'items' ? { price: random.below(100_000) / 100 } : {}),
    ...(random.chance(0.5) ? { external: shop.newExternal(random) } : {}),
  };
}

const bodyOf = ({ external, ...fields }: Draft) =>
  JSON.stringify(external === undefined ? fields : { external_id: external, ...fields });

function learned(client: Client, collection: CollectionName): (reply: ReceivedReply) => string[] {
  return (reply) => {
    const made = JSON.parse(reply.body) as RecordBody;
    if (reply.headers.get('etag') !== `"${made.version}"`) throw new Error('the ETag is not the version');
    client.shop.learn(collection, made);
    return recordText(reply);
  };
}

/** The contract's POST. */
export async function createPlain(client: Client, collection: CollectionName): Promise<void> {
  const external = client.shop.newExternal(client.random);
  const made = { ...draft(client, collection), external };
  const { name, price } = made;
  const body = JSON.stringify({ id: external, name, price });
  const sending = { method: 'POST', path: contractPath(client, collection), body };
  const outcome = await client.ask(sending, { kind: 'create', collection, drafts: [made] }, recordText);
  if (outcome.kind === 'ok') client.shop.learnExternal(collection, external);
}

export async function create(client: Client, collection: CollectionName): Promise<void> {
  const made = draft(client, collection);
  const sending = { method: 'POST', path: `/api/v2/${collection}`, body: bodyOf(made) };
  await client.ask(sending, { kind: 'create', collection, drafts: [made] }, learned(client, collection));
}

/** Retries until it succeeds; sometimes also sends it once more, twice at the same time, or with another body. */
export async function createKeyed(client: Client, collection: CollectionName): Promise<void> {
  const { random, shop } = client;
  const drafts = random.chance(0.2) ? bulkOf(client, collection) : [draft(client, collection)];
  const headers = { 'Idempotency-Key': `key-${shop.name()}` };
  const send = (all: readonly Draft[]) => client.exchange(creation(collection, all, headers));
  const record = (exchange: Exchange, all: readonly Draft[]) =>
    client.record(exchange, { kind: 'create', collection, drafts: all }, shownOf(client, collection, all));

  if (random.chance(0.15)) {
    const [port = 0, other = port] = random.shuffled(shop.ports());
    const both = await Promise.all([
      client.exchange(creation(collection, drafts, headers), port),
      client.exchange(creation(collection, drafts, headers), other),
    ]);
    for (const exchange of both) record(exchange, drafts);
  }
  for (let attempt = 1; ; attempt++) {
    const outcome = record(await send(drafts), drafts);
    if (outcome.kind === 'ok') break;
    if (shop.stopped || attempt === maxAttempts) return;
    await Bun.sleep(random.between(0, 100));
  }
  if (random.chance(0.3)) record(await send(drafts), drafts);
  if (random.chance(0.1)) {
    const another = [draft(client, collection)];
    record(await send(another), another);
  }
}

export async function createBulk(client: Client, collection: CollectionName): Promise<void> {
  const drafts = bulkOf(client, collection);
  const shown = shownOf(client, collection, drafts);
  await client.ask(creation(collection, drafts, {}), { kind: 'create', collection, drafts }, shown);
}

function bulkOf(client: Client, collection: CollectionName): Draft[] {
  return Array.from({ length: 2 + client.random.below(maxInBulk - 1) }, () => draft(client, collection));
}

/** One record as JSON, several as lines. */
function creation(collection: CollectionName, drafts: readonly Draft[], headers: Readonly<Record<string, string>>) {
  const type = drafts.length === 1 ? 'application/json' : 'application/x-ndjson';
  return {
    method: 'POST',
    path: `/api/v2/${collection}`,
    headers: { ...headers, 'Content-Type': type },
    body: drafts.map(bodyOf).join('\n'),
  };
}

function shownOf(
  client: Client,
  collection: CollectionName,
  drafts: readonly Draft[],
): (reply: ReceivedReply) => string[] {
  if (drafts.length === 1) return learned(client, collection);
  return (reply) => {
    const { created, first_id, last_id } = JSON.parse(reply.body) as Readonly<Record<string, number>>;
    return [`${created} from ${first_id} to ${last_id}`];
  };
}

/** PUT or PATCH, with If-Match or without. */
export async function update(client: Client, collection: CollectionName): Promise<void> {
  const { random, shop } = client;
  const { id, version } = shop.record(collection, random);
  const method = random.pick(['PUT', 'PATCH']);
  // PUT replaces every field, and PATCH may leave the price as it is.
  const price = collection === 'items' && (method === 'PUT' || random.chance(0.5)) ? { price: random.below(1000) } : {};
  const external = random.chance(0.05) ? { external: shop.sharedExternal(random) } : {};
  const ifMatch = random.chance(0.4) ? { ifMatch: version } : {};
  const changes: Draft = { name: shop.name(), ...price, ...external };
  const headers = {
    'Content-Type': 'application/json',
    ...(ifMatch.ifMatch === undefined ? {} : { 'If-Match': `"${version}"` }),
  };
  const sending = { method, path: `/api/v2/${collection}/${id}`, headers, body: bodyOf(changes) };
  await client.ask(sending, { kind: 'update', collection, id, ...changes, ...ifMatch }, learned(client, collection));
}

/** v2's DELETE. */
export async function discard(client: Client, collection: CollectionName): Promise<void> {
  const { random, shop } = client;
  const { id, version } = shop.record(collection, random);
  const ifMatch = random.chance(0.3) ? { ifMatch: version } : {};
  const headers = ifMatch.ifMatch === undefined ? {} : { 'If-Match': `"${version}"` };
  const sending = { method: 'DELETE', path: `/api/v2/${collection}/${id}`, headers };
  await client.ask(sending, { kind: 'delete', collection, id, ...ifMatch }, () => []);
}

/** The contract's DELETE, which only users have. */
export async function remove(client: Client): Promise<void> {
  const external = client.shop.external('users', client.random);
  const sending = { method: 'DELETE', path: `${contractPath(client, 'users')}/${external}` };
  await client.ask(sending, { kind: 'remove', collection: 'users', external }, () => []);
}
