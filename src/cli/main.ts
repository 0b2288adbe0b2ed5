/** The command: reads its settings, serves, and stops cleanly on a signal. */
import { Database } from 'bun:sqlite';
import { version } from '../../package.json' with { type: 'json' };
import { collections } from '../collections/registry.ts';
import { StartError } from '../domain/errors.ts';
import { banner, bannerJson, bannerText, exposureWarning } from './banner.ts';
import { type Config, readCommand, UsageError } from './config.ts';
import { helpText } from './help.ts';
import { type Entry, jsonLine, textLine } from './log-format.ts';
import { logWriter } from './log-writer.ts';
import { serve } from './serve.ts';

/** How long a stopping server waits for the requests that are under way. */
const drainMs = 10_000;

async function run(config: Config): Promise<void> {
  const quiet = config.log === 'off';
  const format = config.log === 'json' || config.log === 'text' ? config.log : process.stdout.isTTY ? 'text' : 'json';
  const line = format === 'json' ? jsonLine : textLine;
  const out = logWriter(process.stdout);
  function log(entry: Entry): void {
    if (!quiet || entry.event === 'error') out.write(line(entry, new Date()));
  }
  process.on('unhandledRejection', (error) => log({ level: 'error', event: 'error', request_id: '', error }));

  const running = await serve({ ...config, collections, log, version });
  const about = await banner(version, running.url, config.database, collections, running.store);
  out.write(format === 'json' ? bannerJson(about, new Date()) : bannerText(about));
  process.stderr.write(exposureWarning(config.host) ?? '');

  let stopping = false;
  async function stop(): Promise<void> {
    if (stopping) return;
    stopping = true;
    let code = 0;
    await running.stop(drainMs).catch((error) => {
      code = 1;
      log({ level: 'error', event: 'error', request_id: '', error });
    });
    // A log reader that is stuck must not keep the process.
    await Promise.race([out.flush(), Bun.sleep(1000)]);
    process.exit(code);
  }
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

async function main(): Promise<void> {
  const command = readCommand(process.argv.slice(2), process.env);
  if (command.kind === 'help') process.stdout.write(helpText());
  else if (command.kind === 'version') process.stdout.write(versionText());
  else await run(command.config);
}

function versionText(): string {
  const sqlite = new Database(':memory:').prepare<{ version: string }, []>('select sqlite_version() as version').get();
  return `shelf ${version} (bun ${Bun.version}, sqlite ${sqlite?.version})\n`;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`shelf: ${error.message}\n`);
  process.exit(error instanceof UsageError ? 2 : 1);
}
