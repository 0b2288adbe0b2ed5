/** Answers, and failures as answers. */

import type { Bytes } from '../../domain/bytes.ts';
import type { Failure } from '../../domain/errors.ts';
import type { Headers, Reply } from '../../wire/reply.ts';

/** What is longer may not all go out at once; as bytes, the rest of it need not be written anew. */
const longText = 64 * 1024;

/** The text is JSON already. */
export function json(status: number, text: string, headers: Headers = {}): Reply {
  const body = text.length > longText ? Buffer.from(text) : text;
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body, size: Buffer.byteLength(body) };
}

export function bytes(status: number, body: Bytes, headers: Headers): Reply {
  return { status, headers, body, size: body.byteLength };
}

export function empty(status: number, headers: Headers = {}): Reply {
  return { status, headers, body: null, size: 0 };
}

/** The contract's error body: `detail`, and `errors` where a body was at fault. */
export function failure(failure: Failure): Reply {
  const { status, detail, problems } = failure;
  const errors = problems?.map(({ field = '', ...problem }) => ({ field, ...problem }));
  const body = errors === undefined ? { detail } : { detail, errors };
  return json(status, JSON.stringify(body), headersOf(failure));
}

export function headersOf({ headers, retryAfter }: Failure): Headers {
  return retryAfter === undefined ? (headers ?? {}) : { ...headers, 'Retry-After': String(retryAfter) };
}
