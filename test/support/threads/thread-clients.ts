/** Clients with a connection of their own, so that the system gives them to different threads. */
import type { Socket } from 'node:net';
import { connectTo } from '../servers/network/socket.ts';

const gap = '\r\n\r\n';
const lastChunk = '\r\n0\r\n\r\n';

/** The body of a long list has the framing of its chunks. */
type Answer = { readonly status: number; readonly body: string };

export class Client {
  #received = '';
  #arrived = Promise.withResolvers<void>();

  constructor(readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (part: string) => {
      this.#received += part;
      this.#arrived.resolve();
    });
  }

  /** One request at a time. */
  async ask(method: string, path: string, body = '', type = 'application/json'): Promise<Answer> {
    const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`;
    this.socket.write(head + body, 'latin1');
    for (;;) {
      const end = this.#endOfAnswer();
      if (end !== undefined) {
        const answer = this.#received.slice(0, end);
        this.#received = this.#received.slice(end);
        return { status: Number(answer.slice(9, 12)), body: answer.slice(answer.indexOf(gap) + gap.length) };
      }
      this.#arrived = Promise.withResolvers();
      await this.#arrived.promise;
    }
  }

  /** Undefined while it has not arrived. */
  #endOfAnswer(): number | undefined {
    const head = this.#received.slice(0, this.#received.indexOf(gap) + gap.length);
    if (head.length < gap.length) return undefined;
    const last = /\r\ntransfer-encoding: chunked/i.test(head) ? this.#received.indexOf(lastChunk) : undefined;
    if (last !== undefined) return last < 0 ? undefined : last + lastChunk.length;
    const end = head.length + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    return end > this.#received.length ? undefined : end;
  }

  close(): void {
    this.socket.destroy();
  }
}

export function connections(url: string, count: number): Client[] {
  return Array.from({ length: count }, () => new Client(connectTo(url)));
}

/** The answers to a GET over new connections: so many that each of three threads gets one. */
export function onAllThreads(url: string): Promise<{ readonly status: number; readonly text: string }[]> {
  const ask = async () => {
    const answer = await fetch(url, { headers: { Connection: 'close' } });
    return { status: answer.status, text: await answer.text() };
  };
  return Promise.all(Array.from({ length: 12 }, ask));
}
