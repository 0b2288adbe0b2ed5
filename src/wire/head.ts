/** The head of a request (RFC 9112): its text in, what it says out. What could be read in two ways is refused. */
import { Failure } from '../domain/errors.ts';
import { hostOfTarget, isHost } from './host.ts';

/** Of the request line and all headers together. */
export const maxHeadBytes = 16 * 1024;
const maxHeaders = 100;
/** A head that is too large is so for its target where the request line alone has more. */
const longLine = maxHeadBytes / 2;
/** A longer head is not kept: there may be as many of them as connections. */
const maxRemembered = 4 * 1024;

/** How long the body is: its bytes, or whatever its chunks say. */
export type Framing = number | 'chunked';

/** What the headers say, with the version that they are to be read by. */
export type Fields = {
  /** Whether the client can read a chunked answer: one that speaks HTTP/1.0 cannot. */
  readonly modern: boolean;
  /** In lower case, each with the value at the same place. */
  readonly names: readonly string[];
  readonly values: readonly string[];
  readonly framing: Framing;
  readonly keepAlive: boolean;
  /** The client waits to be told before it sends the body. */
  readonly asksFirst: boolean;
  /** As it was sent; undefined where an HTTP/1.0 client sent none. */
  readonly host: string | undefined;
  /** It has an Origin or a Sec-Fetch-Site, which only browsers send. */
  readonly fromBrowser: boolean;
  /** It has preconditions: If-Match or If-None-Match. */
  readonly conditional: boolean;
};

type Known = { readonly rest: string; readonly fields: Fields };

export type Head = {
  readonly method: string;
  /** As sent: a path with its query, still encoded. */
  readonly target: string;
  readonly fields: Fields;
};

const token = /^[!#$%&'*+\-.^`|~\w]+$/;
/** A target is ASCII; other bytes have no one meaning, and are sent percent-encoded (RFC 3986). */
const notInTarget = /[^!-~]/;
const headerLine = /([!#$%&'*+\-.^`|~\w]+):[ \t]*((?:[!-~\x80-\xff]+(?:[ \t]+[!-~\x80-\xff]+)*)?)[ \t]*\r\n/y;

/** Where the head ends, or -1 while it has not all arrived. Throws on what can no longer become one. */
export function endOfHead(text: string): number {
  const end = text.indexOf('\r\n\r\n');
  if (end >= 0 && end <= maxHeadBytes) return end + 4;
  // The empty line that some clients send ahead of a request may come in two halves.
  if (text === '\r') return -1;
  if (!/^[!#$%&'*+\-.^`|~\w]/.test(text) || /(?:^|[^\r])\n/.test(text)) throw malformed('it does not start as one');
  if (text.length <= maxHeadBytes) return -1;
  const lineEnd = text.indexOf('\r\n');
  throw new Failure(lineEnd < 0 || lineEnd > longLine ? 'uri_too_long' : 'head_too_large');
}

/** Reads heads one after the other: a client mostly repeats its headers, and what is repeated is not read again. */
export class HeadReader {
  /** The one before is kept as well, because those of reads and of writes differ. */
  #last: Known | undefined;
  #before: Known | undefined;

  /** The text up to and with the empty line. */
  read(text: string): Head {
    const afterMethod = text.indexOf(' ');
    const afterTarget = text.indexOf(' ', afterMethod + 1);
    const method = text.slice(0, afterMethod);
    const target = text.slice(afterMethod + 1, afterTarget);
    const rest = text.slice(afterTarget + 1);
    if (!token.test(method) || !isTarget(method, target)) {
      throw malformed(/[\x80-\xff]/.test(target) ? 'its target is not ASCII, so percent-encode it' : firstLine);
    }
    const last = this.#last;
    if (last !== undefined && last.rest === rest) return { method, target, fields: last.fields };
    if (text.length > maxRemembered) return { method, target, fields: parseFields(rest) };
    const known = this.#before?.rest === rest ? this.#before : remember(rest);
    this.#before = last;
    this.#last = known;
    return { method, target, fields: known.fields };
  }
}

/** From a copy: a part of a text keeps all of it in memory, and behind a head there may be much else. */
function remember(rest: string): Known {
  const own = Buffer.from(rest, 'latin1').toString('latin1');
  return { rest: own, fields: parseFields(own) };
}

const firstLine = 'its first line is not METHOD /path HTTP/1.1';

/** A path, a whole address, or with OPTIONS a star for the server as a whole (RFC 9112, section 3.2). */
function isTarget(method: string, target: string): boolean {
  if (notInTarget.test(target)) return false;
  if (target.startsWith('/')) return true;
  // The preface of HTTP/2 is refused for its version.
  if (target === '*') return method === 'OPTIONS' || method === 'PRI';
  const host = hostOfTarget(target);
  return host !== undefined && host !== '' && isHost(host);
}

/** All that follows the target: the version, and the headers. */
function parseFields(text: string): Fields {
  const version = /^HTTP\/(\d)\.(\d)\r\n/.exec(text);
  if (version === null) throw malformed(firstLine);
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
    asksFirst: modern && /^100-continue$/i.test(all(names, values, 'expect')),
    host: host < 0 ? undefined : values[host],
    fromBrowser: names.includes('origin') || names.includes('sec-fetch-site'),
    conditional: names.includes('if-match') || names.includes('if-none-match'),
  };
}

/** Two ideas of where a body ends are how one request is smuggled inside another. */
function framingOf(names: readonly string[], values: readonly string[], modern: boolean): Framing {
  const length = names.indexOf('content-length');
  const coding = names.indexOf('transfer-encoding');
  if (length < 0 && coding < 0) return 0;
  if (length >= 0 && coding >= 0) throw malformed('it has both Content-Length and Transfer-Encoding');
  if (coding >= 0) {
    if (!modern) throw malformed('HTTP/1.0 has no Transfer-Encoding');
    const codings = tokensOf(all(names, values, 'transfer-encoding'));
    // Where the last coding does not say where the body ends, nothing does; and nothing is chunked twice.
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

/** A header that is sent more than once means its values in order. */
export function all(names: readonly string[], values: readonly string[], name: string): string {
  return values.filter((_, index) => names[index] === name).join(', ');
}

function malformed(what: string): Failure {
  return new Failure('malformed_request', { detail: `Invalid HTTP request: ${what}.` });
}
