/** The options with which tests open an engine: the defaults of the service. */
import { readCommand } from '../../../src/cli/config/config.ts';
import { type Engine, type EngineOptions, parseEngine } from '../../../src/storage/open.ts';

/** `SHELF_THREADS=2 npm test` runs all tests with two serving threads. */
export const threads = process.env.SHELF_THREADS ?? '1';

const command = readCommand([], { SHELF_THREADS: threads });
if (command.kind !== 'serve') throw new Error('nothing else is the default');

export const defaults = command.config;

export const engineOptions: EngineOptions = { ...defaults, onWaiting: () => {} };

/** The same with another cache size, in bytes. */
export const withCache = (cache: number): EngineOptions => ({
  ...engineOptions,
  database: { ...defaults.database, cache },
});

export function engineOf(url: string): Engine {
  const engine = parseEngine(url);
  if (engine === undefined) throw new Error(`${url} is no engine`);
  return engine;
}
