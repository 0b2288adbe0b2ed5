/** Follows the live feed over a raw socket, reconnects whenever it is cut, and keeps the first violation. */
import type { Socket } from 'bun';

/** In milliseconds. It doubles with each connection that brings nothing: many that come back at once must not keep a slow server from answering any. */
const pauses = { first: 50, most: 1000 };

export class Follower {
  /** The changes received: their count, the last sequence number, and the sum of the sequence numbers. */
  count = 0;
  last: number;
  sum = 0;
  connects = 0;
  complaint: string | undefined;
  #text = '';
  #socket: Socket | undefined;
  #stopped = false;
  #pauseMs = pauses.first;

  constructor(
    after: number,
    readonly url: () => string,
    /** Called with the data of the events that arrived together. */
    readonly onEvents: (events: readonly string[]) => void = () => {},
    /** The query of the request, such as `?collection=items`. */
    readonly query = '',
  ) {
    this.last = after;
  }

  async connect(): Promise<void> {
    if (this.#stopped) return;
    const { hostname, port } = new URL(this.url());
    this.#text = '';
    try {
      const socket = await Bun.connect({
        hostname,
        port: Number(port),
        socket: {
          data: (_, chunk) => this.#take(chunk.toString('latin1')),
          close: (closed) => {
            if (closed === this.#socket) this.#reconnectSoon();
          },
        },
      });
      this.#socket = socket;
      this.connects++;
      // HTTP/1.0, so that the answer is not chunked.
      socket.write(
        `GET /api/v2/events${this.query} HTTP/1.0\r\nHost: localhost\r\nLast-Event-ID: ${this.last}\r\n\r\n`,
      );
    } catch {
      this.#reconnectSoon();
    }
  }

  /** Cuts the connection, as a network failure does; the follower reconnects. */
  cut(): void {
    this.#socket?.terminate();
  }

  stop(): void {
    this.#stopped = true;
    this.#socket?.terminate();
  }

  #reconnectSoon(): void {
    this.#socket = undefined;
    if (!this.#stopped) setTimeout(() => this.connect(), this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, pauses.most);
  }

  /** An event is complete when its final empty line has arrived. */
  #take(chunk: string): void {
    this.#text += chunk;
    const end = this.#text.lastIndexOf('\n\n');
    if (end < 0) return;
    const blocks = this.#text.slice(0, end).split('\n\n');
    this.#text = this.#text.slice(end + 2);
    const events: string[] = [];
    for (const block of blocks) {
      if (block.includes('event: resync')) this.complaint ??= 'received a resync';
      const changeNumber = Number(/^id: (\d+)\nevent: /.exec(block)?.[1] ?? 0);
      if (changeNumber === 0) continue;
      if (changeNumber <= this.last) this.complaint ??= `received change ${changeNumber} after ${this.last}`;
      this.last = changeNumber;
      this.count++;
      this.sum += changeNumber;
      events.push(block.slice(block.indexOf('\ndata: ') + '\ndata: '.length));
    }
    if (events.length === 0) return;
    this.#pauseMs = pauses.first;
    this.onEvents(events);
  }
}
