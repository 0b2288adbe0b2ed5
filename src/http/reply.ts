/** Answers, and failures as answers. */
import type { Failure } from '../domain/errors.ts';

const encoder = new TextEncoder();

/** An answer whose text is JSON already. The length is stated here so that the request log can tell it. */
export function json(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response {
  return bytes(status, encoder.encode(text), { 'Content-Type': 'application/json', ...headers });
}

export function bytes(
  status: number,
  body: Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(body, { status, headers: { ...headers, 'Content-Length': String(body.byteLength) } });
}

export function empty(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status, headers });
}

/** The contract's error body: `detail`, and `errors` where a body was at fault. */
export function failure({ status, detail, extra }: Failure): Response {
  const body = extra.problems === undefined ? { detail } : { detail, errors: extra.problems };
  return json(status, JSON.stringify(body), extra.headers);
}
