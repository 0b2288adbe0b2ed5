/** A real server on a real port for one test file, in this process. */
import type { LineWriter } from '../../../src/cli/log/line-queue.ts';
import { type Options, serve } from '../../../src/cli/serve/serve.ts';
import { collections } from '../../../src/collections/registry.ts';
import type { Store } from '../../../src/domain/store/store.ts';
import type { Entry, Log } from '../../../src/http/observe/log-entry.ts';
import { defaults, engineOf } from './engine.ts';

export type TestServer = { readonly url: string; readonly store: Store; stop(withinMs?: number): Promise<void> };

/** For a test that replaces functions of this process: other threads have functions of their own. */
export const oneThread = { threads: 1 } as const;

/** The settings that differ from the defaults. */
export type ServerOptions = {
  readonly [Group in 'server' | 'tls' | 'access' | 'limits' | 'log']?: Partial<Options[Group]>;
} & {
  /** A URL. */
  readonly database?: string;
  readonly storage?: Partial<Omit<Options['database'], 'url'>>;
} & Partial<
    Pick<
      Options,
      | 'collections'
      | 'rules'
      | 'file'
      | 'backUp'
      | 'issuerPauses'
      | 'logTo'
      | 'onWaiting'
      | 'onThreadEnd'
      | 'telemetry'
      | 'version'
    >
  >;

/** Other threads log lines. */
function entriesOf(log: Log): LineWriter {
  return {
    write: (lines) => {
      for (const line of Buffer.from(lines).toString().split('\n')) if (line !== '') log(JSON.parse(line) as Entry);
      return true;
    },
    written: async () => {},
  };
}

export async function startServer({
  database = 'memory:',
  storage,
  server,
  tls,
  access,
  limits,
  log,
  ...options
}: ServerOptions = {}): Promise<TestServer> {
  const engine = engineOf(database);
  // PostgreSQL refuses more than one.
  const threads = engine.kind === 'postgres' ? 1 : defaults.server.threads;
  const { url, store, ready, stop } = await serve({
    server: { ...defaults.server, threads, port: 0, ...server },
    tls: { ...defaults.tls, ...tls },
    database: { ...defaults.database, ...storage, url: engine },
    access: { ...defaults.access, ...access },
    limits: { ...defaults.limits, ...limits },
    log: { ...defaults.log, ...log },
    sharePort: false,
    collections,
    logTo: () => {},
    onWaiting: () => {},
    onThreadEnd: () => {},
    lines: { form: 'json', log: entriesOf(options.logTo ?? (() => {})) },
    version: 'test',
    ...options,
  });
  await ready.catch(async (error) => {
    await stop(0);
    throw error;
  });
  return { url, store, stop: (withinMs = 5000) => stop(withinMs) };
}
