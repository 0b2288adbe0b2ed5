/** Several processes on one port: starts them, replaces one that dies, and stops them all. */
import { StartError } from '../domain/errors.ts';
import type { Config } from './config.ts';
import { listenOn } from './serve.ts';

/** Set for a process that is one of several. */
const workerVariable = 'SHELF_WORKER';
/** A worker that dies young is not replaced at once, or a lasting fault would keep the machine busy with starting. */
const youngMs = 5_000;
const pauseMs = 1_000;

export type WorkerEvent = {
  readonly level: 'info' | 'error';
  readonly event: 'worker started' | 'worker died';
  readonly worker: number;
  readonly pid: number;
  /** The exit code or the signal. */
  readonly reason?: string;
};

export function isWorker(): boolean {
  return process.env[workerVariable] !== undefined;
}

/** Tells the parent that this worker serves; ends it when the parent is gone. */
export function reportReady(banner: unknown, stop: () => void): void {
  process.on('disconnect', stop);
  process.send?.(banner);
}

export function requireWorkers({ workers, database, port, host }: Config): void {
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
    { answer: unused, refuse: unused, report: unused },
  );
  probe.stop(0);
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
  const running = new Map<number, Bun.Subprocess>();
  let stopping = false;
  const stop = () => {
    stopping = true;
    for (const child of running.values()) child.kill('SIGTERM');
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  /** Resolves with its banner once it serves, or with its exit code when it ends before. */
  async function start(worker: number): Promise<{ banner: unknown } | { code: number }> {
    const ready = Promise.withResolvers<{ banner: unknown }>();
    const child = Bun.spawn([...command(), ...process.argv.slice(2)], {
      env: { ...process.env, [workerVariable]: String(worker) },
      stdio: ['inherit', 'inherit', 'inherit'],
      ipc: (banner) => ready.resolve({ banner }),
    });
    running.set(worker, child);
    const ended = child.exited.then((code) => ({ code }));
    const first = await Promise.race([ready.promise, ended]);
    if ('banner' in first) {
      tell({ level: 'info', event: 'worker started', worker, pid: child.pid });
      watch(worker, child);
    } else running.delete(worker);
    return first;
  }

  const allEnded = Promise.withResolvers<number>();
  async function watch(worker: number, child: Bun.Subprocess): Promise<void> {
    const born = performance.now();
    const code = await child.exited;
    running.delete(worker);
    if (stopping) {
      if (running.size === 0) allEnded.resolve(0);
      return;
    }
    tell({ level: 'error', event: 'worker died', worker, pid: child.pid, reason: String(child.signalCode ?? code) });
    if (performance.now() - born < youngMs) await Bun.sleep(pauseMs);
    while (!stopping && 'code' in (await start(worker))) await Bun.sleep(pauseMs);
    if (stopping && running.size === 0) allEnded.resolve(0);
  }

  // The first alone, so that a mistake is told once.
  const first = await start(1);
  if ('code' in first) return first.code;
  onReady(first.banner);
  await Promise.all(Array.from({ length: count - 1 }, (_, index) => start(index + 2)));
  if (stopping) stop();
  return allEnded.promise;
}

/** From a checkout the runtime is given the file to run; the executable is both. */
function command(): string[] {
  return import.meta.dir.startsWith('/$bunfs') ? [process.execPath] : [process.execPath, Bun.main];
}
