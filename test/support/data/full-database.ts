/** A database with something of everything, and all of it as clients see it. */
import type { Collection } from '../../../src/domain/record/collection.ts';
import type { TestServer } from '../servers/server.ts';
import { declared, libraryFile } from './library.ts';

/** Every field type, rules of each kind, and a collection with the contract's id. */
export const fullFile = {
  ...libraryFile,
  authors: {
    ...libraryFile.authors,
    unique: [['name', 'born'], { fields: ['publisher'], where: { born: { lt: '1900-01-01' }, name: { ne: "it's" } } }],
  },
  lots: {
    singular: 'lot',
    contract: true,
    first: { label: 'first' },
    fields: {
      label: 'text',
      weights: { type: 'list', of: 'number', default: [] },
      amount: { type: 'decimal', scale: 9, optional: true },
    },
    check: [
      {
        where: {
          any: [{ amount: { is: 'null' } }, { amount: { gt: '-0.5' } }],
          not: { label: { contains: "it's wrong" } },
        },
        message: "must be above -0.5, and nothing that it's not",
      },
    ],
  },
};
export const fullCollections: readonly Collection[] = declared(fullFile);

/** Ids, prices and texts that lose something in careless hands. */
const edges = [
  ['9007199254740993', '0.1', 'tab\\tline\\ncarriage\\rbackslash\\\\quote\\"'],
  ['9223372036854775807', '1e-7', '\\\\N'],
  ['-9223372036854775808', '-0', '\\\\.'],
  ['0', '1e308', ''],
  ['-1', '5e-324', '\\u0001\\u001f\\u007f\\u2028\\ud83d\\ude00'],
  ['9007199254740992', '1e16', 'e\\u0301 \\u00e9 1e5 {\\"a\\":1}'],
  ['2', '123456789012345680000', "'; drop table items; --"],
  ['2', '1.7976931348623157e308', 'NULL'],
] as const;

async function send(url: string, method: string, path: string, body?: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}/api/v2/${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === '' ? { id: 0 } : (JSON.parse(text) as { id: number });
}

/** Adds, changes and deletes; `count` items more. */
export async function fill({ url, store }: TestServer, count = 1200): Promise<void> {
  const at = new Date().toISOString();
  const key = {
    scope: 'read' as const,
    createdAt: at,
    expiresAt: undefined,
    revokedAt: undefined,
    lastUsedAt: undefined,
  };
  await store.admin.apiKeys.add({ ...key, id: 'key1', name: 'all', digest: 'd1', collections: undefined });
  await store.admin.apiKeys.add({ ...key, id: 'key2', name: 'some', digest: 'd2', collections: ['items', 'books'] });
  await store.admin.apiKeys.add({
    ...key,
    ...{ id: 'key3', name: 'app', digest: 'd3', scope: undefined, collections: undefined },
    ...{ role: 'member', claims: { member_id: 7, city: 'Zürich' } },
  });
  await store.admin.apiKeys.revoke('some', at);

  for (const [id, price, name] of edges) {
    await send(url, 'POST', 'items', `{"external_id":${id},"name":"${name}","price":${price}}`);
    await send(url, 'POST', 'lots', `{"external_id":${id},"label":"${name}","weights":[${price},${price}]}`);
  }
  await send(url, 'PATCH', 'items/2', '{"price":1e21}');
  await send(url, 'PATCH', 'items/3', '{"price":1e16}');
  await send(url, 'DELETE', 'items/4');
  await send(url, 'POST', 'items', '{"name":"once","price":1e20}', { 'Idempotency-Key': "a'key\\N" });
  const lines = Array.from({ length: count }, (_, n) => `{"name":"item ${n} ${'x'.repeat(n % 50)}","price":${n / 8}}`);
  await send(url, 'POST', 'items/bulk', lines.join('\n'), {
    'Content-Type': 'application/x-ndjson',
    'Idempotency-Key': 'bulk',
  });

  await send(url, 'POST', 'publishers', '{"name":"Sur"}');
  await send(url, 'POST', 'authors', '{"name":"Borges","born":"1899-08-24","publisher":1}');
  await send(url, 'POST', 'authors', '{"name":"deleted"}');
  await send(url, 'DELETE', 'authors/2');
  const book = (isbn: string, more: string) => `{"title":"T","isbn":"${isbn}","price":"12.3","author":1${more}}`;
  await send(url, 'POST', 'books', book('9780000000001', ''));
  await send(
    url,
    'POST',
    'books',
    book(
      '9780000000002',
      `,"pages":9223372036854775807,"weight":-0,"state":"published","in_stock":false,"published_on":"0001-01-01",
        "seen_at":"9999-12-31T23:59:59.999Z","tags":["x","","é,\\u0001\\t\\\\"],"ratings":[1,-9223372036854775808],
        "meta":{"b":1.50,"a":[1e2,12345678901234567890,"\\t\\\\"],"b":null},"follows":1`,
    ),
  );
  await send(url, 'POST', 'reviews', '{"text":"r","book":2}');
  await send(url, 'PATCH', 'books/2', '{"weight":1e16,"pages":null}');
}

async function textOf({ url }: TestServer, path: string, accept = 'application/json'): Promise<string> {
  return (await fetch(`${url}${path}`, { headers: { Accept: accept } })).text();
}

/** All records of all collections, as text. */
export async function lists(server: TestServer): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const { name, contract } of fullCollections) {
    all[name] = await textOf(server, `/api/v2/${name}/export`, 'application/x-ndjson');
    if (contract !== undefined) all[`contract ${name}`] = await textOf(server, `/api/${name}`);
  }
  return all;
}

/** Everything that the API shows of records, the feed and the keys, as text. */
export async function shown(server: TestServer): Promise<Readonly<Record<string, string>>> {
  const all = await lists(server);
  let after = 0;
  for (let page = 0; ; page++) {
    const changes = await textOf(server, `/api/v2/changes?after=${after}&limit=1000`);
    const { data } = JSON.parse(changes) as { data: readonly { seq: number }[] };
    all[`changes ${page}`] = changes;
    if (data.length === 0) break;
    after = data.at(-1)?.seq ?? after;
  }
  all.keys = JSON.stringify(await server.store.admin.apiKeys.list());
  return all;
}
