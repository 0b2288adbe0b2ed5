/** Builds replies, also from failures. */

import type { Bytes } from '../../domain/bytes.ts';
import type { Failure } from '../../domain/errors.ts';
import type { Headers, Reply } from '../../wire/answer/reply.ts';

/** In characters. A longer text may need several writes to the socket; as bytes, its rest is not encoded again. */
const longText = 64 * 1024;

const jsonHeaders: Headers = { 'Content-Type': 'application/json' };

/** `text` is already JSON. */
export function json(status: number, text: string, headers?: Headers): Reply {
  const body = text.length > longText ? Buffer.from(text) : text;
  const all = headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers };
  return { status, headers: all, body, size: Buffer.byteLength(body) };
}

/** For the caller alone: no cache may store it. */
export function privateJson(status: number, value: unknown): Reply {
  return json(status, JSON.stringify(value), { 'Cache-Control': 'private, no-store' });
}

export function bytes(status: number, body: Bytes, headers: Headers): Reply {
  return { status, headers, body, size: body.byteLength };
}

export function empty(status: number, headers: Headers = {}): Reply {
  return { status, headers, body: null, size: 0 };
}

/** The contract's error body: `detail`, and `errors` for an invalid request body. */
export function failure(failure: Failure): Reply {
  const { status, detail, problems } = failure;
  const errors = problems?.map(({ field = '', ...problem }) => ({ field, ...problem }));
  const body = errors === undefined ? { detail } : { detail, errors };
  return json(status, JSON.stringify(body), headersOf(failure));
}

export function headersOf({ headers, retryAfter }: Failure): Headers {
  return retryAfter === undefined ? (headers ?? {}) : { ...headers, 'Retry-After': String(retryAfter) };
}
