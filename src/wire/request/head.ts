/** Parses the head of a request (RFC 9112). An ambiguous head is refused. */
import { Failure } from '../../domain/errors.ts';
import { hostOfTarget, isHost } from './host.ts';

/** Bytes of the request line and all headers together. */
export const maxHeadBytes = 16 * 1024;
const maxHeaders = 100;
/**
 * Bytes. A head over the limit is `uri_too_long` if its request line alone has more, and `head_too_large` otherwise.
 */
const longRequestLine = maxHeadBytes / 2;
/** Bytes. A longer head is not cached, because every connection has its own cache. */
const maxCached = 4 * 1024;

/** The length of the body in bytes, or `chunked`. */
export type Framing = number | 'chunked';

/** The headers, parsed by the rules of the request's HTTP version. */
export type Fields = {
  /** Not HTTP/1.0: the client can read a chunked answer. */
  readonly modern: boolean;
  /** In lower case; `values` has the value at the same index. */
  readonly names: readonly string[];
  readonly values: readonly string[];
  readonly framing: Framing;
  readonly keepAlive: boolean;
  /** Expect: 100-continue: the client waits for it before it sends the body. */
  readonly expectsContinue: boolean;
  /** As sent; undefined if an HTTP/1.0 client sent none. */
  readonly host: string | undefined;
  /** The request has an Origin or a Sec-Fetch-Site header, which only browsers send. */
  readonly fromBrowser: boolean;
  /** The request has If-Match or If-None-Match. */
  readonly conditional: boolean;
  /** The request has X-Request-Id or traceparent. */
  readonly identified: boolean;
};

type CachedFields = { readonly rest: string; readonly fields: Fields };

export type Head = {
  readonly method: string;
  /** As sent, still percent-encoded: a path with its query, an absolute URL, or `*`. */
  readonly target: string;
  readonly fields: Fields;
};

