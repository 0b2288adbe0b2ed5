/** A real server on a real port for one test file, in this process. */
import { serve } from '../src/cli/serve.ts';
import { collections as declared } from '../src/collections/registry.ts';
import type { Collection } from '../src/domain/collection.ts';
import type { Store } from '../src/domain/store.ts';
import type { Log } from '../src/http/observe.ts';
import type { EngineOptions } from '../src/storage/open.ts';
import { engineOf, engineOptions } from './engine.ts';

export type TestServer = { readonly url: string; readonly store: Store; stop(withinMs?: number): Promise<void> };

export async function startServer({
  database = 'memory:',
  collections = declared,
  maxBody = 1024 * 1024,
  log = (() => {}) as Log,
  deprecation,
  sunset,
  ...engine
}: {
  database?: string;
  collections?: readonly Collection[];
  maxBody?: number;
  log?: Log;
  deprecation?: Date;
  sunset?: Date;
} & Partial<EngineOptions> = {}): Promise<TestServer> {
  const { url, store, stop } = await serve({
    ...engineOptions,
    ...engine,
    host: '127.0.0.1',
    port: 0,
    sharePort: false,
    database: engineOf(database),
    maxBody,
    history: 7 * 24 * 3_600_000,
    keysKept: 24 * 3_600_000,
    deprecation,
    sunset,
    collections,
    log,
    version: 'test',
  });
  await store.ready;
  return { url, store, stop: (withinMs = 5000) => stop(withinMs) };
}
