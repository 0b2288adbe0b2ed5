/** What a starting server says of itself. */
import { resolve } from 'node:path';
import type { Collection } from '../domain/collection.ts';
import type { Store } from '../domain/store.ts';
import type { Engine } from '../storage/open.ts';

export type Banner = {
  readonly version: string;
  readonly url: string;
  readonly api: string;
  readonly docs: string;
  readonly database: string;
  /** This start has made it; false of one in memory, which is new each time. */
  readonly new_database: boolean;
  readonly records: Readonly<Record<string, number>>;
};

export async function banner(
  version: string,
  url: string,
  engine: Engine,
  collections: readonly Collection[],
  store: Store,
): Promise<Banner> {
  const counts = collections.map(async (collection) => [collection.name, await store.count(collection)] as const);
  // A database that is busy is no reason not to serve.
  const counted = await Promise.all(counts).catch(() => []);
  return {
    version,
    url,
    api: `${url}/api/v2`,
    docs: `${url}/docs`,
    database: placeOf(engine),
    new_database: store.isNew && engine.kind !== 'memory',
    records: Object.fromEntries(counted),
  };
}

/** A password is nobody's business. */
export function placeOf(engine: Engine): string {
  if (engine.kind === 'memory') return 'memory (nothing is kept)';
  if (engine.kind === 'sqlite') return resolve(engine.path);
  const { protocol, username, host, pathname } = new URL(engine.url);
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

export function bannerText({ version, url, api, docs, database, new_database, records }: Banner): string {
  const counts = Object.entries(records).map(([name, count]) => `${name} ${count.toLocaleString('en')}`);
  return `
  Shelf ${version}

  API       ${api}
  Contract  ${url}/api
  Docs      ${docs}
  Data      ${database}${new_database ? ' (new database)' : ''}
  Records   ${counts.join(', ')}

`;
}

export function bannerJson(banner: Banner, time: Date): string {
  return `${JSON.stringify({ time: time.toISOString(), level: 'info', event: 'listening', ...banner })}\n`;
}

/** Of a server that others can reach. */
export function exposureWarning(host: string): string {
  return (
    `Warning: listening on ${host}, and nothing protects the service: whoever reaches it can read and change ` +
    'everything. Ask for keys with --auth, or keep it behind a proxy that checks who is calling.\n'
  );
}
