/** Ties an answer to its request: the request id, one log entry, the metrics, and the headers of every answer. */

import { authorOf, type Caller } from '../../domain/caller.ts';
import type { FailureCode } from '../../domain/errors.ts';
import type { Reply } from '../../wire/answer/reply.ts';
import type { Incoming, Peer } from '../../wire/request/incoming.ts';
import type { Context } from '../route/context.ts';
import { type Audit, recordIn } from './audit.ts';
import { type Log, type LogLevel, logLevels, type RequestEntry, type SlowRequest } from './log-entry.ts';
import { parametersOf } from './parameters.ts';
import { requestIds } from './request-ids.ts';
import { rounded } from './rounded.ts';
import type { Telemetry } from './telemetry.ts';

export type LogOptions = {
  readonly write: Log;
  /** Requests below this level have no entry; with `off`, none has. A failure has an entry of its own. */
  readonly level: LogLevel | 'off';
  /** In milliseconds: a request that takes at least this long is slow. */
  readonly slow: number;
};

export type ObserverOptions = {
  readonly log: LogOptions;
  addressOf(request: Pick<Incoming, 'peer' | 'header'>): string;
  /** Requests in flight. */
  inFlight(): number;
  /** Called for every answer. */
  count(route: string, method: string, status: number, ms: number, requestId: string, target: string): void;
  /** Absent without an audit log. */
  readonly audit?: Audit | undefined;
  /** Absent without OpenTelemetry. */
  readonly telemetry?: Telemetry | undefined;
};

/** Needs no escape in a header or in a log line. */
const safeId = /^[\w.:/+=@-]{1,128}$/;
/** A browser must not guess another type, and must not give the answer to a page of another origin that embeds it. */
const browserPolicy = 'X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n';
/**
 * What every answer has before its request id: each is one text, because sending takes time for each string that a text was made of. An answer
 * without Cache-Control gets one: caches revalidate it at each use, or do not store it.
 */
const leads = {
  cached: leadWith(''),
  noCache: leadWith('Cache-Control: no-cache\r\n'),
  noStore: leadWith('Cache-Control: no-store\r\n'),
  private: leadWith('Cache-Control: private, no-store\r\n'),
} as const;

function leadWith(cacheControl: string): string {
  return [cacheControl, browserPolicy, 'X-Request-Id: '].join('');
}

/** Trace Context (W3C), version 00. */
const traceparent = /^00-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/;

export type Observer = {
  /** Starts the clock, and takes or makes the request id. */
  begin(request: Incoming): Context;
  /** Logs and counts an answer, and adds the headers of every answer. */
  finish(reply: Reply, context: Context, request: Incoming): Reply;
  /** The same for input that is not a request. */
  finishRefusal(reply: Reply, peer: Peer): Reply;
  handshakeFailed(reason: string, peer: Peer): void;
};

