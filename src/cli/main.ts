/** The `shelf` command: reads the settings, runs the command or the server, and stops the server on a signal. */
import { Database } from 'bun:sqlite';
import { hostname } from 'node:os';
import { version } from '../../package.json' with { type: 'json' };
import { unservedLine } from '../declarations/renames.ts';
import { StartError } from '../domain/errors.ts';
import type { Collection } from '../domain/record/collection.ts';
import { openApiKeys } from '../storage/open.ts';
import { openSource } from '../storage/transfer/open-databases.ts';
import { explainAccess } from './commands/explain-access.ts';
import { health } from './commands/health.ts';
import { init } from './commands/init.ts';
import { auditChange, runKeys } from './commands/keys.ts';
import { migrate } from './commands/migrate.ts';
import { accessTable, requireRole } from './commands/print-access.ts';
import { typesText } from './commands/print-types.ts';
import { type Command, readCommand } from './config/config.ts';
import { defaultFile } from './config/config-file.ts';
import { UsageError } from './config/environment.ts';
import { helpText } from './config/help.ts';
import { patternWarning } from './config/warnings.ts';
import { backup } from './data/backup.ts';
import { backUpServed } from './data/backup-served.ts';
import { runDataCommand } from './data/run.ts';
import { generate } from './import-file/generate.ts';
import { runImportFile } from './import-file/run.ts';
import { requireAuditFile, startAuditFile } from './log/audit-file.ts';
import type { LogForm } from './log/log-format.ts';
import { logWriter } from './log/log-writer.ts';
import { modeWarning } from './process/file-modes.ts';
import { guardHeap } from './process/heap-guard.ts';
import { usableMemory } from './process/memory-limit.ts';
import { fileBudget } from './process/open-files.ts';
import { onStop, pause, type Stop } from './process/signals.ts';
import { type Banner, banner, bannerLine, exposureWarning, stoppedLine } from './serve/banner.ts';
import { startBeating } from './serve/heartbeats.ts';
import { type Options, serve } from './serve/serve.ts';
import { isLocal } from './serve/serving-app.ts';
import { startedAs } from './serve/started-as.ts';
import { telemetrySettings } from './serve/telemetry.ts';
import { threadCount } from './serve/thread-count.ts';
import { openUnixSocket } from './serve/unix-socket.ts';
import { isWorker, onParentGone, reportReady, requireWorkers, sharedSocket, supervise } from './serve/workers.ts';
import { type Config, settings } from './settings/settings.ts';
import { databaseLabel } from './text/database-label.ts';

/** How long a stopping server waits for requests in flight. */
const finishMs = 10_000;

const onWaiting = (line: string) => process.stderr.write(`shelf: ${line}\n`);

function formatOf({ log: { format } }: Config): LogForm {
  return format === 'json' || format === 'text' ? format : process.stdout.isTTY ? 'text' : 'json';
}

