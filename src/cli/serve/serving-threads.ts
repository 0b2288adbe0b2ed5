/** The other threads that serve, as the first one sees them: it starts and stops them. One that ends by itself ends the process. */
import { MessageChannel } from 'node:worker_threads';
import type { Sharing } from '../../domain/store/admin.ts';
import type { IssuerState } from '../../http/access/issuer.ts';
import { type Calls, callsOf, serveCalls } from '../../threads/calls.ts';
import { startThread } from '../../threads/start.ts';
import type { TlsFiles } from '../../wire/port/tls.ts';
import type { ServingSetup, ThreadCalls, WriterMessage } from '../serving-thread.ts';
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

export class ServingThreads {
  readonly #threads: { readonly worker: Worker; readonly calls: Calls<ThreadCalls> }[];
  #isStopping = false;

  constructor(readonly options: ThreadsOptions) {
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
    sharing.connect({
      take: (port) => worker.postMessage({ take: port } satisfies WriterMessage, [port]),
      lose: (cause) => worker.postMessage({ lose: cause.message } satisfies WriterMessage),
    });
    return { worker, calls };
  }
}
