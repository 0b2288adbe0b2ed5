/** A thread that starts with its owner, or when it is first needed, and is restarted whenever it ends. */

/** Milliseconds between the end of a thread and its restart; doubled after each start that fails. */
const delays = { shortest: 100, longest: 5000 };

export type Supervision<Message> = {
  /** For error messages, such as "the writing thread". */
  readonly name: string;
  readonly start: () => Worker;
  /** Starts it with the first message. Then `ready` resolves at once, and a start that fails is retried. */
  readonly whenNeeded?: boolean | undefined;
  /** Makes the first message to the thread after each start. */
  readonly setup: () => unknown;
  /**
   * The thread sends it when it is ready. The owner sends it as its last message, and the thread repeats it when it is
   * done.
   */
  readonly signal: Message;
  readonly onMessage: (message: Message) => void;
  /** The thread has ended: pending messages get no answer. */
  readonly onEnd: (error: Error) => void;
  /** A restart has succeeded. */
  readonly onReturn?: () => void;
};

export class SupervisedThread<Message> {
  /** Rejects when the first start fails, which is not retried. */
  readonly ready: Promise<void>;
  readonly #first = Promise.withResolvers<void>();
  #done = Promise.withResolvers<void>();
  #worker: Worker | undefined;
  /** The current worker has sent its ready signal. */
  #workerReady = false;
  #state: 'not needed' | 'starting' | 'ready' | 'restarting' | 'closed' = 'starting';
  #error: Error;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #delay = delays.shortest;

  constructor(readonly supervision: Supervision<Message>) {
    this.#error = new Error(`${supervision.name} is starting`);
    this.ready = this.#first.promise;
    this.ready.catch(() => {});
    if (supervision.whenNeeded) {
      this.#state = 'not needed';
      this.#first.resolve();
    } else this.#start();
  }

  /** Throws unless the thread is ready, or not needed yet. */
  check(): void {
    if (this.#state !== 'ready' && this.#state !== 'not needed') throw this.#error;
  }

  /**
   * During the first start the message is delivered once the thread is ready. Throws if there is no thread; nothing is
   * transferred then.
   */
  post(message: unknown, transfer?: Bun.Transferable[]): void {
    if (this.#state === 'not needed') {
      this.#state = 'ready';
      this.#start();
    }
    if (this.#worker === undefined || this.#state === 'restarting' || this.#state === 'closed') throw this.#error;
    // Without a transfer list Bun sends a string faster.
    if (transfer === undefined) this.#worker.postMessage(message);
    else this.#worker.postMessage(message, transfer);
  }

  /** The thread finishes the messages sent before. */
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
      worker.onmessage = ({ data }: MessageEvent<Message>) => this.#receive(data);
      worker.onerror = ({ message }) => {
        reason = summary(message);
      };
      // Follows every end, also one by an error. Until then the thread may still be working.
      worker.addEventListener('close', () => this.#ended(reason));
      worker.postMessage(setup());
    } catch (error) {
      this.#ended(summary(String(error)));
    }
  }

  #receive(message: Message): void {
    const { signal, onMessage, onReturn } = this.supervision;
    if (message !== signal) onMessage(message);
    else if (this.#workerReady) this.#done.resolve();
    else {
      this.#workerReady = true;
      const isReturn = this.#state === 'restarting';
      if (this.#state !== 'closed') this.#state = 'ready';
      this.#delay = delays.shortest;
      this.#first.resolve();
      if (isReturn) onReturn?.();
    }
  }

  #ended(reason: string): void {
    const { name, onEnd } = this.supervision;
    const error = new Error(`${name} ended${reason === '' ? '' : ` (${reason})`}`);
    this.#worker = undefined;
    this.#workerReady = false;
    this.#first.reject(error);
    this.#done.resolve();
    if (this.#state === 'ready' || this.#state === 'restarting') {
      this.#state = 'restarting';
      this.#timer = setTimeout(() => this.#start(), this.#delay);
      this.#delay = Math.min(this.#delay * 2, delays.longest);
    } else {
      this.#state = 'closed';
    }
    this.#error = error;
    onEnd(error);
  }
}

/** The line of an uncaught error that names it; the runtime prints source and stack around it. */
function summary(message: string): string {
  const lines = message.split('\n').map((line) => line.trim());
  return lines.find((line) => /^\w*(error|message): /i.test(line)) ?? lines[0] ?? '';
}
