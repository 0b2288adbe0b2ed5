/** Several processes on one port: starts them, replaces one that dies or hangs, and stops them all. */
import { StartError } from '../domain/errors.ts';
import { beat, beatMs, Heartbeats, maxSilentTicks } from './heartbeats.ts';
import { listenOn } from './serve.ts';
import type { Config } from './settings/settings.ts';
import { stopSignals } from './signals.ts';

/** Set for a process that is one of several. */
const workerVariable = 'SHELF_WORKER';
/** A worker that dies young is not replaced at once, or a lasting fault would keep the machine busy with starting. */
const youngMs = 5_000;
const pauseMs = 1_000;
const hungReason = `hung: killed after ${(maxSilentTicks * beatMs) / 1000} seconds without a heartbeat`;

export type WorkerEvent = {
  readonly level: 'info' | 'error';
  readonly event: 'worker started' | 'worker died';
  readonly worker: number;
  readonly pid: number;
  /** The exit code, the signal, or that it hung. */
  readonly reason?: string;
};

export function isWorker(): boolean {
  return process.env[workerVariable] !== undefined;
}

/** The parent may be killed at any moment, also before this worker is ready: it would keep the port from the next one. */
export function onParentGone(stop: () => void): void {
  process.on('disconnect', stop);
  if (!process.connected) stop();
}

/** Tells the parent that this worker serves. */
export function reportReady(banner: unknown): void {
  if (process.connected) process.send?.(banner);
}

export async function requireWorkers({
  server: { workers, port, host },
  database: { url: database },
}: Config): Promise<void> {
  if (database.kind !== 'postgres') {
    throw new StartError(
      `--workers ${workers} needs PostgreSQL: ${database.kind === 'sqlite' ? 'a SQLite file has one server at a time' : 'memory is not shared'}. Choose another --database, or leave --workers out.`,
    );
  }
  if (process.platform !== 'linux')
    throw new StartError('--workers needs Linux, which shares a port fairly: leave it out.');
  if (port === 0) throw new StartError('--workers needs a --port of its own: 0 would give each worker another.');
  // Workers share their port with whoever else does, so somebody who has it already must be found out first.
  const probe = listenOn(
    { hostname: host, port, sharePort: false },
    {
      maxConnections: 1,
      extraConnections: 0,
      requestTimeout: 1000,
      bulkTimeout: 1000,
      keepAlive: 1000,
      load: { connections: 0, held: 0 },
    },
    { answer: unused, refuse: unused, report: unused },
  );
  await probe.stop(0);
}

function unused(): never {
  throw new Error('nothing is served here');
}

/** Resolves with the exit code when all workers have ended. */
export async function supervise(
  count: number,
  onReady: (banner: unknown) => void,
  tell: (event: WorkerEvent) => void,
): Promise<number> {
  const running = new Set<Bun.Subprocess>();
  const hung = new Set<Bun.Subprocess>();
  const beats = new Heartbeats<Bun.Subprocess>();
  /** Before that, the one line of the first worker on standard error says why it could not start. */
  let serving = false;
  let stopping = false;
  // Also while they stop: one that hangs would keep the others' parent for ever.
  setInterval(() => {
    for (const child of beats.tick()) {
      hung.add(child);
      child.kill('SIGKILL');
    }
  }, beatMs);
  for (const signal of stopSignals) {
    process.on(signal, () => {
      stopping = true;
      // Each decides for itself how to stop, as it would alone.
      for (const child of running) child.kill(signal);
    });
  }

  /** `ready` resolves with its banner once it serves, or with undefined when it ends before. */
  function start(worker: number) {
    const ready = Promise.withResolvers<unknown>();
    const child = Bun.spawn([...command(), ...process.argv.slice(2)], {
      env: { ...process.env, [workerVariable]: String(worker) },
      stdio: ['inherit', 'inherit', 'inherit'],
      ipc: (message) => {
        // What it sent last may be read after its end.
        if (running.has(child)) beats.heard(child);
        if (message === beat) return;
        tell({ level: 'info', event: 'worker started', worker, pid: child.pid });
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
        tell({ level: 'error', event: 'worker died', worker, pid: child.pid, reason });
      ready.resolve(undefined);
      return code;
    });
    return { child, ready: ready.promise, ended };
  }

  /** Until all are to stop, whoever ends is replaced. */
  async function keep(worker: number, first?: ReturnType<typeof start>): Promise<void> {
    for (let current = first; !stopping; current = undefined) {
      const born = performance.now();
      try {
        current ??= start(worker);
        await current.ended;
        if (stopping) return;
      } catch (error) {
        tell({ level: 'error', event: 'worker died', worker, pid: 0, reason: String(error) });
      }
      if (performance.now() - born < youngMs) await Bun.sleep(pauseMs);
    }
    await first?.ended;
  }

  // The first alone, so that a mistake is told once.
  const first = start(1);
  const banner = await first.ready;
  if (banner === undefined) return stopping ? 0 : first.ended;
  serving = true;
  onReady(banner);
  await Promise.all([keep(1, first), ...Array.from({ length: count - 1 }, (_, index) => keep(index + 2))]);
  return 0;
}

/** From a checkout the runtime is given the file to run; the executable is both. */
function command(): string[] {
  return import.meta.dir.startsWith('/$bunfs') ? [process.execPath] : [process.execPath, Bun.main];
}
