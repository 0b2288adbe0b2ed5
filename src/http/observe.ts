/** One log entry per request, and the request id that ties an answer to it. */
import type { Failure } from '../domain/errors.ts';
import type { Handlers } from '../wire/connection.ts';
import type { Incoming } from '../wire/incoming.ts';
import type { Reply } from '../wire/reply.ts';
import { failure, type Replied } from './reply.ts';

export type RequestEntry = {
  readonly level: 'info' | 'error';
  readonly event: 'request';
  readonly request_id: string;
  /** Empty, as the path, of what was no request. */
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

export type Handler = (request: Incoming, path: string, requestId: string) => Replied;

export function observed(log: Log, handler: Handler): Handlers {
  // Unique across restarts and instances, and cheaper than a UUID for each.
  const run = crypto.randomUUID().slice(0, 13);
  let made = 0;
  const newId = () => `${run}-${(made++).toString(36)}`;

  function finish(reply: Reply, start: number, requestId: string, method: string, path: string): Reply {
    const { status, headers, body, size } = reply;
    log({
      level: status < 500 ? 'info' : 'error',
      event: 'request',
      request_id: requestId,
      method,
      path,
      status,
      bytes: method === 'HEAD' ? 0 : (size ?? 0),
      ms: Math.round((performance.now() - start) * 1000) / 1000,
    });
    return { status, headers: { ...headers, 'X-Request-Id': requestId }, body, size };
  }

  return {
    answer(request) {
      const start = performance.now();
      const { method } = request;
      const path = encodedPath(request.target);
      const sent = request.header('x-request-id');
      const requestId = sent !== null && saneId.test(sent) ? sent : newId();
      const reply = handler(request, path, requestId);
      return reply instanceof Promise
        ? reply.then((later) => finish(later, start, requestId, method, path))
        : finish(reply, start, requestId, method, path);
    },
    report: (error) => log({ level: 'error', event: 'error', request_id: '', error }),
    refuse: (refused: Failure) => finish(failure(refused), performance.now(), newId(), '', ''),
  };
}

/** The path, still encoded, without the query; of the absolute form, what follows the host. */
function encodedPath(target: string): string {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = local.indexOf('?');
  return (end < 0 ? local : local.slice(0, end)) || '/';
}
