/** How the tests open an engine: with the defaults of the service. */
import { settings } from '../src/cli/config.ts';
import { type Engine, type EngineOptions, parseEngine } from '../src/storage/open.ts';

const preset = <Value>({ default: text, parse }: { default: string; parse(text: string): Value | undefined }) => {
  const value = parse(text);
  if (value === undefined) throw new Error(`${text} is no default`);
  return value;
};

export const engineOptions: EngineOptions = {
  cache: preset(settings.cache),
  databaseConnections: preset(settings.databaseConnections),
  databaseTimeout: preset(settings.databaseTimeout),
  databaseWait: preset(settings.databaseWait),
  databasePrepare: preset(settings.databasePrepare),
  onWaiting: () => {},
};

export function engineOf(url: string): Engine {
  const engine = parseEngine(url);
  if (engine === undefined) throw new Error(`${url} is no engine`);
  return engine;
}
