/** Answers as plain data, and failures as answers. The edge turns each into a Response, once. */
import type { Failure } from '../domain/errors.ts';

export type Headers = Readonly<Record<string, string>>;

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | Blob | ReadableStream | string | null;
  /** Bytes of the body, for the log; undefined where they are not known yet. */
  readonly size: number | undefined;
};

/** A reply that is at hand is given at once: on the way of a read, a promise costs as much as the work itself. */
export type Replied = Reply | Promise<Reply>;

/** The text is JSON already. */
export function json(status: number, text: string, headers: Headers = {}): Reply {
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: text,
    size: Buffer.byteLength(text),
  };
}

export function bytes(status: number, body: Uint8Array<ArrayBuffer>, headers: Headers): Reply {
  return { status, headers, body, size: body.byteLength };
}

export function empty(status: number, headers: Headers = {}): Reply {
  return { status, headers, body: null, size: 0 };
}

/** The contract's error body: `detail`, and `errors` where a body was at fault. */
export function failure({ status, detail, extra }: Failure): Reply {
  const body = extra.problems === undefined ? { detail } : { detail, errors: extra.problems };
  return json(status, JSON.stringify(body), extra.headers);
}
