/** One log entry per request, the request id that ties an answer to it, and what every answer says of itself. */
import type { Caller } from '../domain/caller.ts';
import type { Failure } from '../domain/errors.ts';
import type { Handlers } from '../wire/connection.ts';
import type { Incoming, Peer } from '../wire/incoming.ts';
import type { Headers, Reply } from '../wire/reply.ts';
import type { Replied } from './reply.ts';

export const levels = ['info', 'warn', 'error'] as const;
export type Level = (typeof levels)[number];

export type RequestEntry = {
  readonly level: Level;
  readonly event: 'request';
  readonly request_id: string;
  /** Empty, as the path, of what was no request. */
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly bytes: number;
  readonly ms: number;
  /** The address that it came from. */
  readonly client?: string;
  /** The name of the key that it came with. */
  readonly key?: string;
  readonly trace_id?: string;
  /** Of a slow one: how long its body took to come, and everything else; and how many others were under way. */
  readonly slow?: { readonly body_ms: number; readonly work_ms: number; readonly under_way: number };
};

export type ErrorEntry = {
  readonly level: 'error';
  readonly event: 'error';
  readonly request_id: string;
  readonly error: unknown;
};

export type Log = (entry: RequestEntry | ErrorEntry) => void;

/** What is known of a request by the time that it is answered. */
export type Context = {
  readonly requestId: string;
  /** The path of its route, as declared; empty where there is none. */
  route: string;
  caller: Caller | undefined;
  /** For the answer, whatever it is. */
  headers: Headers | undefined;
};

export type ObserveOptions = {
  readonly log: Log;
  readonly logLevel: Level;
  /** From how many milliseconds on a request is slow. */
  readonly slow: number;
  addressOf(request: Pick<Incoming, 'peer' | 'header'>): string;
  /** How many are under way. */
  underWay(): number;
  /** Told of every answer, with its time in milliseconds. */
  count?: ((route: string, method: string, status: number, ms: number) => void) | undefined;
};

export type Handler = (request: Incoming, path: string, context: Context) => Replied;

/** What may stand in a header and in a log line as it is. */
const saneId = /^[\w.:/+=@-]{1,128}$/;
/** Trace Context (W3C), version 00. */
const traceparent = /^00-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/;

export type Answers = {
  respond: Handler;
  /** To one that takes too long. */
  late(request: Incoming, path: string, context: Context): Reply;
  refused(why: Failure, peer: Peer): Reply;
};

export function observed(options: ObserveOptions, { respond, late, refused }: Answers): Handlers {
  const { log, logLevel, slow, addressOf, underWay, count } = options;
  const least = levels.indexOf(logLevel);
  // Unique across restarts and instances, and cheaper than a UUID for each.
  const run = crypto.randomUUID().slice(0, 13);
  let made = 0;
  const newId = () => `${run}-${(made++).toString(36)}`;
  /** Requests whose answer is still to come; one that was answered late is not among them any more. */
  const pending = new Map<Incoming, { readonly start: number; readonly path: string; readonly context: Context }>();

  function finish(reply: Reply, start: number, context: Context, request: Incoming, path: string): Reply {
    const { status, headers } = reply;
    const { requestId } = context;
    const now = performance.now();
    const ms = now - start;
    const level = status >= 500 ? 'error' : ms >= slow ? 'warn' : 'info';
    if (levels.indexOf(level) >= least) log(entryOf(reply, level, now, start, context, request, path));
    count?.(context.route, request.method, status, ms);
    const trace = request.header('traceparent');
    return {
      ...reply,
      headers: {
        // What suits an answer that says nothing of it: kept by the client, and asked for again each time.
        'Cache-Control': status < 400 ? 'no-cache' : 'no-store',
        ...headers,
        ...context.headers,
        ...(trace !== null && traceparent.test(trace) ? { traceparent: trace } : undefined),
        'X-Content-Type-Options': 'nosniff',
        'X-Request-Id': requestId,
      },
    };
  }

  function entryOf(
    { status, size }: Reply,
    level: Level,
    now: number,
    start: number,
    { requestId, caller }: Context,
    request: Incoming,
    path: string,
  ): RequestEntry {
    const trace = traceparent.exec(request.header('traceparent') ?? '')?.[1];
    const bodyMs = Math.max(request.body.completedAt - start, 0);
    return {
      level,
      event: 'request',
      request_id: requestId,
      method: request.method,
      path,
      status,
      bytes: request.method === 'HEAD' ? 0 : (size ?? 0),
      ms: rounded(now - start),
      client: addressOf(request),
      ...(caller === undefined ? undefined : { key: caller.name }),
      ...(trace === undefined ? undefined : { trace_id: trace }),
      ...(now - start < slow
        ? undefined
        : { slow: { body_ms: rounded(bodyMs), work_ms: rounded(now - start - bodyMs), under_way: underWay() } }),
    };
  }

  return {
    answer(request) {
      const start = performance.now();
      const path = encodedPath(request.target);
      const sent = request.header('x-request-id');
      const requestId = sent !== null && saneId.test(sent) ? sent : newId();
      const context: Context = { requestId, route: '', caller: undefined, headers: undefined };
      const reply = respond(request, path, context);
      if (!(reply instanceof Promise)) return finish(reply, start, context, request, path);
      pending.set(request, { start, path, context });
      return reply.then((later) => {
        // What was answered already is neither logged nor counted again, and the connection drops it.
        return pending.delete(request) ? finish(later, start, context, request, path) : later;
      });
    },
    late(request) {
      const known = pending.get(request);
      if (known === undefined) throw new Error('only what was asked can be late');
      pending.delete(request);
      const { start, path, context } = known;
      return finish(late(request, path, context), start, context, request, path);
    },
    report: (error) => log({ level: 'error', event: 'error', request_id: '', error }),
    refuse(why, peer) {
      const requestId = newId();
      const reply = refused(why, peer);
      const { status, headers, size } = reply;
      if (least === 0) {
        const client = addressOf({ peer, header: () => null });
        const entry = { level: 'info', event: 'request', request_id: requestId, method: '', path: '' } as const;
        log({ ...entry, status, bytes: size ?? 0, ms: 0, client });
      }
      count?.('', '', status, 0);
      const more = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', 'X-Request-Id': requestId };
      return { ...reply, headers: { ...headers, ...more } };
    },
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** The path, still encoded, without the query; of the absolute form, what follows the host. */
function encodedPath(target: string): string {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = local.indexOf('?');
  return (end < 0 ? local : local.slice(0, end)) || '/';
}
