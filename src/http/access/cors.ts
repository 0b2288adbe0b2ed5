/** What lets web pages of other origins use the API (the Fetch standard's CORS). */
import type { Incoming } from '../../wire/incoming.ts';
import type { Headers, Reply } from '../../wire/reply.ts';

const sent = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'X-API-Key',
  'X-Request-Id',
  'traceparent',
].join(', ');
const read = 'ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';

/** Adds to an answer what its page may know; `*` among the origins stands for all of them. */
export function corsOf(origins: readonly string[]): (request: Incoming, reply: Reply) => Reply {
  const all = origins.includes('*');
  return (request, reply) => {
    const origin = request.header('origin');
    const vary = all ? {} : { Vary: reply.headers.Vary === undefined ? 'Origin' : `${reply.headers.Vary}, Origin` };
    const known = origin !== null && (all || origins.includes(origin));
    const told = known ? allowing(request, reply, all ? '*' : origin) : {};
    return { ...reply, headers: { ...reply.headers, ...vary, ...told } };
  };
}

function allowing(request: Incoming, { headers }: Reply, origin: string): Headers {
  const allow = { 'Access-Control-Allow-Origin': origin };
  const asksFirst = request.method === 'OPTIONS' && request.header('access-control-request-method') !== null;
  if (!asksFirst) return { ...allow, 'Access-Control-Expose-Headers': read };
  return {
    ...allow,
    'Access-Control-Allow-Methods': headers.Allow ?? '',
    'Access-Control-Allow-Headers': sent,
    'Access-Control-Max-Age': '600',
  };
}
