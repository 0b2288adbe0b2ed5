/** The banner and the warning that a server prints at startup. */

import { resolve } from 'node:path';
import { everything } from '../../domain/access/view.ts';
import type { Collection } from '../../domain/record/collection.ts';
import type { Store } from '../../domain/store/store.ts';
import type { LogForm } from '../log/log-format.ts';
import type { Config } from '../settings/settings.ts';
import { grouped } from '../text/amounts.ts';
import { databaseLabel } from '../text/database-label.ts';

/** Collections whose records are counted, so that a server with many starts as fast. */
const maxCounts = 10;

export type Banner = {
  readonly version: string;
  readonly url: string;
  readonly api: string;
  /** Absent if there are no pages. */
  readonly docs?: string;
  /** Absent if it is off. */
  readonly console?: string;
  /** The Unix socket that is served, too; absent if there is none. */
  readonly socket?: string;
  readonly database: string;
  /** Created by this start. False for memory:, which is always new. */
  readonly new_database: boolean;
  readonly records: Readonly<Record<string, number>>;
  /** Collections whose records are not counted; absent if all are. */
  readonly uncounted?: number;
  /** The configuration file that was read; absent if there is none. */
  readonly config?: string;
  /** Collections that the database has and that are not declared; absent if there are none. */
  readonly unserved?: readonly string[];
};

export async function banner(
  version: string,
  url: string,
  { server: { listen, docs, console: hasConsole }, database: { url: engine } }: Config,
  collections: readonly Collection[],
  store: Store,
  file: string | undefined,
): Promise<Banner> {
  const counts = collections
    .slice(0, maxCounts)
    .map(async (collection) => [collection.name, await store.reads.count(everything(collection))] as const);
  // The counts are optional: a busy database must not keep the server from starting.
  const counted = await Promise.all(counts).catch(() => []);
  return {
    version,
    url,
    api: `${url}/api/v2`,
    ...(docs === 'on' ? { docs: `${url}/docs` } : {}),
    ...(hasConsole && docs !== 'off' ? { console: `${url}/console` } : {}),
    ...(listen.value === undefined ? {} : { socket: resolve(listen.value) }),
    database: databaseLabel(engine),
    new_database: store.admin.isNew && engine.kind !== 'memory',
    records: Object.fromEntries(counted),
    ...(collections.length > maxCounts ? { uncounted: collections.length - maxCounts } : {}),
    ...(file === undefined ? {} : { config: resolve(file) }),
    ...(store.admin.unserved.length === 0 ? {} : { unserved: store.admin.unserved }),
  };
}

export function bannerText(banner: Banner): string {
  const { docs, console, socket, uncounted, config } = banner;
  const counts = Object.entries(banner.records).map(([name, count]) => `${name} ${grouped(count)}`);
  const more = uncounted !== undefined ? `, and ${uncounted} more collections` : '';
  return `
  Shelf ${banner.version}

  API       ${banner.api}
  Contract  ${banner.url}/api${docs === undefined ? '' : `\n  Docs      ${docs}`}${console === undefined ? '' : `\n  Console   ${console}`}${socket === undefined ? '' : `\n  Socket    ${socket}`}
  Data      ${banner.database}${banner.new_database ? ' (new database)' : ''}
  Records   ${counts.join(', ')}${more}${config === undefined ? '' : `\n  Config    ${config}`}

`;
}

export function bannerLine(form: LogForm, banner: Banner): string {
  return form === 'json' ? eventLine({ event: 'listening', ...banner }) : bannerText(banner);
}

/** The last line of a server that was ready: its database is closed. */
export function stoppedLine(form: LogForm): string {
  return form === 'json' ? eventLine({ event: 'stopped' }) : 'Shelf has stopped.\n';
}

function eventLine(event: object): string {
  return `${JSON.stringify({ time: new Date().toISOString(), level: 'info', ...event })}\n`;
}

/** For a server without --auth that other machines can reach. */
export function exposureWarning(host: string): string {
  return (
    `Warning: listening on ${host} without authentication: every client that can connect can read and change ` +
    'everything. Set --auth to require API keys, or put the server behind a proxy that authenticates.\n'
  );
}
