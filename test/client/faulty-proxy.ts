/** A proxy between a client and a server that fails as networks, proxies and servers do, by a list of faults. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to one request. */
export type Fault =
  /** Answered by the server. */
  | 'pass'
  /** The connection is lost before the request reaches the server. */
  | 'lose the request'
  /** The server does it, and the connection is lost before the answer. */
  | 'lose the answer'
  /** The server does it, and the connection is lost in the middle of the answer. */
  | 'cut the answer'
  /** The server does not get it, and there is no answer. */
  | 'hang'
  /** The proxy answers itself. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

export type Seen = { readonly method: string; readonly path: string; readonly headers: IncomingMessage['headers'] };

export type FaultyProxy = {
  readonly url: string;
  /** Requests under /api/v2 so far, without those for the declarations. */
  readonly seen: readonly Seen[];
  /** For the next requests, in order; later ones pass. Requests for the declarations have their own. */
  next(...faults: readonly Fault[]): void;
  nextDeclarations(...faults: readonly Fault[]): void;
  readonly declarations: number;
  /** Cuts every connection. */
  cut(): void;
  stop(): Promise<void>;
};

export async function faultyProxy(target: string): Promise<FaultyProxy> {
  const seen: Seen[] = [];
  let faults: Fault[] = [];
  let ofDeclarations: Fault[] = [];
  let declarations = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const isIndex = url === '/api/v2';
    const isRecords = !isIndex && url.startsWith('/api/v2');
    if (isIndex) declarations++;
    if (isRecords) seen.push({ method, path: url, headers });
    const fault = (isIndex ? ofDeclarations : isRecords ? faults : []).shift() ?? 'pass';
    if (fault === 'hang') return;
    if (fault === 'lose the request') return void request.socket.destroy();
    if (typeof fault === 'object') {
      response.writeHead(fault.status, fault.headers);
      response.end(fault.body ?? '<h1>Bad gateway</h1>');
      return;
    }
    const { host: _, connection: __, 'accept-encoding': ___, ...kept } = headers;
    const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
    const answered = await fetch(target + url, { method, headers: kept as Record<string, string>, ...body });
    if (fault === 'lose the answer') {
      await answered.bytes();
      return void request.socket.destroy();
    }
    // The body is passed on as fetch returns it, decompressed.
    const changed = ['transfer-encoding', 'content-encoding', 'content-length'];
    const passed = Object.fromEntries([...answered.headers].filter(([name]) => !changed.includes(name)));
    response.writeHead(answered.status, passed);
    if (fault === 'cut the answer') {
      const bytes = await answered.bytes();
      response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy());
      return;
    }
    // A stream is passed on as it comes, until its client leaves.
    const reader = answered.body?.getReader();
    response.on('close', () => void reader?.cancel());
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) response.write(part.value);
    response.end();
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    next: (...wanted) => {
      faults = [...wanted];
    },
    nextDeclarations: (...wanted) => {
      ofDeclarations = [...wanted];
    },
    get declarations() {
      return declarations;
    },
    cut: () => server.closeAllConnections(),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
