/** A running server: an app on a port, over an open store. */
import { lookup } from 'node:dns/promises';
import type { Collection } from '../domain/collection.ts';
import { StartError } from '../domain/errors.ts';
import type { Store } from '../domain/store.ts';
import { createApp } from '../http/app.ts';
import type { Fetch, Log } from '../http/observe.ts';
import { openEngine } from '../storage/open.ts';
import type { Config } from './config.ts';

export type Running = {
  readonly url: string;
  readonly store: Store;
  /** Takes nothing new, finishes what is under way within the time given, and closes the database. */
  stop(withinMs: number): Promise<void>;
};

export type Options = Pick<Config, 'host' | 'port' | 'database' | 'maxBody' | 'cache'> & {
  readonly collections: readonly Collection[];
  readonly log: Log;
  readonly version: string;
};

export async function serve(options: Options): Promise<Running> {
  const { host, port, database, collections, cache } = options;
  await lookup(host).catch(() => {
    throw new StartError(`Cannot listen on ${host}: there is no such host. Check --host.`);
  });
  const store = openEngine(database, collections, cache);
  try {
    const server = listen(host, port, createApp({ ...options, store }).fetch);
    return {
      url: `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`,
      store,
      stop: async (withinMs) => {
        const deadline = Bun.sleep(withinMs);
        await Promise.race([server.stop(), deadline]);
        await server.stop(true);
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function listen(hostname: string, port: number, fetch: Fetch) {
  try {
    return Bun.serve({
      hostname,
      port,
      fetch,
      development: false,
      // Outside development Bun would share the port with whoever has it.
      reusePort: false,
      // The app bounds a body itself, so that the refusal is JSON.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    });
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
