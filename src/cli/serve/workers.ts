/** Several worker processes on one port: starts them, replaces a worker that dies or hangs, and stops them all. */
import { StartError } from '../../domain/errors.ts';
import { stopSignals } from '../process/signals.ts';
import type { Config } from '../settings/settings.ts';
import { beat, beatMs, Heartbeats, maxSilentTicks } from './heartbeats.ts';
import { requireFreePorts } from './listeners.ts';

/** Set in the environment of a worker. */
const workerVariable = 'SHELF_WORKER';
const socketVariable = 'SHELF_WORKER_SOCKET';
/** The first after standard input, output and error. */
const inheritedSocket = 3;
/** A worker that dies this soon is replaced after a pause: a permanent fault must not keep the machine busy with restarts. */
const youngMs = 5_000;
const pauseMs = 1_000;
const hungReason = `hung: killed after ${(maxSilentTicks * beatMs) / 1000} seconds without a heartbeat`;

export type WorkerEvent = {
  readonly level: 'info' | 'error';
  readonly event: 'worker started' | 'worker died';
  readonly worker: number;
  readonly pid: number;
  /** The exit code, the signal, or `hungReason`. */
  readonly reason?: string;
};

/** The descriptor of the Unix socket that the parent has opened for all workers; undefined if there is none. */
export function sharedSocket(): number | undefined {
  const { [socketVariable]: descriptor } = process.env;
  return isWorker() && descriptor !== undefined ? Number(descriptor) : undefined;
}

export function isWorker(): boolean {
  return process.env[workerVariable] !== undefined;
}

/** The parent may be killed at any time, even before this worker is ready. The worker must then release the port. */
export function onParentGone(stop: () => void): void {
  process.on('disconnect', stop);
  if (!process.connected) stop();
}

/** Sends the banner to the parent: this worker is ready. */
export function reportReady(banner: unknown): void {
  if (process.connected) process.send?.(banner);
}

export function requireWorkers({
  server: { workers, port, host },
  tls: { redirect },
  database: { url: database },
}: Config): void {
  if (database.kind !== 'postgres') {
    throw new StartError(
      `--workers ${workers} needs PostgreSQL: ${database.kind === 'sqlite' ? 'a SQLite file has one server at a time' : 'memory is not shared'}. Choose another --database, or leave --workers out.`,
    );
  }
  if (process.platform !== 'linux')
    throw new StartError(
      `--workers needs Linux, which balances a shared port; this is ${process.platform}. Leave --workers out.`,
    );
  if (port === 0)
    throw new StartError(
      '--workers needs a --port other than 0: each worker would get a different port. Choose a port.',
    );
  // Workers share their port with any other process that shares it, so check first that the port is free.
  requireFreePorts(host, redirect.value === undefined ? [port] : [port, redirect.value]);
}

/** Resolves with the exit code when all workers have ended. */
export async function supervise(
  count: number,
  socket: number | undefined,
  onReady: (banner: unknown) => void,
  log: (event: WorkerEvent) => void,
): Promise<number> {
  const running = new Set<Bun.Subprocess>();
  const hung = new Set<Bun.Subprocess>();
  const beats = new Heartbeats<Bun.Subprocess>();
  /** The first worker is ready. Before that, its own line on standard error explains why it could not start. */
  let serving = false;
  let stopping = false;
  // Also while stopping: a worker that hangs would keep the parent waiting for ever.
  setInterval(() => {
    for (const child of beats.tick()) {
      hung.add(child);
      child.kill('SIGKILL');
    }
  }, beatMs);
  for (const signal of stopSignals) {
    process.on(signal, () => {
      stopping = true;
      // Each worker decides how to stop, as a single server does.
      for (const child of running) child.kill(signal);
    });
  }

  /** `ready` resolves with the banner when the worker is ready, or with undefined if it ends before. */
  function start(worker: number) {
    const ready = Promise.withResolvers<unknown>();
    const child = Bun.spawn([...command(), ...process.argv.slice(2)], {
      env: {
        ...process.env,
        [workerVariable]: String(worker),
        ...(socket === undefined ? {} : { [socketVariable]: String(inheritedSocket) }),
      },
      stdio: ['inherit', 'inherit', 'inherit', ...(socket === undefined ? [] : [socket])],
      ipc: (message) => {
        // The last message may be read after the process has ended.
        if (running.has(child)) beats.heard(child);
        if (message === beat) return;
        log({ level: 'info', event: 'worker started', worker, pid: child.pid });
        ready.resolve(message);
      },
    });
    running.add(child);
    beats.heard(child);
    const ended = child.exited.then((code) => {
      running.delete(child);
      beats.forget(child);
      const silent = hung.delete(child);
      const reason = silent ? hungReason : String(child.signalCode ?? code);
      if (silent || (serving && !stopping))
        log({ level: 'error', event: 'worker died', worker, pid: child.pid, reason });
      ready.resolve(undefined);
      return code;
    });
    return { child, ready: ready.promise, ended };
  }

  /** Replaces the worker whenever it ends, until the server stops. */
  async function keepRunning(worker: number, first?: ReturnType<typeof start>): Promise<void> {
    for (let current = first; !stopping; current = undefined) {
      const startedAt = performance.now();
      try {
        current ??= start(worker);
        await current.ended;
        if (stopping) return;
      } catch (error) {
        log({ level: 'error', event: 'worker died', worker, pid: 0, reason: String(error) });
      }
      if (performance.now() - startedAt < youngMs) await Bun.sleep(pauseMs);
    }
    await first?.ended;
  }

  // The first worker starts alone, so that a mistake is printed once.
  const first = start(1);
  const banner = await first.ready;
  if (banner === undefined) return stopping ? 0 : first.ended;
  serving = true;
  onReady(banner);
  await Promise.all([
    keepRunning(1, first),
    ...Array.from({ length: count - 1 }, (_, index) => keepRunning(index + 2)),
  ]);
  return 0;
}

/** In a checkout the runtime needs the file to run; the executable contains both. */
function command(): string[] {
  if (import.meta.dir.startsWith('/$bunfs')) return [process.execPath];
  // The package starts with settings of the runtime of its own.
  const settings = process.execArgv.filter((option) => option.startsWith('--config='));
  return [process.execPath, ...settings, Bun.main];
}
