/** CORS (Fetch standard): headers that let web pages of other origins use the API. */

import type { Headers, Reply } from '../../wire/answer/reply.ts';
import type { Incoming } from '../../wire/request/incoming.ts';

const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Shelf-Role',
  'X-API-Key',
  'X-Request-Id',
  'traceparent',
].join(', ');
const exposedHeaders =
  'ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';

/** Adds the CORS headers to an answer; `*` among the origins allows all of them. */
export function corsOf(origins: readonly string[]): (request: Incoming, reply: Reply) => Reply {
  const all = origins.includes('*');
  return (request, reply) => {
    const origin = request.header('origin');
    const vary = all ? {} : { Vary: reply.headers.Vary === undefined ? 'Origin' : `${reply.headers.Vary}, Origin` };
    const isAllowed = origin !== null && (all || origins.includes(origin));
    const corsHeaders = isAllowed ? headersFor(request, reply, all ? '*' : origin) : {};
    return { ...reply, headers: { ...reply.headers, ...vary, ...corsHeaders } };
  };
}

function headersFor(request: Incoming, { headers }: Reply, origin: string): Headers {
  const allow = { 'Access-Control-Allow-Origin': origin };
  const isPreflight = request.method === 'OPTIONS' && request.header('access-control-request-method') !== null;
  if (!isPreflight) return { ...allow, 'Access-Control-Expose-Headers': exposedHeaders };
  return {
    ...allow,
    'Access-Control-Allow-Methods': headers.Allow ?? '',
    'Access-Control-Allow-Headers': allowedHeaders,
    'Access-Control-Max-Age': '600',
  };
}
