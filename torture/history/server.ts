/** A server that clients reach at a port while it is up, through restarts of any kind. */
import { type Shelf, startShelf } from '../../test/process.ts';

/** The port of the one before may still be held by its workers, and a database may still be away. */
const mostStarts = 100;
const startPauseMs = 100;
/** A server that does not stop by itself is stopped. */
const stopMs = 30_000;

export class Server {
  #shelf: Shelf | undefined;

  constructor(
    readonly args: readonly string[],
    /** Told of the port at each start. */
    readonly started: (port: number) => void = () => {},
  ) {}

  async start(): Promise<this> {
    for (let tries = 1; this.#shelf === undefined; tries++) {
      try {
        this.#shelf = await startShelf({ args: [...this.args, '--log', 'off'] });
      } catch (error) {
        if (tries === mostStarts) throw error;
        await Bun.sleep(startPauseMs);
      }
    }
    this.started(this.port);
    return this;
  }

  /** 0 while it is down. */
  get port(): number {
    return this.#shelf === undefined ? 0 : Number(new URL(this.#shelf.url).port);
  }

  get pid(): number {
    if (this.#shelf === undefined) throw new Error('the server is down');
    return this.#shelf.pid;
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const shelf = this.#shelf;
    this.#shelf = undefined;
    if (shelf === undefined) return;
    const timer = setTimeout(() => shelf.stop('SIGKILL'), stopMs);
    await shelf.stop(signal);
    clearTimeout(timer);
  }

  async restart(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await this.end(signal);
    await this.start();
  }

  /** Stops its process for a while, as a machine that is suspended. */
  async pause(ms: number): Promise<void> {
    await pause(this.pid, ms);
  }
}

export async function pause(pid: number, ms: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await Bun.sleep(ms);
  process.kill(pid, 'SIGCONT');
}
