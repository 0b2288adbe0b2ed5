/** A real server on a real port for one test file, in this process. */
import { serve } from '../src/cli/serve.ts';
import { collections as declared } from '../src/collections/registry.ts';
import type { Collection } from '../src/domain/collection.ts';
import type { Log } from '../src/http/observe.ts';
import { parseEngine } from '../src/storage/open.ts';

export type TestServer = { readonly url: string; stop(withinMs?: number): Promise<void> };

export async function startServer({
  database = 'memory:',
  collections = declared,
  maxBody = 1024 * 1024,
  cache = 256 * 1024 * 1024,
  log = (() => {}) as Log,
}: {
  database?: string;
  collections?: readonly Collection[];
  maxBody?: number;
  cache?: number;
  log?: Log;
} = {}): Promise<TestServer> {
  const engine = parseEngine(database);
  if (engine === undefined) throw new Error(`${database} is no engine`);
  const options = { host: '127.0.0.1', port: 0, database: engine, maxBody, cache, collections, log, version: 'test' };
  const { url, stop } = await serve(options);
  return { url, stop: (withinMs = 5000) => stop(withinMs) };
}