async function run({ config, collections, file }: Extract<Command, { kind: 'serve' }>): Promise<void> {
  const form = formatOf(config);
  const out = logWriter(form, process.stdout);
  const { log } = out;
  process.on('unhandledRejection', (error) => log({ level: 'error', event: 'error', request_id: '', error }));
  if (isWorker()) startBeating();
  guardHeap(usableMemory());

  const telemetry = await telemetrySettings(process.env);
  const audit = config.log.audit.value;
  if (audit !== undefined && !isWorker()) await startAuditFile(audit);
  const threads = threadCount(config);
  const shared = { sharePort: isWorker(), sharedSocket: sharedSocket() };
  const onThreadEnd = (line: string) => {
    process.stderr.write(`shelf: ${line}\n`);
    process.exit(1);
  };
  const running = await serve({
    ...config,
    ...shared,
    collections,
    rules: file?.access,
    file,
    backUp: backUpOf(config),
    logTo: log,
    lines: { form, log: out },
    version,
    started: startedAs({
      args: process.argv.slice(2),
      environment: process.env,
      executable: process.execPath,
      script: import.meta.path,
      folder: process.cwd(),
      container: process.pid === 1 ? hostname() : undefined,
      file: file?.path,
    }),
    onWaiting,
    onThreadEnd,
    telemetry,
  });
  let ready = false;
  let stopping = false;
  const atOnce = new AbortController();
  async function stop(how: Stop, code = 0): Promise<void> {
    if (how === 'at once') atOnce.abort();
    if (stopping) return;
    stopping = true;
    running.drain();
    // No load balancer sends requests to a server that was never ready, so there is nothing to drain.
    if (how === 'drain' && ready) await pause(config.server.drain, atOnce.signal);
    const ended = await running.stop(finishMs, atOnce.signal).then(
      () => {
        if (ready && !isWorker()) out.write(stoppedLine(formatOf(config)));
        return code;
      },
      (error) => {
        log({ level: 'error', event: 'error', request_id: '', error });
        return 1;
      },
    );
    await out.flush();
    process.exit(ended);
  }
  onStop(stop);
  if (isWorker()) onParentGone(() => stop('finish'));

  try {
    await running.ready;
    const about = await banner(version, running.url, config, collections, running.store, file?.path);
    ready = true;
    if (isWorker()) reportReady(about);
    else await welcome(config, collections, about, out.write);
    if (threads.note !== undefined && !isWorker()) process.stderr.write(`shelf: ${threads.note}\n`);
  } catch (error) {
    if (stopping) return;
    process.stderr.write(`shelf: ${error instanceof Error ? error.message : error}\n`);
    await stop('finish', 1);
  }
}

/** As `shelf migrate --allow` does. */
function backUpOf({ database: { url } }: Config): Options['backUp'] {
  if (url.kind !== 'sqlite') return undefined;
  return async ({ collections }) => {
    await backUpServed(url, collections);
  };
}

async function welcome(
  config: Config,
  collections: readonly Collection[],
  about: Banner,
  write: (text: string) => void,
): Promise<void> {
  write(bannerLine(formatOf(config), about));
  const slow = patternWarning(collections);
  if (slow !== undefined) process.stderr.write(`shelf: ${slow}\n`);
  // The host was resolved at startup; a lookup that fails now must not end the server.
  const local = await isLocal(config.server.host).catch(() => true);
  if (config.access.auth === 'off' && !local) process.stderr.write(exposureWarning(config.server.host));
  const modes = config.database.url.kind === 'sqlite' ? modeWarning(config.database.url.path) : undefined;
  if (modes !== undefined) process.stderr.write(`shelf: ${modes}\n`);
  if (about.unserved !== undefined) process.stderr.write(`shelf: ${unservedLine(about.unserved)}\n`);
  const { connections: available } = fileBudget(config, threadCount(config).count);
  // If --max-connections is the default, warn only about a very low limit.
  const { maxConnections } = config.limits;
  const isSet = String(maxConnections) !== settings.limits.maxConnections.default;
  if (available < maxConnections && (isSet || available < 1000)) {
    process.stderr.write(
      `shelf: Warning: at most ${available} connections, not ${maxConnections}: the limit on open files is too low. Raise it (ulimit -n).\n`,
    );
  }
}

async function runWorkers({ config, collections }: Extract<Command, { kind: 'serve' }>): Promise<void> {
  requireWorkers(config);
  if (config.log.audit.value !== undefined) await startAuditFile(config.log.audit.value);
  const out = logWriter(formatOf(config), process.stdout);
  const path = config.server.listen.value;
  const socket = path === undefined ? undefined : await openUnixSocket(path);
  onStop((how) => setTimeout(() => socket?.remove(), how === 'drain' ? config.server.drain : 0));
  let isReady = false;
  const code = await supervise(
    config.server.workers,
    socket?.descriptor,
    (about) => {
      isReady = true;
      return welcome(config, collections, about as Banner, out.write);
    },
    (event) => {
      if (config.log.format !== 'off' || event.level === 'error')
        out.write(`${JSON.stringify({ time: new Date().toISOString(), ...event })}\n`);
    },
  );
  socket?.remove();
  if (isReady) out.write(stoppedLine(formatOf(config)));
  await out.flush();
  process.exit(code);
}

