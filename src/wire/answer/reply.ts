/** An answer as plain data, and the text of its head. */
import { STATUS_CODES } from 'node:http';
import type { Bytes } from '../../domain/bytes.ts';

export type Headers = Readonly<Record<string, string>>;

/** Pulled one at a time, when the socket has room; returned early when the client has left. */
export type Parts = AsyncIterator<Bytes> | Iterator<Bytes> | Live;

/** Has no end of its own. `return` ends it and a pending `next`: when the client leaves, and when the server stops. */
export type Live = { readonly live: true; next(): Promise<IteratorResult<Bytes>>; return(): void };

export function isParts(body: Reply['body']): body is Parts {
  return body !== null && typeof body !== 'string' && !(body instanceof Uint8Array);
}

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  /** Bytes are immutable from here on. */
  readonly body: Bytes | string | Parts | null;
  /** Bytes of the body; undefined if unknown before it is read. */
  readonly size: number | undefined;
  /** Raw header lines, sent after `headers`. */
  readonly lines?: string;
  /** The bytes are in memory anyway, so they do not count as held by the connection. */
  readonly shared?: boolean;
};

/** How the end of the answer is marked: by Content-Length, by chunks, or by closing the connection. */
export type Ending = 'length' | 'chunked' | 'close';

/** The last lines of every head; rebuilt once a second, because they contain the Date. */
export type HeadEnds = {
  readonly plain: HeadEnd;
  /** Over TLS. */
  readonly secure: HeadEnd;
};

type HeadEnd = {
  /** With keep-alive. */
  readonly kept: string;
  readonly closed: string;
};

/** A year (RFC 6797). Without includeSubDomains: other hosts of the domain may not have TLS. */
const transportSecurity = 'Strict-Transport-Security: max-age=31536000\r\n';

export function headEnds(keepAliveSeconds: number, now: Date): HeadEnds {
  const kept = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n`;
  const closed = 'Connection: close\r\n';
  const date = `Date: ${now.toUTCString()}\r\n\r\n`;
  return {
    plain: { kept: [kept, date].join(''), closed: [closed, date].join('') },
    secure: { kept: [kept, transportSecurity, date].join(''), closed: [closed, transportSecurity, date].join('') },
  };
}

/** How heads start. To send a text takes time for each string that it was made of, so the usual start is one. */
const statusLines = startLines('');
const jsonStarts = startLines('Content-Type: application/json\r\n');

function startLines(line: string): Readonly<Record<number, string>> {
  const start = (status: string, reason = '') => [`HTTP/1.1 ${status} ${reason}\r\n`, line].join('');
  return Object.fromEntries(Object.entries(STATUS_CODES).map(([status, reason]) => [status, start(status, reason)]));
}

/** `end` comes from `headEnds`. */
export function headText({ status, headers, size, lines = '' }: Reply, ending: Ending, end: string): string {
  const json = headers['Content-Type'] === 'application/json' ? jsonStarts[status] : undefined;
  // `json` has that header.
  let text = json ?? statusLines[status] ?? `HTTP/1.1 ${status} \r\n`;
  for (const name in headers)
    if (json === undefined || name !== 'Content-Type') text += `${name}: ${headers[name]}\r\n`;
  if (ending === 'chunked') text += 'Transfer-Encoding: chunked\r\n';
  // 204 and 304 have no body (RFC 9110), and so no length.
  else if (ending === 'length' && status !== 204 && status !== 304) text += `Content-Length: ${size}\r\n`;
  return text + lines + end;
}