export function createObserver(options: ObserverOptions): Observer {
  const { addressOf, inFlight, count, telemetry } = options;
  const { write: log, slow } = options.log;
  const minLevel = options.log.level === 'off' ? logLevels.length : logLevels.indexOf(options.log.level);
  const newId = requestIds();

  function finish(reply: Reply, context: Context, request: Incoming): Reply {
    // After a time-out the connection drops this answer, so it is neither logged nor counted again.
    if (context.answered) return reply;
    context.answered = true;
    const { status, headers, body, size, shared = false } = reply;
    const now = performance.now();
    const ms = now - context.start;
    const level = status >= 500 ? 'error' : ms >= slow ? 'warn' : 'info';
    const trace = request.head.fields.identified ? request.header('traceparent') : null;
    const sentId = trace === null ? undefined : traceparent.exec(trace)?.[1];
    const traceId = context.trace?.id ?? sentId;
    const isLogged = logLevels.indexOf(level) >= minLevel;
    const entry = isLogged ? entryOf(reply, level, ms, traceId, context, request) : undefined;
    if (entry !== undefined) log(entry, now);
    count(context.route, request.method, status, ms, context.requestId, request.target);
    if (telemetry !== undefined) {
      telemetry.count(request, context, status, ms);
      if (context.trace?.isRecorded || level !== 'info')
        telemetry.finish({ request, context, client: addressOf(request), entry, status, now });
    }
    if (context.failure !== undefined && (status === 401 || status === 403))
      auditRefusal(context.failure, context, request);
    let lines = '';
    for (const name in context.headers) lines += `${name}: ${context.headers[name]}\r\n`;
    if (sentId !== undefined) lines += `traceparent: ${trace}\r\n`;
    const lead = headers['Cache-Control'] === undefined ? leadOf(status, context) : leads.cached;
    lines += `${lead}${context.requestId}\r\n`;
    return { status, headers, body, size, lines, shared };
  }

  function auditRefusal(outcome: FailureCode, { caller, route, path, requestId }: Context, { method }: Incoming): void {
    options.audit?.({
      caller: nameOf(caller) ?? null,
      role: caller?.role ?? null,
      route: route === '' ? null : `${method} ${route}`,
      record: recordIn(route, path),
      outcome,
      request_id: requestId,
    });
  }

  function entryOf(
    { status, size }: Reply,
    level: LogLevel,
    ms: number,
    traceId: string | undefined,
    { requestId, caller, start, path }: Context,
    request: Incoming,
  ): RequestEntry {
    const usual = {
      level,
      event: 'request',
      request_id: requestId,
      method: request.method,
      path,
      status,
      bytes: request.method === 'HEAD' ? 0 : (size ?? 0),
      ms: rounded(ms),
      client: addressOf(request),
    } as const;
    const key = nameOf(caller);
    const { certificate } = request.peer;
    // Every request has an entry, and a small one takes less time.
    if (key === undefined && certificate === undefined && traceId === undefined && ms < slow) return usual;
    return { ...usual, key, certificate, trace_id: traceId, slow: ms < slow ? undefined : slowOf(request, start, ms) };
  }

  function slowOf({ body, target }: Incoming, start: number, ms: number): SlowRequest {
    const bodyMs = Math.max(body.completedAt - start, 0);
    return {
      body_ms: rounded(bodyMs),
      work_ms: rounded(ms - bodyMs),
      under_way: inFlight(),
      parameters: parametersOf(target),
    };
  }

  return {
    begin(request) {
      const sent = request.head.fields.identified ? request.header('x-request-id') : null;
      const requestId = sent !== null && safeId.test(sent) ? sent : newId();
      return {
        requestId,
        trace: telemetry?.begin(request, requestId),
        start: performance.now(),
        path: encodedPath(request.target),
        route: '',
        caller: undefined,
        headers: undefined,
        private: false,
        answered: false,
        failure: undefined,
        slot: undefined,
      };
    },
    finish,
    finishRefusal(reply, peer) {
      const requestId = newId();
      const { status, size } = reply;
      if (minLevel === 0) {
        const client = addressOf({ peer, header: () => null });
        const entry = { level: 'info', event: 'request', request_id: requestId, method: '', path: '' } as const;
        log({ ...entry, status, bytes: size ?? 0, ms: 0, client });
      }
      count('', '', status, 0, requestId, '');
      telemetry?.countRefusal(peer, status);
      return { ...reply, lines: `${leads.noStore}${requestId}\r\n` };
    },
    handshakeFailed(reason, peer) {
      const client = addressOf({ peer, header: () => null });
      if (minLevel === 0) log({ level: 'info', event: 'handshake', client, reason });
    },
  };
}

/** Undefined without a valid key or token, also in a role. */
function nameOf(caller: Caller | undefined): string | undefined {
  return caller === undefined ? undefined : authorOf(caller);
}

function leadOf(status: number, context: Context): string {
  if (context.private) return leads.private;
  return status < 400 ? leads.noCache : leads.noStore;
}

/** The path, percent-encoded, without the query; for a target in absolute form, the part after the host. */
function encodedPath(target: string): string {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = local.indexOf('?');
  return (end < 0 ? local : local.slice(0, end)) || '/';
}