async function administerKeys({ config, collections, file, order }: Extract<Command, { kind: 'keys' }>): Promise<void> {
  const audit = order.kind === 'list' ? undefined : config.log.audit.value;
  if (audit !== undefined) await requireAuditFile(audit);
  const opened = await openApiKeys(config.database.url, { ...config, onWaiting });
  try {
    const { output, note, change } = await runKeys(
      opened.apiKeys,
      order,
      new Date(),
      collections,
      Object.keys(file?.access?.roles ?? {}),
    );
    process.stderr.write(`shelf: Database ${databaseLabel(config.database.url)}.${note}\n`);
    process.stdout.write(output);
    const lack = audit === undefined || change === undefined ? undefined : await auditChange(audit, order.kind, change);
    if (lack !== undefined) process.stderr.write(`shelf: ${lack}\n`);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { message } = error as Error;
    throw new StartError(
      `Cannot access the keys in ${databaseLabel(config.database.url)} (${message}): check its permissions and locks.`,
    );
  } finally {
    await opened.close();
  }
}

async function runData(command: Extract<Command, { kind: 'data' }>): Promise<void> {
  const { text, code } = await runDataCommand(command, version);
  process.stdout.write(text);
  process.exitCode = code;
}

async function main(): Promise<void> {
  const command = readCommand(process.argv.slice(2), process.env);
  if ('warnings' in command && !isWorker())
    for (const line of command.warnings) process.stderr.write(`shelf: ${line}\n`);
  if (command.kind === 'help') process.stdout.write(helpText(command.topic));
  else if (command.kind === 'version') process.stdout.write(versionText());
  else if (command.kind === 'init') process.stdout.write(init(command.to));
  else if (command.kind === 'generate') {
    const { text, next } = await generate(command.order);
    process.stdout.write(text);
    process.stderr.write(next);
    // A read of standard input that never ends would keep the process alive.
    process.exit();
  } else if (command.kind === 'check') process.stdout.write(checked(command));
  else if (command.kind === 'health') process.stdout.write(await health(command.config));
  else if (command.kind === 'types')
    process.stdout.write(await typesText(command.order, command.collections, command.file?.access));
  else if (command.kind === 'access') process.stdout.write(await accessText(command));
  else if (command.kind === 'migrate') await migrate(command, version, onWaiting);
  else if (command.kind === 'keys') await administerKeys(command);
  else if (command.kind === 'data') await runData(command);
  // A read of standard input that never ends would keep the process alive.
  else if (command.kind === 'import') process.exit(await runImportFile(command, onWaiting));
  else if (command.kind === 'backup')
    process.stdout.write(backup(command.config.database.url, command.to, command.collections));
  else if (command.config.server.workers > 1 && !isWorker()) await runWorkers(command);
  else await run(command);
}

async function accessText({ config, order, collections, file }: Extract<Command, { kind: 'access' }>): Promise<string> {
  const { role, claims, record } = order;
  const access = requireRole(role, file?.access);
  if (record === undefined) return accessTable(access, role, claims, collections);
  const { url, timeout: timeoutMs, prepare } = config.database;
  const options = { declared: collections, label: databaseLabel(url), timeoutMs, prepare };
  const source = await openSource(url, options, false);
  try {
    return await explainAccess(source, { access, role, claims, record, collections, now: Date.now() });
  } finally {
    await source.close();
  }
}

/** The file was read without mistakes. */
function checked({ file, collections }: Extract<Command, { kind: 'check' }>): string {
  if (file === undefined) throw new UsageError(`There is no ${defaultFile} here: name a file, as in shelf check FILE.`);
  const names = collections.map(({ name }) => name);
  return `${file.path} has no mistakes. Served: ${names.join(', ') || 'nothing'}.\n`;
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
