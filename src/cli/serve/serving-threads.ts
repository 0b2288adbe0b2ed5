/** The other threads that serve, as the first one sees them: it starts and stops them. One that ends by itself ends the process. */
import { MessageChannel } from 'node:worker_threads';
import type { Sharing } from '../../domain/store/admin.ts';
import type { IssuerState } from '../../http/access/issuer.ts';
import { type Calls, callsOf, serveCalls } from '../../threads/calls.ts';
import { startThread } from '../../threads/start.ts';
import type { TlsFiles } from '../../wire/port/tls.ts';
import type { NextMessage, ServingSetup, ThreadCalls, WriterMessage } from '../serving-thread.ts';
import type { Next, OtherThreads } from '../takeover/takeover.ts';
import type { MainCalls } from './thread-calls.ts';

export type ThreadsOptions = {
  /** How many. */
  readonly count: number;
  readonly setup: Omit<ServingSetup, 'store' | 'calls'>;
  readonly sharing: Sharing;
  /** Adds one, and returns what it may ask for. */
  readonly join: (thread: Calls<ThreadCalls>) => MainCalls;
  /** Called with one line if one of them ends. */
  readonly onEnd: (line: string) => void;
};

export class ServingThreads implements OtherThreads {
  readonly #threads: { readonly worker: Worker; readonly calls: Calls<ThreadCalls> }[];
  #isStopping = false;
  /** Of the declarations that are served. */
  #sharing: Sharing;

  constructor(readonly options: ThreadsOptions) {
    this.#sharing = options.sharing;
    this.#threads = Array.from({ length: options.count }, () => this.#start());
  }

  /** Resolves when all of them can serve. */
  get ready(): Promise<unknown> {
    return this.#all((calls) => calls.ready());
  }

  drain(): void {
    this.#all((calls) => calls.drain()).catch(() => {});
  }

  /** Resolves when all of them use the certificate. */
  async renew(files: TlsFiles): Promise<void> {
    await this.#all((calls) => calls.renew(files));
  }

  adoptIssuer(name: string, state: IssuerState): void {
    this.#all((calls) => calls.adoptIssuer(name, state)).catch(() => {});
  }

  async finish(withinMs: number): Promise<number> {
    const unfinished = await this.#all((calls) => calls.finish(withinMs));
    return unfinished.reduce((sum, one) => sum + one, 0);
  }

  async retire(): Promise<void> {
    await this.#all((calls) => calls.retire());
  }

  async adopt(next: Next, sharing: Sharing): Promise<void> {
    this.#sharing = sharing;
    for (const { worker } of this.#threads) {
      worker.postMessage({ next: { ...next, store: sharing.data } } satisfies NextMessage);
      this.#connect(worker, sharing);
    }
    await this.ready;
  }

  async release(): Promise<void> {
    await this.#all((calls) => calls.release());
  }

  async stop(withinMs: number, atOnce?: AbortSignal): Promise<void> {
    this.#isStopping = true;
    const hurry = () => this.#all((calls) => calls.hurry()).catch(() => {});
    if (atOnce?.aborted) await hurry();
    atOnce?.addEventListener('abort', hurry);
    // One that cannot start has nothing to stop.
    await this.#all((calls) =>
      calls.ready().then(
        () => calls.stop(withinMs),
        () => {},
      ),
    );
    for (const { worker } of this.#threads) worker.terminate();
  }

  #all<Result>(ask: (calls: Calls<ThreadCalls>) => Promise<Result>): Promise<Result[]> {
    return Promise.all(this.#threads.map(({ calls }) => ask(calls)));
  }

  #start() {
    const { setup, sharing, join, onEnd } = this.options;
    const worker = startThread('cli/serving-thread');
    const { port1, port2 } = new MessageChannel();
    const calls = callsOf<ThreadCalls>(port1);
    serveCalls(port1, join(calls));
    let reason = '';
    worker.onerror = ({ message }) => {
      reason = message;
    };
    worker.addEventListener('close', () => {
      if (!this.#isStopping) onEnd(`A serving thread ended${reason === '' ? '' : ` (${reason})`}: restart the server.`);
    });
    worker.postMessage({ ...setup, store: sharing.data, calls: port2 } satisfies ServingSetup, [port2]);
    this.#connect(worker, sharing);
    return { worker, calls };
  }

  #connect(worker: Worker, sharing: Sharing): void {
    const isServed = () => sharing === this.#sharing;
    sharing.connect({
      take: (port) => isServed() && worker.postMessage({ take: port } satisfies WriterMessage, [port]),
      lose: (cause) => isServed() && worker.postMessage({ lose: cause.message } satisfies WriterMessage),
    });
  }
}
