/** A running server: an app on a port, over an open store. */
import { lookup } from 'node:dns/promises';
import type { Collection } from '../domain/collection.ts';
import { Failure, StartError } from '../domain/errors.ts';
import type { Store } from '../domain/store.ts';
import type { Ageing } from '../http/ageing.ts';
import { createApp } from '../http/app.ts';
import type { Log } from '../http/observe.ts';
import { type EngineOptions, openEngine } from '../storage/open.ts';
import type { Handlers } from '../wire/connection.ts';
import { type Address, type Listening, listen } from '../wire/listen.ts';
import type { Config } from './config.ts';

export type Running = {
  readonly url: string;
  readonly store: Store;
  /** Takes nothing new, finishes what is under way within the time given, and closes the database. */
  stop(withinMs: number): Promise<void>;
};

export type Options = Pick<Config, 'host' | 'port' | 'database' | 'maxBody' | 'maxBulk' | 'history' | 'keysKept'> &
  EngineOptions &
  Ageing & {
    readonly collections: readonly Collection[];
    readonly log: Log;
    /** With the other workers. */
    readonly sharePort: boolean;
    readonly version: string;
  };

/** How often it is looked whether there is anything to forget. */
const trimEveryMs = 3_600_000;
const firstTrimMs = 60_000;

export async function serve(options: Options): Promise<Running> {
  const { host, port, database, collections } = options;
  await lookup(host).catch(() => {
    throw new StartError(`Cannot listen on ${host}: there is no such host. Check --host.`);
  });
  const store = openEngine(database, collections, options);
  try {
    const server = listenOn(
      { hostname: host, port, sharePort: options.sharePort },
      createApp({ ...options, store }).handlers,
    );
    // Not among the first things, when everybody waits to be served.
    const firstTrim = setTimeout(() => trim(store, options), firstTrimMs);
    const trimming = setInterval(() => trim(store, options), trimEveryMs);
    return {
      url: `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`,
      store,
      stop: async (withinMs) => {
        clearTimeout(firstTrim);
        clearInterval(trimming);
        await server.stop(withinMs);
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

export function listenOn(address: Address, handlers: Handlers): Listening {
  const { hostname, port } = address;
  try {
    return listen(address, handlers);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    const where = `port ${port} on ${hostname}`;
    if (code === 'EADDRINUSE') {
      throw new StartError(`Cannot listen on ${where}: it is taken. Stop what uses it, or choose another --port.`);
    }
    if (code === 'EACCES')
      throw new StartError(`Cannot listen on ${where}: not permitted. Choose a --port above 1023.`);
    throw new StartError(`Cannot listen on ${where} (${message}): check --host and --port.`);
  }
}

/** What is older than the history that is kept is forgotten, a little at a time. */
async function trim(store: Store, { history, keysKept, log }: Options): Promise<void> {
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
  try {
    while ((await store.trim(ago(history))) > 0) await Bun.sleep(100);
    await store.forgetKeys(ago(keysKept));
  } catch (error) {
    // One that is stopping takes no more, and one whose database is away forgets later.
    if (error instanceof Failure) return;
    log({ level: 'error', event: 'error', request_id: '', error });
  }
}
