/** One log entry per request, and the request id that ties an answer to it. */
import type { Replied, Reply } from './reply.ts';

export type RequestEntry = {
  readonly level: 'info' | 'error';
  readonly event: 'request';
  readonly request_id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly bytes: number;
  readonly ms: number;
};

export type ErrorEntry = {
  readonly level: 'error';
  readonly event: 'error';
  readonly request_id: string;
  readonly error: unknown;
};

export type Log = (entry: RequestEntry | ErrorEntry) => void;

/** What may stand in a header and in a log line as it is. */
const saneId = /^[\w.:/+=@-]{1,128}$/;

/** What a handler can ask of the server that it runs on. */
export type Server = { timeout(request: Request, seconds: number): void };
export type Fetch = (request: Request, server: Server) => Response | Promise<Response>;
export type Handler = (request: Request, path: string, requestId: string, server: Server) => Replied;

export function observed(log: Log, handler: Handler): Fetch {
  // Unique across restarts and instances, and cheaper than a UUID for each.
  const run = crypto.randomUUID().slice(0, 13);
  let made = 0;
  return (request, server) => {
    const start = performance.now();
    const { method } = request;
    const path = encodedPath(request.url);
    const sent = request.headers.get('X-Request-Id');
    const requestId = sent !== null && saneId.test(sent) ? sent : `${run}-${(made++).toString(36)}`;

    function finish({ status, headers, body, size = 0 }: Reply): Response {
      log({
        level: status < 500 ? 'info' : 'error',
        event: 'request',
        request_id: requestId,
        method,
        path,
        status,
        bytes: method === 'HEAD' ? 0 : size,
        ms: Math.round((performance.now() - start) * 1000) / 1000,
      });
      return new Response(body, { status, headers: { ...headers, 'X-Request-Id': requestId } });
    }

    const reply = handler(request, path, requestId, server);
    return reply instanceof Promise ? reply.then(finish) : finish(reply);
  };
}

/** The path, still encoded, without the query. Not by `new URL`, which throws where the Host header is malformed. */
function encodedPath(url: string): string {
  const start = /^https?:\/\//.test(url) ? Math.max(url.indexOf('/', 8), 0) : 0;
  const end = url.search(/[?#]/);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}
