/** A thread that is started with its owner, and started again whenever it ends. */

/** Milliseconds between the end of a thread and the next start; doubled after each start that fails. */
const pauses = { shortest: 100, longest: 5000 };

export type Supervision<Message> = {
  /** As it is called in errors, such as "the writing thread". */
  readonly name: string;
  readonly start: () => Worker;
  /** The first message that each start sends. */
  readonly setup: unknown;
  /** What the thread says when it is ready. Sent to the thread it is the last message, and the thread repeats it when it is done. */
  readonly signal: Message;
  readonly onMessage: (message: Message) => void;
  /** The thread is gone: messages without an answer get none. */
  readonly onEnd: (error: Error) => void;
  /** A later start has succeeded. */
  readonly onReturn?: () => void;
};

export class SupervisedThread<Message> {
  /** Rejects when the first start fails; there is no second one then. */
  readonly ready: Promise<void>;
  readonly #first = Promise.withResolvers<void>();
  #done = Promise.withResolvers<void>();
  #worker: Worker | undefined;
  /** Whether the current worker has said that it is ready. */
  #answered = false;
  #state: 'starting' | 'ready' | 'restarting' | 'closed' = 'starting';
  #error: Error;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pause = pauses.shortest;

  constructor(readonly supervision: Supervision<Message>) {
    this.#error = new Error(`${supervision.name} is starting`);
    this.ready = this.#first.promise;
    this.ready.catch(() => {});
    this.#start();
  }

  /** Throws unless the thread is ready. */
  check(): void {
    if (this.#state !== 'ready') throw this.#error;
  }

  /** A thread that is starting for the first time gets the message when it is ready. Throws when there is no thread; then nothing is transferred. */
  post(message: unknown, transfer?: ArrayBuffer[]): void {
    if (this.#worker === undefined || this.#state === 'restarting' || this.#state === 'closed') throw this.#error;
    // Bun sends a string faster without a transfer list.
    if (transfer === undefined) this.#worker.postMessage(message);
    else this.#worker.postMessage(message, transfer);
  }

  /** Lets the thread finish what it was sent before. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#state = 'closed';
    this.#error = new Error(`${this.supervision.name} is closed`);
    if (this.#worker === undefined) return;
    this.#worker.postMessage(this.supervision.signal);
    await this.#done.promise;
    this.#worker?.terminate();
  }

  #start(): void {
    const { start, setup } = this.supervision;
    let reason = '';
    this.#done = Promise.withResolvers();
    try {
      const worker = start();
      this.#worker = worker;
      worker.onmessage = ({ data }: MessageEvent<Message>) => this.#hear(data);
      worker.onerror = ({ message }) => {
        reason = summary(message);
      };
      // Follows every end, an error too. Until then a thread may still be at work.
      worker.addEventListener('close', () => this.#ended(reason));
      worker.postMessage(setup);
    } catch (error) {
      this.#ended(summary(String(error)));
    }
  }

  #hear(message: Message): void {
    const { signal, onMessage, onReturn } = this.supervision;
    if (message !== signal) onMessage(message);
    else if (this.#answered) this.#done.resolve();
    else {
      this.#answered = true;
      const isReturn = this.#state === 'restarting';
      if (this.#state !== 'closed') this.#state = 'ready';
      this.#pause = pauses.shortest;
      this.#first.resolve();
      if (isReturn) onReturn?.();
    }
  }

  #ended(reason: string): void {
    const { name, onEnd } = this.supervision;
    const error = new Error(`${name} ended${reason === '' ? '' : ` (${reason})`}`);
    this.#worker = undefined;
    this.#answered = false;
    this.#first.reject(error);
    this.#done.resolve();
    if (this.#state === 'ready' || this.#state === 'restarting') {
      this.#state = 'restarting';
      this.#timer = setTimeout(() => this.#start(), this.#pause);
      this.#pause = Math.min(this.#pause * 2, pauses.longest);
    } else {
      this.#state = 'closed';
    }
    this.#error = error;
    onEnd(error);
  }
}

/** The one line of an uncaught error that names it: around it the runtime prints source and stack. */
function summary(message: string): string {
  const lines = message.split('\n').map((line) => line.trim());
  return lines.find((line) => /^\w*(error|message): /i.test(line)) ?? lines[0] ?? '';
}
