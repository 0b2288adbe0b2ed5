/**
 * The log line of a request as JSON: the text of `entryLine`, but written as bytes, because every request has one. As strings, its parts, the
 * line, its batch and the output would each be a copy.
 */

import type { RequestEntry } from '../../http/observe/log-entry.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const methodParts = new Map(methods.map((method) => [method, Buffer.from(`","method":"${method}","path":"`)]));
const statusPart = (status: number) => Buffer.from(`","status":${status},"bytes":`);
const statusParts = Array.from({ length: 600 }, (_, status) => statusPart(status));
const msPart = Buffer.from(',"ms":');
const clientPart = Buffer.from(',"client":"');
const keyPart = Buffer.from('","key":"');
const certificatePart = Buffer.from('","certificate":"');
const tracePart = Buffer.from('","trace_id":"');
const endPart = Buffer.from('"}\n');
/** More than the names and numbers of a line have. */
const otherBytes = 400;

/**
 * Writes the line at `start` and returns its end; -1 if it does not fit, or needs more than copying: then `entryLine` has to make it.
 * `time` is ISO text.
 */
export type WriteRequestLine = (entry: RequestEntry, time: string, into: Buffer, start: number) => number;

export function requestLines(): WriteRequestLine {
  let lastTime = '';
  let timePart = Buffer.alloc(0);
  return (entry, time, into, start) => {
    const { level, request_id, method, path, status, bytes, ms, client, slow } = entry;
    const { key = '', certificate = '', trace_id = '' } = entry;
    if (level !== 'info' || slow !== undefined) return -1;
    const methodPart = methodParts.get(method);
    const texts = path.length + request_id.length + client.length + key.length + certificate.length;
    if (methodPart === undefined || start + texts + otherBytes > into.length) return -1;
    if (!(isPlain(path) && isPlain(key) && isPlain(certificate))) return -1;
    if (time !== lastTime) {
      lastTime = time;
      timePart = Buffer.from(`{"time":"${time}","level":"info","event":"request","request_id":"`);
    }
    let at = copyBytes(timePart, into, start);
    at = writeText(request_id, into, at);
    at = copyBytes(methodPart, into, at);
    at = writeText(path, into, at);
    at = copyBytes(statusParts[status] ?? statusPart(status), into, at);
    at = writeInteger(bytes, into, at);
    at = writeBytes(msPart, into, at);
    at = writeThousandths(Math.round(ms * 1000), into, at);
    at = writeBytes(clientPart, into, at);
    at = writeText(client, into, at);
    if (entry.key !== undefined) at = writeText(key, into, writeBytes(keyPart, into, at));
    if (entry.certificate !== undefined) at = writeText(certificate, into, writeBytes(certificatePart, into, at));
    if (entry.trace_id !== undefined) at = writeText(trace_id, into, writeBytes(tracePart, into, at));
    return writeBytes(endPart, into, at);
  };
}

/** Has no escape in JSON, and cannot control a terminal. A loop takes a third of the time of a pattern. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) return false;
  }
  return true;
}

/** For twenty bytes or more: a call into the runtime takes as long as a loop over so many. */
function copyBytes(bytes: Buffer, into: Buffer, at: number): number {
  into.set(bytes, at);
  return at + bytes.length;
}

function writeBytes(bytes: Buffer, into: Buffer, at: number): number {
  for (let n = 0; n < bytes.length; n++) into[at + n] = bytes[n] ?? 0;
  return at + bytes.length;
}

/** Of ASCII. */
function writeText(text: string, into: Buffer, at: number): number {
  for (let n = 0; n < text.length; n++) into[at + n] = text.charCodeAt(n);
  return at + text.length;
}

const zero = 0x30;
const point = 0x2e;

/** From 0 up to 2^53 - 1. */
function writeInteger(value: number, into: Buffer, at: number): number {
  let end = at + 1;
  for (let limit = 10; value >= limit; limit *= 10) end++;
  let rest = value;
  for (let place = end - 1; place >= at; place--) {
    const tens = Math.floor(rest / 10);
    into[place] = zero + (rest - tens * 10);
    rest = tens;
  }
  return end;
}

/** As a decimal number without zeros at its end. */
function writeThousandths(value: number, into: Buffer, at: number): number {
  const whole = Math.floor(value / 1000);
  let end = writeInteger(whole, into, at);
  let rest = value - whole * 1000;
  if (rest > 0) into[end++] = point;
  for (let unit = 100; rest > 0; unit /= 10) {
    const digit = Math.floor(rest / unit);
    into[end++] = zero + digit;
    rest -= digit * unit;
  }
  return end;
}