const token = /^[!#$%&'*+\-.^`|~\w]+$/;
const headerLine = /([!#$%&'*+\-.^`|~\w]+):[ \t]*((?:[!-~\x80-\xff]+(?:[ \t]+[!-~\x80-\xff]+)*)?)[ \t]*\r\n/y;

/** The index after the head, or -1 while it is incomplete. Throws a Failure if the text cannot become a valid head. */
export function endOfHead(text: string): number {
  const end = text.indexOf('\r\n\r\n');
  if (end >= 0 && end <= maxHeadBytes) return end + 4;
  // Some clients send an empty line before a request; its CR may arrive first.
  if (text === '\r') return -1;
  if (!/^[!#$%&'*+\-.^`|~\w]/.test(text) || /(?:^|[^\r])\n/.test(text)) throw malformed('it does not start as one');
  if (text.length <= maxHeadBytes) return -1;
  const lineEnd = text.indexOf('\r\n');
  throw new Failure(lineEnd < 0 || lineEnd > longRequestLine ? 'uri_too_long' : 'head_too_large');
}

/** Parses the heads of one connection. Parsed headers are cached, because most clients repeat them. */
export class HeadReader {
  /** The cache has two entries, because the headers of reads and of writes differ. */
  #last: CachedFields | undefined;
  #previous: CachedFields | undefined;

  /** `text` ends with the empty line that ends the head. */
  read(text: string): Head {
    const afterMethod = text.indexOf(' ');
    const afterTarget = text.indexOf(' ', afterMethod + 1);
    const method = methodIn(text, afterMethod);
    const target = text.slice(afterMethod + 1, afterTarget);
    const rest = text.slice(afterTarget + 1);
    if ((method !== 'GET' && !token.test(method)) || !isTarget(method, target)) {
      throw malformed(/[\x80-\xff]/.test(target) ? 'its target is not ASCII, so percent-encode it' : badRequestLine);
    }
    const last = this.#last;
    if (last !== undefined && last.rest === rest) return { method, target, fields: last.fields };
    if (text.length > maxCached) return { method, target, fields: parseFields(rest) };
    const entry = this.#previous?.rest === rest ? this.#previous : parseCopy(rest);
    this.#previous = last;
    this.#last = entry;
    return { method, target, fields: entry.fields };
  }
}

/** The usual ones as constants: the hash of a slice would be computed for each look-up. */
function methodIn(text: string, end: number): string {
  if (text.startsWith('GET ')) return 'GET';
  return text.startsWith('POST ') ? 'POST' : text.slice(0, end);
}

/** Copies the text: a slice would keep the whole input in memory, which may be much longer than the head. */
function parseCopy(rest: string): CachedFields {
  const own = Buffer.from(rest, 'latin1').toString('latin1');
  return { rest: own, fields: parseFields(own) };
}

const badRequestLine = 'its first line is not METHOD /path HTTP/1.1';

/** A path, an absolute URL, or with OPTIONS `*` for the whole server (RFC 9112, section 3.2). */
function isTarget(method: string, target: string): boolean {
  if (!isVisible(target)) return false;
  if (target.startsWith('/')) return true;
  // The HTTP/2 preface (PRI *) passes here, and fails later with `unsupported_version`.
  if (target === '*') return method === 'OPTIONS' || method === 'PRI';
  const host = hostOfTarget(target);
  return host !== undefined && host !== '' && isHost(host);
}

/** Visible ASCII. Other bytes are ambiguous and must be percent-encoded (RFC 3986). A loop takes a third of the time of a pattern. */
function isVisible(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x21 || unit > 0x7e) return false;
  }
  return true;
}

/** `text` is the head after the target: the version and the headers. */
function parseFields(text: string): Fields {
  const version = /^HTTP\/(\d)\.(\d)\r\n/.exec(text);
  if (version === null) throw malformed(badRequestLine);
  if (version[1] !== '1') throw new Failure('unsupported_version');
  const modern = version[2] !== '0';
  const names: string[] = [];
  const values: string[] = [];
  const end = text.length - 2;
  for (let at = version[0].length; at < end; at = headerLine.lastIndex) {
    headerLine.lastIndex = at;
    const header = headerLine.exec(text);
    if (header === null) throw malformed(`its header line ${names.length + 1} is not Name: value`);
    const [, name = '', value = ''] = header;
    names.push(name.toLowerCase());
    values.push(value);
  }
  if (names.length > maxHeaders) throw new Failure('head_too_large');

  const host = names.indexOf('host');
  if (host < 0 ? modern : names.indexOf('host', host + 1) >= 0) throw malformed('it needs one Host header');
  if (host >= 0 && !isHost(values[host] ?? '')) throw malformed('its Host is not a name or an address');
  const connection = tokensOf(all(names, values, 'connection'));
  return {
    modern,
    names,
    values,
    framing: framingOf(names, values, modern),
    keepAlive: !connection.includes('close') && (modern || connection.includes('keep-alive')),
    expectsContinue: modern && /^100-continue$/i.test(all(names, values, 'expect')),
    host: host < 0 ? undefined : values[host],
    fromBrowser: names.includes('origin') || names.includes('sec-fetch-site'),
    conditional: names.includes('if-match') || names.includes('if-none-match'),
    identified: names.includes('x-request-id') || names.includes('traceparent'),
  };
}

/** Strict, because two parsers that disagree on the end of a body allow request smuggling. */
function framingOf(names: readonly string[], values: readonly string[], modern: boolean): Framing {
  const length = names.indexOf('content-length');
  const coding = names.indexOf('transfer-encoding');
  if (length < 0 && coding < 0) return 0;
  if (length >= 0 && coding >= 0) throw malformed('it has both Content-Length and Transfer-Encoding');
  if (coding >= 0) {
    if (!modern) throw malformed('HTTP/1.0 has no Transfer-Encoding');
    const codings = tokensOf(all(names, values, 'transfer-encoding'));
    // The end of the body is unknown unless the last coding is chunked; chunked must not be applied twice.
    if (codings.at(-1) !== 'chunked' || codings.indexOf('chunked') < codings.length - 1) {
      throw malformed('its Transfer-Encoding does not end in chunked');
    }
    if (codings.length > 1) throw new Failure('unsupported_coding');
    return 'chunked';
  }
  const digits = all(names, values, 'content-length');
  if (!/^\d+$/.test(digits)) throw malformed('its Content-Length is not one number');
  return Number(digits);
}

function tokensOf(list: string): string[] {
  return list
    .toLowerCase()
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The values of a repeated header, in order and joined with commas. */
export function all(names: readonly string[], values: readonly string[], name: string): string {
  return values.filter((_, index) => names[index] === name).join(', ');
}

function malformed(what: string): Failure {
  return new Failure('malformed_request', { detail: `Invalid HTTP request: ${what}.` });
}
