/** A server that can be killed, stopped, paused and started again. */
import { command, type Shelf, startShelf } from '../../../test/support/servers/process.ts';

/** Workers of the previous server may still hold the port, and the database may be down. */
const maxStarts = 100;
const startPauseMs = 100;
/** A server that takes longer to stop is killed. */
const stopMs = 30_000;

export class Server {
  #shelf: Shelf | undefined;

  constructor(
    readonly args: readonly string[],
    /** Called with the port at each start. */
    readonly started: (port: number) => void = () => {},
    /** How the server is started. */
    readonly program: readonly string[] = command,
  ) {}

  async start(): Promise<this> {
    for (let tries = 1; this.#shelf === undefined; tries++) {
      try {
        this.#shelf = await startShelf({ args: [...this.args, '--log', 'off'], command: this.program });
      } catch (error) {
        if (tries === maxStarts) throw error;
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

  /** Suspends the process for a while, as on a suspended machine. */
  async pause(ms: number): Promise<void> {
    await pause(this.pid, ms);
  }
}

export async function pause(pid: number, ms: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await Bun.sleep(ms);
  process.kill(pid, 'SIGCONT');
}
