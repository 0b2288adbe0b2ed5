/** A running server: an app on a port, over an open store. */
import { lookup } from 'node:dns/promises';
import type { Collection } from '../domain/collection.ts';
import { Failure, StartError } from '../domain/errors.ts';
import type { Store } from '../domain/store.ts';
import { isLoopback } from '../http/access/client-address.ts';
import { createApp } from '../http/app.ts';
import { LastHour, sampleMs } from '../http/observe/last-hour.ts';
import { Metrics } from '../http/observe/metrics.ts';
import { openEngine } from '../storage/open.ts';
import { newProcessState } from '../threads/process-state.ts';
import { Load } from '../wire/load.ts';
import { readIdentity } from './certificates.ts';
import { type DoorOptions, openDoors } from './doors.ts';
import { configSchema } from './file-schema.ts';
import { fileBudget } from './open-files.ts';
import { processFigures } from './process-figures.ts';
import { verifierOf } from './public-keys.ts';
import type { Config } from './settings/settings.ts';

export type Running = {
  readonly url: string;
  readonly store: Store;
  /** Resolves when requests can be served; rejects with a StartError if they never can be. */
  readonly ready: Promise<void>;
  /** `/readyz` fails and each answer closes its connection; otherwise the server continues until `stop`. */
  drain(): void;
  /** Accepts no more requests, waits for those in flight for `withinMs` or until `atOnce`, and closes the database. */
  stop(withinMs: number, atOnce?: AbortSignal): Promise<void>;
};

export type Options = Config &
  DoorOptions & {
    readonly collections: readonly Collection[];
    readonly version: string;
    /** Called at most once, if the database does not answer at startup. */
    readonly onWaiting: (line: string) => void;
  };

/** A database in memory cannot be read during a write, so bulks must be small. */
const maxBulkInMemory = 16 * 1024 * 1024;
/** Interval between trims of the history and of idempotency keys. */
const trimEveryMs = 3_600_000;
const firstTrimMs = 60_000;
/** Interval between notes of when API keys were last used. */
const settleEveryMs = 60_000;

export async function serve(options: Options): Promise<Running> {
  const { collections, access, limits, log } = options;
  const { host } = options.server;
  const identity = readIdentity(options.tls);
  const engine = options.database.url;
  const local = await isLocal(host);
  const report = (error: unknown) => options.logTo({ level: 'error', event: 'error', request_id: '', error });
  const verify = await verifierOf(access, report);
  const metrics = log.metrics ? new Metrics() : undefined;
  const hour = new LastHour(new Date().toISOString());
  const files = fileBudget(options);
  const state = newProcessState();
  const store = openEngine(engine, collections, {
    ...options,
    files,
    state,
    onCommit: (writes, ms, stored) => {
      hour.commit(writes, ms);
      metrics?.commit(writes, ms, stored);
    },
    onTrouble: (message) => options.logTo({ level: 'error', event: 'storage', message }),
    onWarning: (message) => options.logTo({ level: 'warn', event: 'storage', message }),
    onStep: (message) => options.logTo({ level: 'info', event: 'storage', message }),
  });
  try {
    const load = new Load(state);
    const app = createApp({
      collections,
      store,
      version: options.version,
      configSchema,
      console: options.server.console,
      access: {
        auth: access.auth,
        verify,
        rate: access.rateLimit.value,
        proxies: access.trustedProxy.value ?? [],
        origins: access.cors.value ?? [],
        hosts: hostsOf(host, access, local),
      },
      limits: {
        ...limits,
        maxBulk: engine.kind === 'memory' ? Math.min(limits.maxBulk, maxBulkInMemory) : limits.maxBulk,
      },
      log: { write: options.logTo, level: log.format === 'off' ? 'error' : log.level, slow: log.slow },
      idempotency: options.database.idempotency,
      ageing: { deprecation: options.server.deprecation.value, sunset: options.server.sunset.value },
      load,
      state,
      metrics,
      hour,
    });
    const bounds = { ...limits, load, maxConnections: files.connections, overLimitConnections: files.overLimit };
    const server = await openDoors(options, identity, app, bounds);
    metrics?.add(...server.gauges);
    const figures = metrics === undefined ? undefined : processFigures(options.version);
    metrics?.add(...(figures?.gauges ?? []));
    // Not right after the start, when clients wait to be served.
    const firstTrim = setTimeout(() => trim(store, options), firstTrimMs);
    const trimming = setInterval(() => trim(store, options), trimEveryMs);
    const sampling = setInterval(
      () => hour.sample(new Date().toISOString(), { memoryBytes: process.memoryUsage.rss(), ...app.levels() }),
      sampleMs,
    );
    const settle = () => app.settle().catch((error) => (error instanceof Failure ? undefined : report(error)));
    const settling = setInterval(settle, settleEveryMs);
    return {
      url: server.url,
      store,
      ready: Promise.all([store.ready, app.ready]).then(() => {}),
      drain: () => {
        app.drain();
        server.drain();
      },
      stop: async (withinMs, atOnce) => {
        clearTimeout(firstTrim);
        clearInterval(trimming);
        clearInterval(settling);
        clearInterval(sampling);
        figures?.stop();
        await server.stop(withinMs, atOnce);
        if (atOnce?.aborted !== true) await settle();
        await app.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Whether a server on this host is reachable from this machine only. */
export async function isLocal(host: string): Promise<boolean> {
  const addresses = await lookup(host, { all: true }).catch(() => {
    throw new StartError(`Cannot listen on ${host}: there is no such host. Check --host.`);
  });
  return addresses.every(({ address }) => isLoopback(address));
}

/**
 * The allowed values of Host; undefined for any. A server on loopback is exposed to the user's own browser: without a required
 * key, a page whose domain resolves to 127.0.0.1 (DNS rebinding) would have access. A trusted proxy only forwards the names
 * that it serves.
 */
function hostsOf(
  host: string,
  { auth, trustedProxy, allowedHosts }: Options['access'],
  local: boolean,
): readonly string[] | undefined {
  const open = local && auth !== 'all' && trustedProxy.value === undefined;
  return open || allowedHosts.value !== undefined ? [host, ...(allowedHosts.value ?? [])] : undefined;
}

/** Deletes changes and idempotency keys past their retention, in small transactions. */
async function trim(store: Store, { database: { history, idempotency }, logTo }: Options): Promise<void> {
  try {
    while ((await store.trim(history)) > 0) await Bun.sleep(100);
    await store.forgetIdempotencyKeys(idempotency);
  } catch (error) {
    // The server is stopping, or the database does not answer: a later trim catches up.
    if (error instanceof Failure) return;
    logTo({ level: 'error', event: 'error', request_id: '', error });
  }
}
