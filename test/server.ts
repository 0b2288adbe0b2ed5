/** A real server on a real port for one test file, in this process. */
import { type Options, serve } from '../src/cli/serve.ts';
import { collections } from '../src/collections/registry.ts';
import type { Store } from '../src/domain/store.ts';
import { defaults, engineOf } from './engine.ts';

export type TestServer = { readonly url: string; readonly store: Store; stop(withinMs?: number): Promise<void> };

export async function startServer({
  database = 'memory:',
  ...options
}: Partial<Omit<Options, 'database'>> & { database?: string } = {}): Promise<TestServer> {
  const { url, store, ready, stop } = await serve({
    ...defaults,
    port: 0,
    sharePort: false,
    collections,
    logTo: () => {},
    onWaiting: () => {},
    version: 'test',
    ...options,
    database: engineOf(database),
  });
  await ready;
  return { url, store, stop: (withinMs = 5000) => stop(withinMs) };
}
