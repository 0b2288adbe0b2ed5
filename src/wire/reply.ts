/** An answer as plain data, and the text of its head. */
import { STATUS_CODES } from 'node:http';
import type { Bytes } from '../domain/bytes.ts';

export type Headers = Readonly<Record<string, string>>;

/** Pulled one at a time, when the reader has room for it; returned early when the reader has left. */
export type Parts = AsyncIterator<Bytes> | Iterator<Bytes> | Live;

/** Goes on until it is returned, which ends a `next` under way: when the client leaves, and when the server stops. */
export type Live = { readonly live: true; next(): Promise<IteratorResult<Bytes>>; return(): void };

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  /** Bytes are never changed once they are here. */
  readonly body: Bytes | string | Parts | null;
  /** Bytes of the body; undefined where they are not known before they are read. */
  readonly size: number | undefined;
  /** Header lines as they are sent, behind the headers. */
  readonly lines?: string;
  /** Its bytes are kept anyway, whoever reads them. */
  readonly shared?: boolean;
};

/** How the end of the answer is told: by its length, by chunks, or by hanging up. */
export type Ending = 'length' | 'chunked' | 'close';

/** The last lines of every head; rebuilt once a second, because they contain the Date. */
export type HeadEnds = {
  /** With keep-alive. */
  readonly kept: string;
  readonly closed: string;
};

export function headEnds(keepAliveSeconds: number, now: Date): HeadEnds {
  const date = `Date: ${now.toUTCString()}\r\n\r\n`;
  return {
    kept: `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n${date}`,
    closed: `Connection: close\r\n${date}`,
  };
}

const statusLines: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(STATUS_CODES).map(([status, reason]) => [status, `HTTP/1.1 ${status} ${reason}\r\n`]),
);

/** `end` comes from `headEnds`. */
export function headText({ status, headers, size, lines = '' }: Reply, ending: Ending, end: string): string {
  let text = statusLines[status] ?? `HTTP/1.1 ${status} \r\n`;
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
  if (ending === 'chunked') text += 'Transfer-Encoding: chunked\r\n';
  // These two have no body by definition (RFC 9110), and state no length.
  else if (ending === 'length' && status !== 204 && status !== 304) text += `Content-Length: ${size}\r\n`;
  return text + lines + end;
}
