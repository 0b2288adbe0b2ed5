/** A keep-alive connection that may have several requests in flight, and accepts no byte besides their answers. */
import type { Socket } from 'bun';
import { type Answer, Answers, BadAnswer } from './answers.ts';

export type Exchange = {
  readonly request: string;
  /** Called when the last byte of the answer has arrived. */
  judge(answer: Answer): void;
};

/** For all answers to one `send`: much longer than any of them takes. */
const patienceMs = 20_000;

export class Connection {
  #socket: Socket | undefined;
  readonly #answers = new Answers();
  #expected: Exchange[] = [];
  #unsent: Uint8Array = new Uint8Array();
  #sending = Promise.withResolvers<void>();

  static async open(port: number): Promise<Connection> {
    const connection = new Connection();
    connection.#socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        data: (_, chunk) => connection.#take(chunk),
        drain: () => connection.#write(),
        close: () => connection.#fail('the connection was closed'),
        error: (_, error) => connection.#fail(error.message),
      },
    });
    return connection;
  }

  /** Sends all requests at once; resolves when the last one is answered. Rejects with a BadAnswer. */
  async send(exchanges: readonly Exchange[]): Promise<void> {
    this.#sending = Promise.withResolvers();
    this.#expected = [...exchanges];
    this.#unsent = Buffer.from(exchanges.map(({ request }) => request).join(''));
    const timer = setTimeout(() => this.#fail(`no answer within ${patienceMs / 1000} s`), patienceMs);
    this.#write();
    await this.#sending.promise.finally(() => clearTimeout(timer));
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.terminate();
  }

  #write(): void {
    this.#unsent = this.#unsent.subarray(Math.max(this.#socket?.write(this.#unsent) ?? 0, 0));
  }

  #take(chunk: Uint8Array): void {
    try {
      this.#answers.take(chunk, (answer) => {
        const exchange = this.#expected.shift();
        if (exchange === undefined) throw new BadAnswer(`an answer ${answer.status} without a request`);
        exchange.judge(answer);
      });
    } catch (error) {
      this.#fail((error as Error).message);
      return;
    }
    if (this.#expected.length > 0) return;
    if (this.#answers.incomplete > 0) this.#fail(`${this.#answers.incomplete} bytes after the last answer`);
    else this.#sending.resolve();
  }

  /** Has no effect after `close`. */
  #fail(reason: string): void {
    if (this.#socket === undefined) return;
    const waiting = `${this.#expected.length} answers expected, ${this.#answers.incomplete} bytes of one received`;
    this.#sending.reject(new BadAnswer(`${reason} (${waiting})`));
    this.close();
  }
}
