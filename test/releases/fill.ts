/**
 * Fills a new server with edge values through every API that its version has, and saves its answers:
 * `node scripts/run.mjs test/releases/fill.ts URL FILE.json`. README.md says how the fixtures are made.
 */
import { writeFileSync } from 'node:fs';

type Sent = readonly [method: string, path: string, body?: string, headers?: Readonly<Record<string, string>>];

/** The smallest and largest values of each type, a duplicate id, and non-ASCII text. */
const contract: readonly Sent[] = [
  ['POST', '/api/items', '{"id":9223372036854775807,"name":"largest","price":1.7976931348623157e308}'],
  ['POST', '/api/items', '{"id":-9223372036854775808,"name":"smallest","price":5e-324}'],
  ['POST', '/api/items', '{"id":0,"name":"minus zero","price":-0.0}'],
  ['POST', '/api/items', '{"id":7,"name":"Größe 日本 🦊 e\\u0301 \\" \\\\ \\u0001 \\u2028","price":0.1}'],
  ['POST', '/api/items', '{"id":7,"name":"the same id","price":1e21}'],
  ['POST', '/api/items', '{"id":9007199254740993,"name":"","price":3}'],
  ['POST', '/api/users', '{"id":2,"name":"Grace"}'],
  ['POST', '/api/users', '{"id":2,"name":"Grace \\"seq\\":9,"}'],
  ['POST', '/api/users', '{"id":-9223372036854775808,"name":"Zoë 🦊"}'],
  ['DELETE', '/api/users/2'],
];

const merge = { 'Content-Type': 'application/merge-patch+json' };
const production: readonly Sent[] = [
  ['POST', '/api/v2/items', '{"name":"changed","price":12.5}'],
  ['PATCH', '/api/v2/items/8', '{"price":-0.0}', merge],
  ['POST', '/api/v2/items', '{"external_id":9007199254740993,"name":"deleted","price":1}'],
  ['PATCH', '/api/v2/items/9', '{"name":"deleted after a change"}', merge],
  ['DELETE', '/api/v2/items/9'],
  ['POST', '/api/v2/items', '{"name":"keyed","price":2}', { 'Idempotency-Key': 'of-the-release' }],
];

const [url = '', file = ''] = process.argv.slice(2);

async function send([method, path, body, headers = {}]: Sent): Promise<void> {
  const response = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  if (!response.ok) throw new Error(`${method} ${path} is ${response.status}: ${await response.text()}`);
}

/** The text of the answer, or undefined if this version does not have the path. */
async function read(path: string): Promise<string | undefined> {
  const response = await fetch(url + path);
  return response.ok ? await response.text() : undefined;
}

for (const request of contract) await send(request);
if ((await read('/api/v2/items')) !== undefined) for (const request of production) await send(request);
const answers = {
  '/api/items': await read('/api/items'),
  '/api/users': await read('/api/users'),
  '/api/v2/items': await read('/api/v2/items'),
  '/api/v2/items?limit=3': await read('/api/v2/items?limit=3'),
  '/api/v2/users': await read('/api/v2/users'),
  '/api/v2/changes': await read('/api/v2/changes'),
};
writeFileSync(file, `${JSON.stringify(answers, null, 2)}\n`);
