/** A connection that sends every request once. The runtime's fetch may retry one, which would double a write. */
import type { Socket } from 'bun';

export type ReceivedReply = {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

export type Sending = {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** Much longer than any deadline of the server. */
const patienceMs = 20_000;

export class Connection {
  #text = '';
  /** The part of the request that the socket has not accepted yet. */
  #unsent: Buffer = Buffer.alloc(0);
  #socket: Socket | undefined;
  #waiting: { readonly method: string; readonly done: (reply: ReceivedReply | undefined) => void } | undefined;

  /** Undefined if the port cannot be reached. */
  static async to(port: number): Promise<Connection | undefined> {
    const connection = new Connection();
    try {
      connection.#socket = await Bun.connect({
        hostname: '127.0.0.1',
        port,
        socket: {
          data: (_, chunk) => connection.#take(chunk.toString('latin1')),
          drain: () => connection.#send(),
          close: () => connection.#end(),
          error: () => connection.#end(),
        },
      });
      return connection;
    } catch {
      return undefined;
    }
  }

  get open(): boolean {
    return this.#socket !== undefined;
  }

  /** Undefined if the connection ended first, or there was no answer in time. */
  async ask({ method, path, headers = {}, body = '' }: Sending): Promise<ReceivedReply | undefined> {
    const { promise, resolve } = Promise.withResolvers<ReceivedReply | undefined>();
    this.#waiting = { method, done: resolve };
    const all = { Host: 'localhost', 'Content-Length': String(body.length), ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const timer = setTimeout(() => this.close(), patienceMs);
    if (this.#socket === undefined) this.#end();
    this.#unsent = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
    this.#send();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#socket?.terminate();
    this.#end();
  }

  #send(): void {
    const sent = this.#socket?.write(this.#unsent) ?? 0;
    this.#unsent = this.#unsent.subarray(Math.max(sent, 0));
  }

  #end(): void {
    this.#socket = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.done(undefined);
  }

  #take(chunk: string): void {
    this.#text += chunk;
    if (this.#waiting === undefined) return;
    const { method, done } = this.#waiting;
    const found = parse(this.#text, method);
    if (found === undefined) return;
    this.#text = this.#text.slice(found.end);
    this.#waiting = undefined;
    if (found.reply.headers.get('connection') === 'close') this.#socket = undefined;
    done(found.reply);
  }
}

/** Undefined until the reply is complete. */
function parse(text: string, method: string): { readonly reply: ReceivedReply; readonly end: number } | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [first = '', ...lines] = text.slice(0, headEnd).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const status = Number(first.split(' ')[1]);
  const start = headEnd + 4;
  if (method === 'HEAD' || status === 204 || status === 304)
    return { reply: { status, headers, body: '' }, end: start };
  if (headers.get('transfer-encoding') === 'chunked') {
    const chunked = dechunk(text, start);
    return chunked && { reply: { status, headers, body: chunked.body }, end: chunked.end };
  }
  const end = start + Number(headers.get('content-length') ?? 0);
  return text.length < end ? undefined : { reply: { status, headers, body: text.slice(start, end) }, end };
}

function dechunk(text: string, start: number): { readonly body: string; readonly end: number } | undefined {
  let body = '';
  for (let at = start; ; ) {
    const line = text.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(text.slice(at, line), 16);
    const next = line + 2 + size + 2;
    if (text.length < next) return undefined;
    if (size === 0) return { body, end: next };
    body += text.slice(line + 2, line + 2 + size);
    at = next;
  }
}
